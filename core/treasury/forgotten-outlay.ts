/**
 * What payments that no record explains cost whoever carried them, as charges to the caps of fees: by these the day of
 * a promotion bounds what is laid out after it by what was laid out before.
 */
import { type DateTime, Effect } from "effect"
import { windowsAt } from "../policy/limits.ts"
import type { OutlayLimits } from "../policy/outlay.ts"
import { type Charge, Outlay } from "../policy/outlay-ledger.ts"
import type { MadePayment } from "../submissions/submitter.ts"
import type { Wallet } from "../wallets/wallet.ts"

/** Of one day, which is the one that still bounds anything: caps of days that are over bound nothing any more. */
export const forgottenOutlay = (
  { accountId, chainId }: Pick<Wallet, "accountId" | "chainId">,
  unexplained: ReadonlyArray<MadePayment>,
  now: DateTime.Utc
): ReadonlyArray<Charge> => {
  const { day } = windowsAt(now)
  return unexplained.flatMap(({ at, laidOut = 0n, txId }) => {
    if (laidOut === 0n || windowsAt(at).day !== day) return []
    return [{ key: `forgotten ${txId}`, chainId, day, accountId, units: laidOut, at: now }]
  })
}

const unbounded: Effect.Effect<OutlayLimits> = Effect.succeed({
  accountUnits: null,
  installationUnits: null
})

/** It was paid, whatever the caps say. In the transaction that runs, as the last; of one chain and day. */
export const chargeForgotten = (charges: ReadonlyArray<Charge>) =>
  Outlay.use(({ charge }) => charge(charges.map((each) => [each, unbounded] as const)))
