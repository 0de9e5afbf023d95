/**
 * What the signing side reads from the database itself before a wallet's key signs. A key signs only what an
 * executing proposal of its account says, in the proposal's own terms and under its own hash.
 */

import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { isSame } from "../chains/address.ts"
import { isSameKey } from "../chains/key.ts"
import { canonical } from "../encoding/canonical.ts"
import { Refunds } from "../payments/refund-ledger.ts"
import { type Held, Spending } from "../policy/spending-ledger.ts"
import { Secrets } from "../ports/secrets.ts"
import { isUnsigned, type Kind, type Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { intentOf } from "../proposals/propose.ts"
import { isApproved, type Recipient } from "../recipients/recipient.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { SigningDenied } from "../submissions/signing-denied.ts"
import type { Order } from "../submissions/submitter.ts"
import * as Spender from "../trade/spender.ts"
import { tokenApprove } from "../trade/token-approve.ts"
import { refund } from "../transfers/refund.ts"
import { type Payment, send } from "../transfers/send.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"

/** What the records say of a send, all read anew. */
export interface Standing {
  /** The token that the signature would be for, as whoever signs names it. */
  readonly token: string
  readonly proposal: Proposal | undefined
  /** Recomputed from what is stored. */
  readonly intentHash: string | undefined
  readonly wallet: Wallet | undefined
  readonly recipient: Recipient | undefined
  /** The account whose wallet the money goes to, if it goes to a wallet of the treasury. */
  readonly owner: string | undefined
  readonly held: Held | undefined
  /** What it has claimed of the money it sends back; a refund alone claims anything. */
  readonly claimedMicro: bigint
  readonly now: DateTime.Utc
}

/** The first of these that does not hold. */
const broken = (checks: ReadonlyArray<readonly [holds: boolean, objection: string]>) =>
  checks.find(([holds]) => !holds)?.[1]

/** What holds of every signature, whatever it is for. */
const foundation = (order: Order, { proposal, intentHash, wallet }: Standing) =>
  broken([
    [proposal?.id === order.proposalId, "the account has no such proposal"],
    [proposal?.accountId === order.accountId, "the proposal is another account's"],
    [proposal?.status === "executing", "the proposal is not executing"],
    [proposal?.intentHash === intentHash, "the proposal's terms are not those that were hashed"],
    [proposal !== undefined && !isUnsigned(proposal), "no passkey has signed the proposal"],
    [wallet?.id === order.walletId, "the account has no such wallet"],
    [wallet !== undefined && isSameKey(wallet.key, order.key), "the wallet has another key"],
    [wallet?.chainId === order.chainId, "the wallet is on another chain"],
    [isSame(order.chainId, wallet?.address ?? "", order.from), "the wallet has another address"]
  ])

/** What a payment must not pass: its own terms, the allowlist, and what was reserved for it. */
const paying = (
  order: Order,
  { wallet, recipient, owner, held, now }: Standing,
  terms: Payment
) => {
  const isOwn = recipient?.isOwn === true && owner === order.accountId
  return broken([
    [order.act === "transfer", "a send signs nothing but a transfer"],
    [terms.fromWalletId === wallet?.id, "the terms name another wallet"],
    [
      isSame(order.chainId, terms.fromAddress, order.from),
      "the terms name another address to send from"
    ],
    [isSame(order.chainId, terms.toAddress, order.to), "the terms name another address to send to"],
    [terms.chainId === order.chainId, "the terms name another chain"],
    [terms.amountSmallestUnit === order.amountMicro, "the terms name another amount"],
    [recipient?.id === terms.recipientId, "the account has no such recipient"],
    [recipient !== undefined && isApproved(recipient, now), "the recipient is not approved"],
    [
      isSame(order.chainId, recipient?.address ?? "", order.to),
      "the recipient has another address"
    ],
    [recipient?.chainId === order.chainId, "the recipient is on another chain"],
    [
      isOwn || (held?.state === "reserved" && held.accountId === order.accountId),
      "nothing is reserved for it"
    ],
    [isOwn || held?.amountMicro === order.amountMicro, "another amount is reserved for it"]
  ])
}

const sending = (order: Order, standing: Standing) => {
  const read = Schema.decodeUnknownOption(Schema.toCodecJson(send.terms))(standing.proposal?.terms)
  return Option.isNone(read) ? "the terms are none of a send" : paying(order, standing, read.value)
}

/** A refund is a payment that has claimed what it sends back, to nobody's own wallet. */
const refunding = (order: Order, standing: Standing) => {
  const { claimedMicro, proposal, recipient } = standing
  const read = Schema.decodeUnknownOption(Schema.toCodecJson(refund.terms))(proposal?.terms)
  if (Option.isNone(read)) return "the terms are none of a refund"
  const claims = broken([
    [recipient?.isOwn === false, "the recipient is a wallet of the account"],
    [claimedMicro === order.amountMicro, "another amount is claimed for it"]
  ])
  return claims ?? paying(order, standing, read.value)
}

/** What an approval must not pass: its own terms, and the table of spenders as it is now. */
const allowing = (order: Order, { proposal, token, wallet }: Standing) => {
  const read = Schema.decodeUnknownOption(Schema.toCodecJson(tokenApprove.terms))(proposal?.terms)
  if (Option.isNone(read)) return "the terms are none of an approval"
  const terms = read.value
  const spender = Spender.find(terms.flow, order.chainId)
  return broken([
    [order.act === "permit", "an approval signs nothing but a permit"],
    [terms.fromWalletId === wallet?.id, "the terms name another wallet"],
    [isSame(order.chainId, terms.fromAddress, order.from), "the terms name another address"],
    [isSame(order.chainId, terms.tokenAddress, token), "the terms name another token"],
    [isSame(order.chainId, terms.spender, order.to), "the terms name another spender"],
    [
      isSame(order.chainId, spender?.address ?? "", order.to),
      "the flow has another spender on that chain"
    ],
    [terms.chainId === order.chainId, "the terms name another chain"],
    [terms.amountSmallestUnit === order.amountMicro, "the terms name another amount"]
  ])
}

/** By the kind of proposal that warrants a signature; a kind that is not here signs nothing. */
const rules: Readonly<Partial<Record<Kind, typeof sending>>> = {
  send: sending,
  refund: refunding,
  token_approve: allowing
}

/** Why an order must not be signed, if it must not. */
export const objection = (order: Order, standing: Standing): string | undefined => {
  const { proposal } = standing
  const rule = proposal === undefined ? undefined : rules[proposal.kind]
  return (
    foundation(order, standing) ??
    (rule === undefined ? "its kind signs nothing" : rule(order, standing))
  )
}

export class SigningPolicy extends Context.Service<
  SigningPolicy,
  {
    /**
     * Dies with `SigningDenied` unless the records warrant the order, signed for this token; whoever signs
     * asks this first.
     */
    readonly demand: (order: Order, token: string) => Effect.Effect<void>
  }
>()("bursar/treasury/SigningPolicy") {}

/** Over the records themselves, which the signing side reads for itself. */
export const layer = Layer.effect(
  SigningPolicy,
  Effect.gen(function* () {
    const proposals = yield* Proposals
    const recipients = yield* Recipients
    const refunds = yield* Refunds
    const secrets = yield* Secrets
    const spending = yield* Spending
    const wallets = yield* Wallets
    const read = Effect.fnUntraced(function* (order: Order, token: string) {
      const { accountId, chainId, proposalId, to, walletId } = order
      const proposal = yield* proposals.find(accountId, proposalId)
      const recipientId = proposal?.recipientId ?? null
      const shares = proposal?.kind === "refund" ? yield* refunds.ofProposal(proposalId) : []
      const claimed = shares.filter(({ state }) => state === "claimed")
      const standing: Standing = {
        token,
        proposal,
        intentHash:
          proposal === undefined ? undefined : secrets.sha256(canonical(intentOf(proposal))),
        wallet: yield* wallets.find(accountId, walletId),
        recipient:
          recipientId === null ? undefined : yield* recipients.find(accountId, recipientId),
        owner: yield* wallets.ownerOf(chainId, to),
        held: yield* spending.heldBy(proposalId),
        claimedMicro: claimed.reduce((micro, { amountMicro }) => micro + amountMicro, 0n),
        now: yield* DateTime.now
      }
      return standing
    })
    return {
      demand: Effect.fnUntraced(function* (order: Order, token: string) {
        const against = objection(order, yield* read(order, token))
        if (against !== undefined) {
          return yield* Effect.die(new SigningDenied(order.proposalId, against))
        }
      })
    }
  })
)
