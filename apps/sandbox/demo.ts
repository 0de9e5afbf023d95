/** `npm run demo`: starts a sandbox of its own on free ports and tells the whole story in it. Exit code 0 only if all of it held. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "./free-port.ts"
import { openSandbox } from "./sandbox.ts"
import { tell } from "./story.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)

const program = Effect.gen(function* () {
  const startedAt = performance.now()
  const directory = mkdtempSync(join(tmpdir(), "bursar-demo-"))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )
  say(
    "Starting a sandbox for the demo: a chain with Circle's USDC contract, a database, the service."
  )
  const port = yield* Effect.promise(freePort)
  const chainPort = yield* Effect.promise(freePort)
  const facts = yield* openSandbox({ directory, port, chainPort })
  say(`0. The sandbox is ready at ${facts.siteUrl}.`)
  yield* Effect.promise(() => tell(facts, say))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  say(`All checks passed, in ${seconds} s.`)
})

const exit = await Effect.runPromiseExit(Effect.scoped(program))
if (exit._tag === "Failure") {
  process.stderr.write(`The demo failed: ${exit.cause}\n`)
  process.exitCode = 1
}
