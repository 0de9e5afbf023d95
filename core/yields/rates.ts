/** What yield vaults pay: by the provider where it knows the market, and by the vault's own chain where it does not. */
import { Effect } from "effect"
import type * as Decimal from "../money/decimal.ts"
import { YieldMarkets, type YieldRate } from "../ports/yield-markets.ts"
import type { VaultState } from "../ports/yield-positions.ts"
import type { YieldVault } from "./vault.ts"

/** What a provider said, or that it is away and has said nothing. */
export const rates = Effect.flatMap(YieldMarkets, ({ rates }) =>
  Effect.map(rates, (told) => ({ ...told, isAway: false }))
).pipe(Effect.catch(() => Effect.succeed({ rates: [], asOf: null, isStale: true, isAway: true })))

export type Rates = Effect.Success<typeof rates>

/** The provider's row of a vault: of the same protocol, chain and token, the one of most value. */
export const rateOf = (
  { asset, chainId, protocol }: YieldVault,
  all: ReadonlyArray<YieldRate>
): YieldRate | undefined =>
  all.find((rate) => rate.chainId === chainId && rate.asset === asset && rate.project === protocol)

export interface Yielded {
  readonly apyPct: Decimal.Decimal | undefined
  readonly apyBasePct: Decimal.Decimal | undefined
  readonly apyRewardPct: Decimal.Decimal | undefined
}

/** Base and reward are told apart by a provider alone; what the chain tells is base. */
export const yieldedBy = (rate: YieldRate | undefined, state: VaultState | undefined): Yielded =>
  rate?.apyPct === undefined
    ? { apyPct: state?.apyPct, apyBasePct: state?.apyPct, apyRewardPct: undefined }
    : rate
