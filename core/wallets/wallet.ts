/**
 * A wallet: one address on one chain, whose key a backend holds. A collection wallet is a
 * customer's vault, the `walletMappingId` payments are asked on; a standard wallet is the account's own.
 */

import { type DateTime, Schema } from "effect"
import { Address } from "../chains/address.ts"
import type { KeyRef } from "../chains/key.ts"
import * as Timestamp from "../time/timestamp.ts"

export interface Customer {
  readonly externalId: string
  readonly namespace: string
}

/** A wallet that sends, or a vault that collects what a customer pays. */
export const Kind = Schema.Literals(["standard", "collection"])
export type Kind = typeof Kind.Type

export interface Wallet {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly nickname: string | null
  readonly address: Address
  readonly chainId: string
  readonly isDefault: boolean
  readonly metadata: Readonly<Record<string, string>>
  readonly kind: Kind
  readonly customer: Customer | null
  readonly key: KeyRef
  /** Whether its key is found again when all records are lost. */
  readonly isRecoverable: boolean
  readonly createdAt: DateTime.Utc
}

/** What may change about a wallet; its key and its place never do. */
export const changing = ["nickname", "metadata"] as const satisfies ReadonlyArray<keyof Wallet>

export const fields = {
  id: Schema.String,
  name: Schema.String,
  nickname: Schema.NullOr(Schema.String),
  address: Address,
  chain: Schema.String,
  chainId: Schema.String,
  isDefault: Schema.Boolean,
  metadata: Schema.Record(Schema.String, Schema.String),
  kind: Kind,
  recoverable: Schema.Boolean.annotate({
    description: "Whether its address comes back when the database is lost (backups aside)."
  }),
  createdAt: Timestamp.Encoded
}

/** Field by field: a list makes one for each row, and a whole row copied costs several times as much. */
export const view = (wallet: Wallet) => ({
  id: wallet.id,
  name: wallet.name,
  nickname: wallet.nickname,
  address: wallet.address,
  chain: wallet.chainId,
  chainId: wallet.chainId,
  isDefault: wallet.isDefault,
  metadata: wallet.metadata,
  kind: wallet.kind,
  recoverable: wallet.isRecoverable,
  createdAt: wallet.createdAt
})
