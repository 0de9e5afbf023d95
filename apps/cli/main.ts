/** `bursar` in the terminal. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { execute } from "./bursar.ts"
import { Shell } from "./shell.ts"

// Whoever reads the output may stop before its end: `bursar list-wallets | head -1`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit(0)
})

const shell = {
  environment: process.env,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  rewriteLine: process.stderr.isTTY
    ? (text: string) => {
        const width = Math.max(1, (process.stderr.columns ?? 80) - 1)
        process.stderr.write(`\r\u001b[K${[...text].slice(0, width).join("")}`)
      }
    : undefined
}

/** Exiting at once could cut off what is still being written to a pipe. */
const endWith = (exitCode: number) =>
  Effect.sync(() => {
    process.exitCode = exitCode
  })

NodeRuntime.runMain(
  execute(process.argv.slice(2)).pipe(
    Effect.flatMap(endWith),
    Effect.provideService(Shell, shell),
    Effect.provide(NodeServices.layer)
  )
)
