/**
 * Loaded before a program: ends it by SIGKILL right before one of its steps outside of itself, a change of a file or a
 * packet to the database. They are counted from the first change of the folder that is named.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { Socket } from "node:net"

const { DIE_AT: at, DIE_IN: folder = "" } = process.env

let count = 0
let hasBegun = false

const step = (name: string, path?: unknown) => {
  hasBegun ||= typeof path === "string" && path.startsWith(folder)
  if (!hasBegun) return
  count += 1
  if (count !== Number(at)) return
  fs.writeSync(2, `died before step ${count}, ${name}\n`)
  process.kill(process.pid, "SIGKILL")
  // The signal is on its way: nothing more is done.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

type Act = (...given: Array<unknown>) => unknown

/** Makes a step of a function that stands in an object. */
const counting = (where: object, name: string, hasPath: boolean) => {
  const acts = where as Record<string, Act>
  const act = acts[name] as Act
  acts[name] = function (this: unknown, ...given: Array<unknown>) {
    step(name, hasPath ? given[0] : undefined)
    return act.apply(this, given)
  }
}

const handle = await fs.promises.open("/dev/null")
for (const name of ["appendFile", "sync"]) {
  counting(Object.getPrototypeOf(handle), name, false)
}
await handle.close()
for (const name of ["mkdir", "open", "rename", "rm"]) counting(fs.promises, name, true)
counting(Socket.prototype, "write", false)
syncBuiltinESMExports()
process.on("exit", () => fs.writeSync(2, `lived through ${count} steps\n`))
