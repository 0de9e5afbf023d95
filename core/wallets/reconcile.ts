/**
 * Holds what wallets have paid on their chains against the records: payments that the records do not know, or say never
 * happened. It changes nothing; a call repeated with its idempotency key finds such a payment by itself.
 */
import { Effect, Schema } from "effect"
import type { Account } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import * as Address from "../chains/address.ts"
import type * as Page from "../operation/page.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { MadePayment } from "../submissions/submitter.ts"
import type { Wallet } from "./wallet.ts"
import { Wallets } from "./wallet-store.ts"

/** A wallet as the records know it, with what the chain is to know its payments by. */
export interface Recorded extends Pick<Wallet, "accountId" | "chainId" | "address" | "createdAt"> {
  readonly walletId: string
  readonly payments: ReadonlyArray<{ readonly identity: string; readonly status: string }>
}

/** A payment on the chain that the records do not explain. */
export const Unrecorded = Schema.Struct({
  chainId: Schema.String,
  accountId: Schema.String,
  walletId: Schema.String,
  txId: Schema.String,
  /** `unknown`: the records have no such payment. `failed`: they say that it never happened. */
  records: Schema.Literals(["unknown", "failed"]),
  /** Null when the payment was cancelled, which uses its identity up too. */
  toAddress: Schema.NullOr(Schema.String),
  tokenAddress: Schema.NullOr(Schema.String),
  amountSmallestUnit: Schema.NullOr(Schema.String)
})
export type Unrecorded = typeof Unrecorded.Type

const maxPage = 100

const pages = Effect.fnUntraced(function* <A, R>(
  read: (request: Page.Request) => Effect.Effect<Page.Page<A>, never, R>
) {
  const found: Array<A> = []
  let request: Page.Request | undefined = { limit: maxPage }
  while (request !== undefined) {
    const page: Page.Page<A> = yield* read(request)
    found.push(...page.rows)
    request = page.next === undefined ? undefined : { limit: maxPage, after: page.next }
  }
  return found
})

/** Every wallet of every account on a chain. */
export const recordedOn = Effect.fnUntraced(function* (chainId: string) {
  const accounts = yield* Accounts
  const wallets = yield* Wallets
  const submissions = yield* SubmissionStore
  const recorded: Array<Recorded> = []
  for (const { id } of yield* pages<Account, never>((request) => accounts.list(request))) {
    for (const wallet of yield* pages((request) => wallets.list(id, {}, request))) {
      if (wallet.chainId !== chainId) continue
      const { accountId, address, createdAt, id: walletId } = wallet
      const key = Address.keyOf(chainId, address)
      const payments = yield* submissions.identitiesOf(chainId, key)
      recorded.push({ accountId, chainId, address, createdAt, walletId, payments })
    }
  }
  return recorded
})

/**
 * What the records say of a payment that a chain knows by the beginning of its identity: they do not know it, or call it
 * failed. Undefined when they explain it.
 */
export const standingIn = (payments: Recorded["payments"]) => {
  const indexes = new Map<number, ReadonlyMap<string, boolean>>()
  const indexOf = (length: number) => {
    const known = indexes.get(length)
    if (known !== undefined) return known
    const index = new Map<string, boolean>()
    for (const { identity, status } of payments) {
      const beginning = identity.slice(0, length)
      index.set(beginning, status === "failed" && index.get(beginning) !== false)
    }
    indexes.set(length, index)
    return index
  }
  return (identity: string): Unrecorded["records"] | undefined => {
    const isFailed = indexOf(identity.length).get(identity)
    if (isFailed === undefined) return "unknown"
    return isFailed ? "failed" : undefined
  }
}

/** What of that the records do not explain. */
export const unrecordedAmong = (
  recorded: ReadonlyArray<Recorded>,
  made: ReadonlyArray<MadePayment>
): ReadonlyArray<Unrecorded> => {
  const wallets = new Map(
    recorded.map((wallet) => {
      const key = Address.keyOf(wallet.chainId, wallet.address)
      return [key, { wallet, standing: standingIn(wallet.payments) }] as const
    })
  )
  return made.flatMap((payment) => {
    const of = wallets.get(payment.from)
    const records = of?.standing(payment.identity)
    if (of === undefined || records === undefined) return []
    const { accountId, chainId, walletId } = of.wallet
    const { paid, txId } = payment
    const toAddress = paid === null ? null : Address.shown(chainId, paid.to)
    const token = paid?.amount.token.address ?? null
    const tokenAddress = token === null ? null : Address.shown(chainId, token)
    const amountSmallestUnit = paid === null ? null : paid.amount.units.toString()
    const what = { toAddress, tokenAddress, amountSmallestUnit }
    return [{ chainId, accountId, walletId, txId, records, ...what }]
  })
}
