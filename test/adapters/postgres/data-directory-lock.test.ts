/** One process at a time owns a data directory, and a dead one owns nothing. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { DataDirectoryInUse, hold } from "../../../adapters/postgres/data-directory-lock.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const aDirectory = temporaryFolder("bursar-lock-")

const lockOf = (directory: string) => join(directory, "lock")

const ownerOf = (directory: string): number =>
  JSON.parse(readFileSync(lockOf(directory), "utf8")).pid

const refusalOf = (directory: string) => Effect.flip(Effect.scoped(hold(directory)))

const program = `
  import { Effect } from "effect"
  import { hold } from ${JSON.stringify(resolve("adapters/postgres/data-directory-lock.ts"))}
  const held = Effect.sync(() => console.log("held"))
  Effect.runFork(Effect.scoped(Effect.andThen(hold(process.argv[1]), Effect.andThen(held, Effect.sleep(60000)))))
`

/** Another process that holds the directory until it is killed. */
const aHolder = (directory: string) =>
  Effect.promise(
    () =>
      new Promise<{ readonly pid: number; readonly kill: () => Promise<void> }>((done, fail) => {
        const child = spawn(process.execPath, ["--input-type=module", "-e", program, directory], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        const ended = new Promise<void>((end) => child.once("exit", () => end()))
        const kill = () => {
          child.kill("SIGKILL")
          return ended
        }
        child.once("error", fail)
        child.stdout.once("data", () => done({ pid: child.pid ?? 0, kill }))
      })
  )

it.effect("a directory is held once, and free again afterwards", () =>
  Effect.gen(function* () {
    const directory = yield* aDirectory
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* hold(directory)
        assert.strictEqual(ownerOf(directory), process.pid)
        const refused = yield* refusalOf(directory)
        assert.instanceOf(refused, DataDirectoryInUse)
        assert.propertyVal(refused, "pid", process.pid)
        assert.strictEqual(statSync(lockOf(directory)).mode & 0o777, 0o600)
      })
    )
    assert.isFalse(existsSync(lockOf(directory)))
    yield* Effect.scoped(hold(directory))
  })
)

it.live("another process's directory is refused by its id, and taken over once it was killed", () =>
  Effect.gen(function* () {
    const directory = yield* aDirectory
    const holder = yield* aHolder(directory)
    const refused = yield* refusalOf(directory)
    assert.propertyVal(refused, "pid", holder.pid)
    assert.include(refused.message, String(holder.pid))
    yield* Effect.promise(holder.kill)
    yield* Effect.scoped(
      Effect.andThen(
        hold(directory),
        Effect.sync(() => assert.strictEqual(ownerOf(directory), process.pid))
      )
    )
  })
)

it.effect("a lock of an earlier run is taken over when its process id is another's now", () =>
  Effect.gen(function* () {
    const directory = yield* aDirectory
    // Of process 1, which is alive but was not started at that tick; of this one; and no lock at all.
    for (const owner of [
      { pid: 1, startedTicks: "1234567890123" },
      { pid: process.pid, startedTicks: null },
      "torn"
    ]) {
      writeFileSync(lockOf(directory), JSON.stringify(owner))
      yield* Effect.scoped(
        Effect.andThen(
          hold(directory),
          Effect.sync(() => assert.strictEqual(ownerOf(directory), process.pid))
        )
      )
    }
  })
)

it.effect("a directory that is not there yet is made", () =>
  Effect.gen(function* () {
    const directory = join(yield* aDirectory, "a", "b")
    yield* hold(directory)
    assert.strictEqual(ownerOf(directory), process.pid)
  })
)
