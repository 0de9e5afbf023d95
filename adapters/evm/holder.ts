/**
 * Who holds private keys: a seed in this process, or a key management service far away. A holder tells
 * addresses and signs digests; no key ever passes through here.
 */
import { Effect } from "effect"
import type { KeyRef } from "../../core/chains/key.ts"
import type { Address } from "./contract.ts"

type Hex = `0x${string}`

/** Keys by what it calls them. A holder that cannot be reached is a defect, and what was to be signed is tried again. */
export interface Holder {
  /** Its name in records. */
  readonly backend: string
  /** What it calls the key of the wallet that is opened as this number. */
  readonly refAt: (number: number) => string
  /** Checksummed. */
  readonly addressOf: (ref: string) => Effect.Effect<Address>
  /** 65 bytes: r, s in the lower half of the curve's order, and 27 or 28. Over 32 bytes as they are. */
  readonly sign: (ref: string, digest: Hex) => Effect.Effect<Hex>
}

/** One key of a holder. */
export interface Key {
  readonly address: Effect.Effect<Address>
  readonly sign: (digest: Hex) => Effect.Effect<Hex>
}

export interface Holders {
  /** Keys of wallets. */
  readonly wallets: Holder
  /** The relayer's, which holds gas and never USDC. */
  readonly relayer: Key
}

/** Dies for a key that another backend holds. */
export const keyOf = (holder: Holder, { backend, ref }: KeyRef): Key => {
  const own = <A>(use: () => Effect.Effect<A>) =>
    backend === holder.backend
      ? Effect.suspend(use)
      : Effect.die(new Error(`There is no key backend ${backend} here.`))
  return {
    address: own(() => holder.addressOf(ref)),
    sign: (digest) => own(() => holder.sign(ref, digest))
  }
}

/** Indexes from here on would be hardened: keys of another kind. */
const maxIndexes = 2 ** 31

/** Throws unless there can be a key at the index. */
export const checkedIndex = (index: number): number => {
  if (!Number.isInteger(index) || index < 0 || index >= maxIndexes) {
    throw new Error(`There is no key number ${index}.`)
  }
  return index
}
