/**
 * Watches which contract stands behind the USDC of each chain. Its issuer may put another one there at any time; the
 * operator is told of it by name, and what is signed afterwards is tried against the new one as always.
 */
import { Duration, Effect } from "effect"
import { supervise } from "../background/loop.ts"
import { usdcChanged } from "../operation/metrics.ts"
import { Chains } from "../ports/chains.ts"
import { UsdcCode } from "../ports/usdc-code.ts"

const every = Duration.minutes(10)

/** Looks once at every chain, and tells of each that is another than before; one that does not answer is left alone. */
export const lookOver = Effect.fnUntraced(function* (known: Map<string, string>) {
  const { connected } = yield* Chains
  const { implementation } = yield* UsdcCode
  for (const { chain } of connected) {
    const now = yield* Effect.orElseSucceed(implementation(chain.id), () => undefined)
    if (now === undefined) continue
    const before = known.get(chain.id)
    known.set(chain.id, now)
    if (before === undefined || before === now) continue
    yield* Effect.logError(
      `USDC_IMPLEMENTATION_CHANGED: The contract behind USDC on ${chain.id} was ${before} and is ${now}. Compare it with what the issuer has announced; pause the accounts that are not to pay until then.`
    )
    yield* usdcChanged(chain.id)
  }
})

export const watchUsdc = supervise(
  "Watching the contracts behind USDC",
  Effect.suspend(() => {
    const known = new Map<string, string>()
    return Effect.forever(Effect.andThen(lookOver(known), Effect.sleep(every)))
  })
)
