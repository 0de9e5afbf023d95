/**
 * Adds a recipient. A human's key proposes it, and its confirmation starts the cooldown of 24 hours; with
 * an agent's key its funding wallet signs for it, own wallets included, and it may be paid at once.
 */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Address, families } from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import { Approvals } from "../cosigners/cosigner-store.ts"
import * as Text from "../encoding/text.ts"
import * as Challenge from "../governance/challenge.ts"
import * as Prove from "../governance/prove.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidAddress, InvalidRequest, UnsupportedChain } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import * as Kind from "../proposals/kind.ts"
import { move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { propose } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import { connectedChain } from "../wallets/create.ts"
import { checkedAddress, isOwn, payeeAt } from "./find.ts"
import { checkMemo, Memo } from "./memo.ts"
import * as Recipient from "./recipient.ts"
import { Recipients } from "./recipient-store.ts"

const terms = {
  address: Address,
  chainId: Schema.String,
  label: Schema.String,
  own: Schema.Boolean,
  /** What each payment to it must carry on the chain. */
  requiredMemo: Schema.optionalKey(Schema.String),
  /** What whoever approves should know of the address. */
  note: Schema.optionalKey(Schema.String),
  /** The challenge the funding wallet signed for it; with one there is no cooldown. */
  challengeId: Schema.NullOr(Schema.String)
}
type Terms = Schema.Struct<typeof terms>["Type"]

const duplicate = (recipientId: string | undefined) =>
  new InvalidRequest({
    param: "address",
    message: "This address is already a recipient on that chain; see list_recipients.",
    ...(recipientId === undefined ? {} : { details: { recipientId } }),
    next: { operation: "list_recipients", args: {} }
  })

const unique = Effect.fnUntraced(function* (accountId: string, { chainId, address }: Terms) {
  const standing = yield* (yield* Recipients).standing(accountId, chainId, address)
  if (standing !== undefined) return yield* duplicate(standing.id)
})

/** A co-signer, of now or of later, may release it; the approval goes by the recipient's own id. */
const openToCosigners = Effect.fnUntraced(function* (
  proposal: Proposal,
  { id, createdAt, cooldownEndsAt }: Recipient.Recipient
) {
  yield* (yield* Approvals).open({
    id,
    accountId: proposal.accountId,
    proposalId: proposal.id,
    recipientId: id,
    status: "pending",
    required: 1,
    createdAt,
    expiresAt: cooldownEndsAt
  })
})

const insertRecipient = Effect.fnUntraced(function* (proposal: Proposal, wanted: Terms) {
  yield* unique(proposal.accountId, wanted)
  const now = yield* DateTime.now
  const isApproved = wanted.own || wanted.challengeId !== null
  const recipient: Recipient.Recipient = {
    id: yield* (yield* Ids).uuid,
    accountId: proposal.accountId,
    label: wanted.label,
    address: wanted.address,
    chainId: wanted.chainId,
    status: isApproved ? "approved" : "pending",
    cooldownEndsAt: isApproved ? now : DateTime.add(now, { hours: Recipient.cooldownHours }),
    isOwn: wanted.own,
    requiredMemo: wanted.requiredMemo ?? null,
    createdAt: now
  }
  // Another proposal of the same address was confirmed meanwhile.
  if (!(yield* (yield* Recipients).add(recipient))) return yield* duplicate(undefined)
  if (!isApproved) yield* openToCosigners(proposal, recipient)
  yield* record({
    accountId: proposal.accountId,
    actor: proposal.proposedBy,
    action: "recipient.added",
    subjectType: "recipient",
    subjectId: recipient.id,
    facts: { address: recipient.address, chainId: recipient.chainId, status: recipient.status }
  })
  return { status: "completed" as const }
})

export const addRecipientKind = Kind.define("add_recipient", {
  title: "Add a recipient",
  movesMoney: false,
  onChainMemo: ({ requiredMemo }) => requiredMemo ?? null,
  made: "list_recipients shows the recipient, and how long its cooldown lasts",
  refusals: [InvalidRequest],
  terms,
  summary: ({ address, chainId, note }) =>
    `Add ${address} on ${chainId} to the recipients${note === undefined ? "" : ` (${note})`}`,
  check: unique,
  perform: insertRecipient
})

/** Done at once: one the funding wallet has signed for, or a person's own wallet, which needs no cooldown. */
const addNow = Effect.fnUntraced(function* (wanted: Terms) {
  const { keyId } = yield* Caller
  const proposal = yield* propose(addRecipientKind, wanted)
  const done = yield* insertRecipient(proposal, wanted)
  return yield* View.view(
    yield* move(proposal, { ...done, confirmedAt: proposal.createdAt }, keyId)
  )
})

export const addRecipient = Operation.prepared("add_recipient", {
  summary:
    "Adds a recipient. With a person's key its cooldown of 24 hours starts once confirmed; with an agent's key the first call returns a challenge, for an own wallet too, and the second call with its signature approves the recipient at once.",
  next: "confirm_proposal starts the cooldown. With a challenge: sign its message with the funding wallet and call again with challengeId and walletSignature.",
  scope: "recipients:write",
  sideEffect: "write",
  sinceThen: View.sinceThen,
  authority: Prove.requireOwn,
  input: {
    address: Text.Line(64).annotate({
      description: "The address to pay, on the chain of `chainId`."
    }),
    chainId: Chain.ChainId,
    nickname: Schema.optionalKey(Text.Nickname),
    requiredMemo: Schema.optionalKey(
      Memo.annotate({
        description:
          "On Solana only: the text that each payment to it carries on the chain, such as an exchange's deposit memo. It cannot be changed later."
      })
    ),
    ...Challenge.input
  },
  output: Challenge.orChallenge(View.proposed),
  refusals: [UnsupportedChain, InvalidAddress, ...Prove.refusals],
  example: {
    input: {
      address: families.evm.exampleAddress,
      chainId: "local",
      nickname: "Supplier"
    }
  },
  prepare: Effect.fnUntraced(function* ({ address, chainId, nickname, requiredMemo, ...given }) {
    const memo = requiredMemo === undefined ? {} : { requiredMemo }
    const body = { address, chainId, nickname: nickname ?? null, ...memo }
    const proof = yield* Prove.prove("add_recipient", body, given)
    return { proof, note: yield* payeeAt(chainId, address) }
  }),
  handle: Effect.fnUntraced(function* (input, { note, proof }) {
    const { accountId, kind } = yield* Caller
    const { chain } = yield* connectedChain(input.chainId)
    const address = yield* checkedAddress(chain.id, input.address)
    const { requiredMemo } = input
    if (requiredMemo !== undefined) yield* checkMemo("requiredMemo", chain.id, requiredMemo)
    const own = yield* isOwn(accountId, chain.id, address)
    const label = input.nickname ?? address
    const wanted: Terms = {
      address,
      chainId: chain.id,
      label,
      own,
      challengeId: null,
      ...(requiredMemo === undefined ? {} : { requiredMemo }),
      ...(note === undefined ? {} : { note })
    }
    if (proof._tag === "signed") {
      yield* Prove.use(proof.challenge)
      return yield* addNow({ ...wanted, challengeId: proof.challenge.id })
    }
    if (kind !== "agent") {
      return own
        ? yield* addNow(wanted)
        : yield* View.view(yield* propose(addRecipientKind, wanted))
    }
    yield* unique(accountId, wanted)
    const known = note === undefined ? "" : ` (${note})`
    const memo = requiredMemo === undefined ? "" : `, each time with the memo "${requiredMemo}",`
    // Caps do not bound what goes to an own wallet, so whoever signs is told.
    const whose = own ? ", a wallet of its own, without caps," : ""
    const statement = `Allow account ${accountId} to pay ${address}${known}${whose} on ${chain.id}${memo} from now on.`
    const issued = yield* Prove.challenge("add_recipient", proof.payloadHash, statement)
    return { challenge: Challenge.show(issued) }
  })
})
