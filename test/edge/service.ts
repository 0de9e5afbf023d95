/** The sandbox as it is served, in a process of its own, with the guards its parent chooses. */
import "effect/schema/SchemaJITCompiler/enable"
import { Cause, Effect, Exit, Fiber } from "effect"
import type * as Guards from "../../adapters/http/guards/guards.ts"
import { openSandbox } from "../../apps/sandbox/sandbox.ts"

export interface Settings {
  readonly directory: string
  readonly port: number
  readonly chainPort: number
  readonly guards: Guards.Options
}

const settings = JSON.parse(process.env.EDGE_SETTINGS ?? "") as Settings

const program = Effect.gen(function* () {
  process.send?.(yield* openSandbox(settings))
  return yield* Effect.never
})

const running = Effect.runFork(Effect.scoped(program))

/** The chain beside it ends in good order. */
const stop = () => Effect.runFork(Fiber.interrupt(running))

process.on("SIGTERM", stop)
process.on("disconnect", stop)

running.addObserver((exit) => {
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) console.error(exit.cause)
  process.exit(0)
})
