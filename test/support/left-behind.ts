/**
 * How much of those who come and go the old generation holds when they have gone: a process of its own, since in a large
 * heap V8 moves everything there. It prints the bytes of what its first argument names.
 */
import * as v8 from "node:v8"
import * as vm from "node:vm"
import { Effect, Layer } from "effect"
import * as Turns from "../../adapters/http/edge/turns.ts"
import * as NodeServer from "../../adapters/http/node-server.ts"
import * as Present from "../../adapters/http/present.ts"

v8.setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" | "major" }) => void = vm.runInNewContext("gc")

const oldBytes = (): number =>
  v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")
    ?.space_used_size ?? Number.NaN

type Enter = (one: object) => () => unknown

const makers: Readonly<Record<string, () => Enter>> = {
  set: () => {
    const set = new Set<object>()
    return (one) => {
      set.add(one)
      return () => set.delete(one)
    }
  },
  present: () => {
    const here = Present.make<object>()
    return (one) => here.enter(one)
  },
  turns: () => {
    const { awaitKey } = Turns.make()
    return () => {
      let leave: () => void = () => undefined
      awaitKey("key", {
        begin: (leaving) => {
          leave = leaving
        },
        refuse: () => undefined
      })
      return () => leave()
    }
  }
}

/** Eight are here at any time, some sixteen mebibytes of them in all. */
const comeAndGo = (enter: Enter) => {
  const here: Array<() => unknown> = []
  for (let count = 0; count < 8_000; count++) {
    here.push(enter({ carried: Array.from({ length: 250 }, () => count) }))
    if (here.length > 8) here.shift()?.()
    if (count % 400 === 0) collect({ type: "minor" })
  }
}

/** The least of three attempts, each anew, as the collector may be in the middle of something when one begins. */
const keptBytes = (make: () => Enter): number => {
  const attempts = [1, 2, 3].map(() => {
    const enter = make()
    comeAndGo(enter)
    collect({ type: "major" })
    const before = oldBytes()
    comeAndGo(enter)
    return oldBytes() - before
  })
  return Math.min(...attempts)
}

const rowOf = (at: number) => ({ at, parts: [at, at + 1], more: { at } })

/** How much of rows that nobody keeps is old, after some that were kept outlived scavenges. */
const oldFromTheFirst = (): number => {
  let kept: ReadonlyArray<object> = []
  for (let round = 0; round < 40; round++) {
    kept = Array.from({ length: 2_000 }, (_, at) => rowOf(at))
    collect({ type: "minor" })
  }
  if (kept.length === 0) return Number.NaN
  kept = []
  collect({ type: "major" })
  const before = oldBytes()
  let last: object = {}
  for (let at = 0; at < 200_000; at++) last = rowOf(at)
  return last === undefined ? Number.NaN : oldBytes() - before
}

const who = process.argv[2] ?? ""
const make = makers[who]
if (make !== undefined) console.log(keptBytes(make))
else {
  if (who === "served") {
    await Effect.runPromise(Effect.scoped(Layer.build(NodeServer.layer({ port: 0 }))))
  }
  console.log(oldFromTheFirst())
}
