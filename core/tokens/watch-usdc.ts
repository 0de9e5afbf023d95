/**
 * Watches which contract stands behind the USDC of each chain. Its issuer may put another one there at any time; the
 * operator is told of it by name, and no wallet signs on that chain until they acknowledge it (`usdc-stop.ts`).
 */
import { DateTime, Duration, Effect } from "effect"
import { supervise } from "../background/loop.ts"
import { usdcChanged } from "../operation/metrics.ts"
import { Atomically } from "../ports/atomically.ts"
import { Chains } from "../ports/chains.ts"
import { Tasks } from "../ports/tasks.ts"
import { UsdcCode } from "../ports/usdc-code.ts"
import { UsdcImplementations } from "./usdc-implementation-store.ts"
import { named, whyStopped } from "./usdc-stop.ts"

const every = Duration.minutes(10)

/** Writes down what was seen; whether it is new. Then people are told of it, in the same commit. */
const see = Effect.fnUntraced(function* (chainId: string, seen: string, at: DateTime.Utc) {
  const isNew = yield* (yield* UsdcImplementations).see(chainId, seen, at)
  const row = `${chainId} ${DateTime.formatIso(at)} ${seen}`
  if (isNew) yield* (yield* Tasks).offer({ kind: "tell_token_changed", row })
  return isNew
})

/** Looks once at every chain, and tells of each that is another than before; one that does not answer is left alone. */
export const lookOver = Effect.gen(function* () {
  const { connected } = yield* Chains
  const atomically = yield* Atomically
  const { implementation } = yield* UsdcCode
  for (const { chain } of connected) {
    const at = yield* DateTime.now
    const now = yield* Effect.orElseSucceed(implementation(chain.id), () => undefined)
    if (now === undefined || !(yield* atomically.run(see(chain.id, now, at)))) continue
    const stopped = yield* whyStopped(chain.id)
    if (stopped === undefined) {
      yield* Effect.logWarning(
        `USDC_IMPLEMENTATION_RESTORED: The contract behind USDC on ${chain.id} is the accepted ${named(now)} again. Wallets sign there again.`
      )
      continue
    }
    yield* Effect.logError(`USDC_IMPLEMENTATION_CHANGED: ${stopped}`)
    yield* usdcChanged(chain.id)
  }
})

export const watchUsdc = supervise(
  "Watching the contracts behind USDC",
  Effect.forever(Effect.andThen(lookOver, Effect.sleep(every)))
)
