/** Whose a database is, the sandbox's or the service's, which never changes. */
import { Data, Effect, Layer } from "effect"
import * as KeyMaterial from "../../adapters/postgres/key-material.ts"

export class WrongMode extends Data.TaggedError("WrongMode")<{ readonly message: string }> {}

/** A database belongs to the sandbox or to real money from its first start on, and never changes sides. */
export const modeKept = (livemode: boolean) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { sealed } = yield* KeyMaterial.keep("mode", livemode ? "live" : "sandbox")
      if (sealed === (livemode ? "live" : "sandbox")) return
      return yield* new WrongMode({
        message: livemode
          ? "This database belongs to the sandbox: its keys are public and its money is not real. Use another database to serve."
          : "This database belongs to the service and has real keys; use another data directory for the sandbox."
      })
    })
  )
