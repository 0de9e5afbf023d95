/** The wallet a payment leaves from: the caller's own, on a connected chain, and never the payee itself. */
import { Effect } from "effect"
import { type AddressKey, keyOf } from "../chains/address.ts"
import type { TokenId } from "../chains/token-amount.ts"
import * as Usdc from "../money/usdc.ts"
import { Caller } from "../operation/caller.ts"
import { IdempotencyKeyReused, InvalidRequest, NotFound } from "../operation/refusal.ts"
import { memoFor } from "../recipients/memo.ts"
import type { Recipient } from "../recipients/recipient.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { type Held, Sales } from "../sales/sale-store.ts"
import { ofProposal } from "../submissions/identity.ts"
import { isPaidBy } from "../submissions/recover.ts"
import * as Submitter from "../submissions/submitter.ts"
import { Identity } from "../timeline/identity.ts"
import { requireConnected } from "../tokens/connected.ts"
import * as Balance from "../wallets/balance.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import type { Payment } from "./payment.ts"

export const find = Effect.fnUntraced(function* (walletId: string) {
  const { accountId } = yield* Caller
  const wallet = yield* (yield* Wallets).find(accountId, walletId)
  if (wallet === undefined) {
    return yield* new NotFound({
      param: "fromWalletId",
      message: "This account has no wallet with this id; see list_wallets.",
      next: { operation: "list_wallets", args: {} }
    })
  }
  return wallet
})

/** What was seen outside before a payment is proposed. */
export interface Seen {
  /** What is paid with. */
  readonly token: TokenId
  /** What the wallet holds, in smallest units; undefined while its chain does not answer. */
  readonly heldMicro: Usdc.Usdc | undefined
  /** A payment that the chain knows by the idempotency key of this call, though the records do not. */
  readonly found: Submitter.FoundPayment | undefined
}

/** Undefined while the chain does not answer: nothing is signed before it was asked again. */
const earlierPayment = Effect.fnUntraced(function* ({ address, chainId }: Wallet) {
  const { accountId, call } = yield* Caller
  if (call === undefined) return undefined
  const identity = (yield* Identity).derive(ofProposal({ id: "", accountId, call }))
  return yield* Submitter.findPayment({ chainId, from: keyOf(chainId, address), identity }).pipe(
    Effect.catchTag("ChainUnavailable", () => Effect.undefined)
  )
})

/** What the wallet holds and no open sale does; undefined while the chain does not answer. */
const freeOf = Effect.fnUntraced(function* (
  wallet: Wallet,
  usdc: AddressKey,
  open: ReadonlyArray<Held>
) {
  const heldMicro = yield* Balance.held(wallet)
  if (heldMicro === undefined) return undefined
  const sold = open.filter(({ token }) => token === usdc)
  const soldMicro = sold.reduce((sum, { units }) => sum + units, 0n)
  return Usdc.make(soldMicro > heldMicro ? 0n : heldMicro - soldMicro)
})

/** Asks the network. */
export const ready = Effect.fnUntraced(function* (walletId: string) {
  const [wallet, open] = yield* Effect.all([find(walletId), (yield* Sales).heldOf(walletId)], {
    concurrency: "unbounded"
  })
  const { usdc } = yield* requireConnected(wallet.chainId, "fromWalletId")
  const { heldMicro, found } = yield* Effect.all(
    {
      ready: Submitter.ready(wallet.chainId, wallet.accountId),
      heldMicro: freeOf(wallet, usdc, open),
      found: earlierPayment(wallet)
    },
    { concurrency: "unbounded" }
  )
  const token = { chainId: wallet.chainId, address: usdc }
  const seen: Seen & { readonly wallet: Wallet } = { heldMicro, found, token, wallet }
  return seen
})

/** The payee, if the caller's account has it. */
export const payee = Effect.fnUntraced(function* (recipientId: string) {
  const { accountId } = yield* Caller
  return yield* (yield* Recipients).find(accountId, recipientId)
})

/** Asks the network whether the payee can be paid so much; undefined when nothing is known against it. */
export const violation = Effect.fnUntraced(function* (
  { token, wallet }: Seen & { readonly wallet: Wallet },
  recipient: Recipient | undefined,
  units: bigint
) {
  const { address, chainId } = wallet
  if (recipient === undefined || recipient.chainId !== chainId) return undefined
  const [from, to] = [keyOf(chainId, address), keyOf(chainId, recipient.address)]
  return yield* Submitter.violation({ chainId, from, to, amount: { token, units } })
})

/** Refuses what the wallet cannot pay, and a key that has paid something else; what it has paid costs nothing again. */
export const affords = Effect.fnUntraced(function* (
  { found, heldMicro, token }: Seen,
  terms: Pick<Payment, "amountSmallestUnit" | "chainId" | "toAddress">
) {
  if (found === undefined) return yield* Balance.covers(heldMicro, terms)
  const { amountSmallestUnit, chainId, toAddress } = terms
  const amount = { token, units: amountSmallestUnit }
  if (isPaidBy(found, { to: keyOf(chainId, toAddress), amount })) return
  return yield* new IdempotencyKeyReused({
    param: "idempotencyKey",
    message: `This idempotency key was already used for another payment, in ${found.txId}; use a new key for a new payment.`,
    outcome: "executed",
    details: { chainId, txHash: found.txId }
  })
})

/**
 * The terms of a payment, and whom it pays, with the memo that it carries. Refuses a recipient on another chain, and
 * the wallet itself.
 */
export const pays = Effect.fnUntraced(function* <Terms>(
  wallet: Wallet,
  recipient: Recipient,
  terms: Terms,
  asked?: string
) {
  if (recipient.chainId !== wallet.chainId) {
    return yield* new InvalidRequest({
      param: "fromWalletId",
      message: `The recipient is on ${recipient.chainId} and the wallet on ${wallet.chainId}; use a wallet on ${recipient.chainId}.`
    })
  }
  if (recipient.address === wallet.address) {
    return yield* new InvalidRequest({
      param: "recipientId",
      message: "The recipient is the sending wallet; choose another recipient."
    })
  }
  const onChainMemo = yield* memoFor(recipient, asked)
  return {
    terms: {
      ...terms,
      ...(onChainMemo === undefined ? {} : { onChainMemo }),
      fromWalletId: wallet.id,
      fromAddress: wallet.address,
      recipientId: recipient.id,
      toAddress: recipient.address,
      chainId: wallet.chainId
    },
    recipientId: recipient.id
  }
})
