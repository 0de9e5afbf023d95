/**
 * Has V8 say how far the old generation may grow, in a process of its own that is started with
 * `--trace-incremental-marking`: it is told when V8 begins to look through the heap, which buffers outside of it make it do.
 */
import { setTimeout } from "node:timers/promises"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import { Effect, Layer } from "effect"
import * as NodeServer from "../../adapters/http/node-server.ts"

v8.setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "major" }) => void = vm.runInNewContext("gc")

if (process.argv[2] === "served") {
  await Effect.runPromise(Effect.scoped(Layer.build(NodeServer.layer({ port: 0 }))))
}

const kept = Array.from({ length: 400_000 }, (_, at) => ({ at, more: { at } }))
// V8 lets a heap grow by how much was made since it last looked: next to nothing.
for (let looks = 0; looks < 3; looks++) {
  await setTimeout(300)
  collect({ type: "major" })
}
// V8 begins in the background, and only between the turns of the event loop.
const outside: Array<ArrayBuffer> = []
for (let count = 0; count < 200; count++) {
  outside.push(new ArrayBuffer(2 ** 20))
  if (count % 10 === 0) await setTimeout(5)
}
console.log(`${kept.length} objects, ${outside.length} buffers`)
