/** Charges what a transaction may cost to its account and to the installation, under the operator's caps. */
import { DateTime, Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { outlayLimitReached } from "../operation/metrics.ts"
import { Atomically } from "../ports/atomically.ts"
import { windowsAt } from "./limits.ts"
import { type Charged, evaluate, exceeded, type OutlayLimits } from "./outlay.ts"
import { Outlay } from "./outlay-ledger.ts"
import { tierAt } from "./plan.ts"
import { PolicySettings } from "./policy-settings.ts"

const limitsOf = Effect.fnUntraced(function* (chainId: string, accountId: string | null) {
  const { outlay } = yield* PolicySettings
  const caps = outlay[chainId]
  if (caps === undefined) return { accountUnits: 0n, installationUnits: 0n } satisfies OutlayLimits
  const account = accountId === null ? undefined : yield* (yield* Accounts).find(accountId)
  const limits: OutlayLimits = {
    accountUnits: account === undefined ? null : caps[tierAt(account, yield* DateTime.now)],
    installationUnits: caps.installation
  }
  return limits
})

export interface Cost {
  readonly key: string
  readonly chainId: string
  readonly accountId: string | null
  /** The most it may cost, in the smallest unit of the chain's coin. */
  readonly units: bigint
}

/** Whether each was charged; what would pass a cap is not, and the operator is told. All are of one chain. */
export const layOut = Effect.fnUntraced(function* (costs: ReadonlyArray<Cost>) {
  const at = yield* DateTime.now
  const { day } = windowsAt(at)
  const limits = new Map<string | null, ReturnType<typeof limitsOf>>()
  const charges = costs.map((cost) => {
    const { accountId, chainId } = cost
    const known = limits.get(accountId) ?? limitsOf(chainId, accountId)
    limits.set(accountId, known)
    return [{ ...cost, day, at }, known] as const
  })
  const { run } = yield* Atomically
  const charged = yield* run((yield* Outlay).charge(charges))
  return yield* Effect.forEach(charged, (each, index) => verdictOf(costs[index] as Cost, each))
})

const verdictOf = Effect.fnUntraced(function* ({ accountId, chainId }: Cost, charged: Charged) {
  if (charged._tag === "charged") return true
  const whose = charged.scope === "account" ? `account ${accountId}` : "the installation"
  yield* Effect.logWarning(
    `Network fees on ${chainId} have reached today's limit of ${whose}; submissions wait.`
  )
  yield* outlayLimitReached(chainId, charged.scope)
  return false
})

/** What had to be paid whatever the caps say; it counts against what comes after. */
export const record = Effect.fnUntraced(function* (cost: Cost) {
  const at = yield* DateTime.now
  const unbounded = Effect.succeed({ accountUnits: null, installationUnits: null })
  const charge = { ...cost, day: windowsAt(at).day, at }
  yield* (yield* Atomically).run((yield* Outlay).charge([[charge, unbounded]]))
})

/** Refuses early what would only wait. */
export const requireRoom = Effect.fnUntraced(function* ({
  accountId,
  chainId,
  units
}: Omit<Cost, "key">) {
  const { day } = windowsAt(yield* DateTime.now)
  // What several calls ask at one moment is one question of the storage.
  const [used, limits] = yield* Effect.all(
    [(yield* Outlay).used(chainId, day, accountId), limitsOf(chainId, accountId)],
    { concurrency: "unbounded" }
  )
  const scope = evaluate(limits, used, units)
  if (scope === undefined) return
  yield* outlayLimitReached(chainId, scope)
  return yield* exceeded(chainId, scope, day)
})
