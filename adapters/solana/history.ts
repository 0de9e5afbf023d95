/**
 * What a token account has received and given since a slot, from the list of its transactions. A list is never
 * trusted alone: nodes leave out, lag and disagree, so whoever asks holds the sum against the balance.
 */
import { DateTime, Effect, Option, Schema } from "effect"
import type { AddressKey, TransactionId } from "../../core/chains/address.ts"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { tokenProgram } from "./account.ts"
import * as Node from "./node.ts"
import { plainHashOf } from "./plain-hash.ts"
import type { RpcFailed } from "./rpc.ts"

/** What one transaction did to a token account. */
export interface Movement {
  readonly txHash: TransactionId
  readonly slot: number
  /** Where the account stands among those of its transaction. */
  readonly index: number
  /** Below zero for what it gave. */
  readonly deltaMicro: bigint
  readonly from: AddressKey
  readonly at: DateTime.Utc
  readonly references: ReadonlyArray<AddressKey>
  /** What x402 knows the transaction by, if it has the form of a payer's own (`plain-payment.ts`). */
  readonly signedAs: string | undefined
}

export interface History {
  readonly movements: ReadonlyArray<Movement>
  /** False when a transaction that is listed cannot be read yet, or there are too many. */
  readonly isWhole: boolean
}

export const Listed = Schema.Array(
  Schema.Struct({ signature: Schema.String, slot: Schema.Int, err: Schema.Unknown })
)

const TokenBalance = Schema.Struct({
  accountIndex: Schema.Int,
  mint: Schema.String,
  owner: Schema.optionalKey(Schema.String),
  programId: Schema.optionalKey(Schema.String),
  uiTokenAmount: Schema.Struct({ amount: Schema.String })
})
type TokenBalance = typeof TokenBalance.Type

const Keys = Schema.Array(Schema.String)

const Transaction = Schema.Struct({
  slot: Schema.Int,
  blockTime: Schema.NullOr(Schema.Int),
  meta: Schema.Struct({
    err: Schema.Unknown,
    preTokenBalances: Schema.Array(TokenBalance),
    postTokenBalances: Schema.Array(TokenBalance),
    loadedAddresses: Schema.optionalKey(Schema.Struct({ writable: Keys, readonly: Keys }))
  }),
  transaction: Schema.Struct({
    message: Schema.Struct({
      header: Schema.Struct({
        numRequiredSignatures: Schema.Int,
        numReadonlySignedAccounts: Schema.Int,
        numReadonlyUnsignedAccounts: Schema.Int
      }),
      accountKeys: Keys,
      recentBlockhash: Schema.String,
      instructions: Schema.Array(
        Schema.Struct({
          programIdIndex: Schema.Int,
          accounts: Schema.Array(Schema.Int),
          data: Schema.String
        })
      )
    })
  })
})
export type Transaction = typeof Transaction.Type

/** A payer names a few; a transaction of a stranger's may name hundreds. */
const maxReferences = 32

/** Addresses that the transaction only reads, and nobody signed for. */
const referencesIn = ({ meta, transaction }: Transaction, chainId: string) => {
  const { accountKeys, header } = transaction.message
  const named = header.numReadonlyUnsignedAccounts
  return [
    ...accountKeys.slice(accountKeys.length - named),
    ...(meta.loadedAddresses?.readonly ?? [])
  ]
    .slice(0, maxReferences)
    .map((key) => Address.keyOf(chainId, key))
}

const amountOf = (balance: TokenBalance | undefined): bigint =>
  /^\d{1,20}$/u.test(balance?.uiTokenAmount.amount ?? "")
    ? BigInt(balance?.uiTokenAmount.amount ?? "0")
    : 0n

/** The change of each account of the mint, by its place; under another program it is no money. */
const deltasIn = ({ meta }: Transaction, mint: string) => {
  const isMoney = (each: TokenBalance) =>
    each.mint === mint && (each.programId ?? tokenProgram) === tokenProgram
  const [before, after] = [
    meta.preTokenBalances.filter(isMoney),
    meta.postTokenBalances.filter(isMoney)
  ]
  const at = (balances: ReadonlyArray<TokenBalance>, index: number) =>
    balances.find(({ accountIndex }) => accountIndex === index)
  const indexes = new Set([...before, ...after].map(({ accountIndex }) => accountIndex))
  return Array.from(indexes, (index) => {
    const [was, is] = [at(before, index), at(after, index)]
    return { index, owner: is?.owner ?? was?.owner, deltaMicro: amountOf(is) - amountOf(was) }
  })
}

/** The place of a token account among those of a transaction, what it held of the mint before, and what changed. */
export const changeIn = (told: Transaction, mint: string, tokenAccount: string) => {
  const { accountKeys } = told.transaction.message
  const { readonly = [], writable = [] } = told.meta.loadedAddresses ?? {}
  const index = [...accountKeys, ...writable, ...readonly].indexOf(tokenAccount)
  const deltas = deltasIn(told, mint)
  const before = told.meta.preTokenBalances.find(
    (each) => each.accountIndex === index && each.mint === mint
  )
  return {
    index,
    before: amountOf(before),
    delta: deltas.find((each) => each.index === index)?.deltaMicro ?? 0n,
    others: deltas.filter((each) => each.index !== index),
    payer: accountKeys[0] ?? ""
  }
}

const movementIn = (
  told: Transaction,
  txHash: string,
  { chainId, mint, tokenAccount }: { chainId: string; mint: string; tokenAccount: string }
): Movement | undefined => {
  const { accountKeys } = told.transaction.message
  const { readonly = [], writable = [] } = told.meta.loadedAddresses ?? {}
  const index = [...accountKeys, ...writable, ...readonly].indexOf(tokenAccount)
  const deltas = deltasIn(told, mint)
  const own = deltas.find((each) => each.index === index)
  if (own === undefined || told.blockTime === null) return undefined
  const [payer] = deltas
    .filter(({ deltaMicro }) => deltaMicro < 0n)
    .sort((one, other) => (one.deltaMicro < other.deltaMicro ? -1 : 1))
  return {
    txHash: Address.transactionKeyOf(chainId, txHash),
    slot: told.slot,
    index,
    deltaMicro: own.deltaMicro,
    // New money has no payer but whoever had it made.
    from: Address.keyOf(chainId, payer?.owner ?? accountKeys[0] ?? ""),
    at: DateTime.makeUnsafe(told.blockTime * 1000),
    references: referencesIn(told, chainId),
    signedAs: plainHashOf(told.transaction.message)
  }
}

/** What was read of transactions, which never change in their slot. */
export type Kept = Map<string, Transaction>

const maxKept = 5_000

export const transaction = Effect.fnUntraced(function* (
  node: Node.Node,
  kept: Kept,
  signature: string,
  slot: number,
  commitment: Node.Commitment = "confirmed"
) {
  const key = `${signature} ${slot}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const answer = yield* node.call("getTransaction", [
    signature,
    { commitment, encoding: "json", maxSupportedTransactionVersion: 0 }
  ])
  const told = Option.getOrUndefined(Schema.decodeUnknownOption(Transaction)(answer))
  if (told === undefined || told.slot !== slot || told.meta.err !== null) return undefined
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, told)
  return told
})

const perPage = 1000
const maxPages = 20
const atOnce = 8

/** Newest first, down to a slot, which is left out. */
const listed = Effect.fnUntraced(function* (
  node: Node.Node,
  tokenAccount: string,
  { fromSlot, sinceSlot }: { readonly sinceSlot: number; readonly fromSlot: number }
) {
  const all: Array<(typeof Listed.Type)[number]> = []
  for (let page = 0; page < maxPages; page++) {
    const before = all.at(-1)?.signature
    const answer = yield* node.call("getSignaturesForAddress", [
      tokenAccount,
      {
        commitment: "confirmed",
        limit: perPage,
        minContextSlot: fromSlot,
        ...(before === undefined ? {} : { before })
      }
    ])
    const told = yield* Node.decoded(node, Listed, answer, "the transactions of an account")
    all.push(...told)
    const reached = told.some(({ slot }) => slot <= sinceSlot)
    if (told.length < perPage || reached) {
      return { entries: all.filter(({ slot }) => slot > sinceSlot), isWhole: true }
    }
  }
  return { entries: all, isWhole: false }
})

export const read = Effect.fnUntraced(function* (
  node: Node.Node,
  kept: Kept,
  tokenAccount: string,
  span: { readonly sinceSlot: number; readonly fromSlot: number }
): Effect.fn.Return<History, RpcFailed | ChainUnavailable> {
  const { connection } = node
  const { entries, isWhole } = yield* listed(node, tokenAccount, span)
  const worked = entries.filter(({ err }) => err === null)
  const of = { chainId: connection.chain.id, mint: String(connection.usdc), tokenAccount }
  const told = yield* Effect.forEach(
    worked,
    ({ signature, slot }) =>
      Effect.map(transaction(node, kept, signature, slot), (each) =>
        each === undefined ? undefined : { movement: movementIn(each, signature, of) }
      ),
    { concurrency: atOnce }
  )
  return {
    movements: told.flatMap((each) => each?.movement ?? []),
    isWhole: isWhole && told.every((each) => each !== undefined)
  }
})

/** The sum of what moved until the end of a slot. */
export const sumTo = (movements: ReadonlyArray<Movement>, slot: number): bigint =>
  movements
    .filter((movement) => movement.slot <= slot)
    .reduce((sum, { deltaMicro }) => sum + deltaMicro, 0n)

export const amountMicro = ({ deltaMicro }: Movement): Usdc.Usdc => Usdc.make(deltaMicro)
