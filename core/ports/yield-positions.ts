/**
 * Vaults that earn, read from their chain: what an address has in them, and what they pay. A vault is believed
 * about itself alone; whether it is believed at all is decided by who vouches for it, not here.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { Address, AddressKey } from "../chains/address.ts"
import type { Decimal } from "../money/decimal.ts"
import type { ChainUnavailable } from "./chains.ts"

/** `erc4626`: shares that are converted. `aave_v3`: a balance that grows by itself. */
export type VaultKind = "erc4626" | "aave_v3"

export interface VaultReference {
  readonly kind: VaultKind
  readonly address: AddressKey
  /** The token it must say it holds; of a vault that says another, nothing is reported. */
  readonly asset: AddressKey
}

export interface VaultPosition {
  /** As it was asked for. */
  readonly owner: Address
  readonly vault: AddressKey
  readonly asset: AddressKey
  /** Above zero. */
  readonly shares: bigint
  /** What the shares are worth, in the asset's smallest units, rounded down. */
  readonly assets: bigint
  /** What could be taken out now. */
  readonly withdrawable: bigint
}

/** A token that an address holds, and that may be the share of a vault. */
export interface HeldToken {
  readonly owner: Address
  readonly token: AddressKey
  readonly balance: bigint
}

export interface VaultState {
  /** Everything in the vault, in the asset's smallest units. */
  readonly totalAssets: bigint
  /** Percent a year by what it pays now, compounded; undefined where the chain does not tell. */
  readonly apyPct: Decimal | undefined
  readonly at: DateTime.Utc
}

export class YieldPositions extends Context.Service<
  YieldPositions,
  {
    /** What these addresses have in these vaults, in no order; who has nothing is left out. */
    readonly positions: (
      chainId: string,
      owners: ReadonlyArray<Address>,
      vaults: ReadonlyArray<VaultReference>
    ) => Effect.Effect<ReadonlyArray<VaultPosition>, ChainUnavailable>
    /** The vaults' own state, in the order asked; undefined where a vault does not answer as one. */
    readonly states: (
      chainId: string,
      vaults: ReadonlyArray<VaultReference>
    ) => Effect.Effect<ReadonlyArray<VaultState | undefined>, ChainUnavailable>
    /** Which of these tokens answer as vaults do; what they say of themselves is a stranger's word. */
    readonly unknown: (
      chainId: string,
      held: ReadonlyArray<HeldToken>
    ) => Effect.Effect<ReadonlyArray<VaultPosition>, ChainUnavailable>
  }
>()("bursar/ports/YieldPositions") {}
