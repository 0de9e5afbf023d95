/**
 * Who holds private keys: a seed in this process, or a key management service far away. A holder tells
 * addresses and signs digests; no key ever passes through here.
 */
import type { Effect } from "effect"
import type { Address } from "./contract.ts"

type Hex = `0x${string}`

/** Keys by index. A holder that cannot be reached is a defect, and what was to be signed is tried again. */
export interface Holder {
  /** Checksummed. */
  readonly addressOf: (index: number) => Effect.Effect<Address>
  /** 65 bytes: r, s in the lower half of the curve's order, and 27 or 28. Over 32 bytes as they are. */
  readonly sign: (index: number, digest: Hex) => Effect.Effect<Hex>
}

/** One key of a holder. */
export interface Key {
  readonly address: Effect.Effect<Address>
  readonly sign: (digest: Hex) => Effect.Effect<Hex>
}

export interface Holders {
  /** Keys of wallets, by derivation index. */
  readonly wallets: Holder
  /** The relayer's, which holds gas and never USDC. */
  readonly relayer: Key
}

export const keyAt = (holder: Holder, index: number): Key => ({
  address: holder.addressOf(index),
  sign: (digest) => holder.sign(index, digest)
})

/** Indexes from here on would be hardened: keys of another kind. */
const maxIndexes = 2 ** 31

/** Throws unless there can be a key at the index. */
export const checkedIndex = (index: number): number => {
  if (!Number.isInteger(index) || index < 0 || index >= maxIndexes) {
    throw new Error(`There is no derivation index ${index}.`)
  }
  return index
}
