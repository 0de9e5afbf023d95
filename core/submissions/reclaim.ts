/**
 * Taking back the rent of a wallet's marks: what is asked of its key beside orders. Only marks of payments that the
 * records call final are ever taken back, because a mark is what keeps a payment from being made again.
 */
import type { AddressKey } from "../chains/address.ts"
import { isSame } from "../chains/address.ts"
import { isSameKey, type KeyRef } from "../chains/key.ts"
import type { Status } from "./submission.ts"

/** The marks of one wallet whose rent goes back to the relayer that lent it. */
export interface Reclaim {
  readonly accountId: string
  readonly walletId: string
  readonly chainId: string
  readonly key: KeyRef
  readonly from: AddressKey
  /** What the payments are known by on the chain. */
  readonly identities: ReadonlyArray<string>
}

/** What the records say of it, all read anew. */
export interface ReclaimStanding {
  readonly wallet:
    | { readonly chainId: string; readonly address: string; readonly key: KeyRef }
    | undefined
  readonly payments: ReadonlyArray<{ readonly identity: string; readonly status: Status }>
}

/** Why a key must not sign for it, if it must not. */
export const violation = (
  { chainId, from, identities, key }: Reclaim,
  { payments, wallet }: ReclaimStanding
): string | undefined => {
  if (wallet === undefined) return "the account has no such wallet"
  if (!isSameKey(wallet.key, key)) return "the wallet has another key"
  if (wallet.chainId !== chainId) return "the wallet is on another chain"
  if (!isSame(chainId, wallet.address, from)) return "the wallet has another address"
  if (identities.length === 0) return "it names no payment"
  const final = new Set(
    payments.flatMap(({ identity, status }) => (status === "final" ? [identity] : []))
  )
  return identities.every((identity) => final.has(identity))
    ? undefined
    : "the records do not say that all of its payments are final"
}

/** A defect: the records and what is to be signed disagree, which none of our own code brings about. */
export class ReclaimDenied extends Error {
  override readonly name = "ReclaimDenied"
  constructor(walletId: string, why: string) {
    super(`The marks of wallet ${walletId} must not be taken back: ${why}.`)
  }
}
