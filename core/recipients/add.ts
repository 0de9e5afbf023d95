/**
 * Adds a recipient. A human's key proposes it, and its confirmation starts the cooldown of 24 hours; the
 * account's own wallets need none. An agent's key needs its funding wallet's signature.
 */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Caller } from "../caller.ts"
import * as Chain from "../chains/chain.ts"
import * as Operation from "../operation.ts"
import { connectedChain } from "../payments/provision.ts"
import { Ids } from "../ports/ids.ts"
import { Recipients } from "../ports/recipients.ts"
import * as Kind from "../proposals/kind.ts"
import { move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { propose } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import { define, InvalidRequest, UnsupportedChain } from "../refusal.ts"
import * as Text from "../text.ts"
import { checkedAddress, InvalidAddress, isOwn } from "./own.ts"
import * as Recipient from "./recipient.ts"

export class GovernanceSignatureRequired extends define("GOVERNANCE_SIGNATURE_REQUIRED", {
  kind: "forbidden",
  meaning: "With an agent key this change needs a challenge signed by the funding wallet."
}) {}

const terms = {
  address: Schema.String,
  chainId: Schema.String,
  label: Schema.String,
  own: Schema.Boolean
}
type Terms = Schema.Struct<typeof terms>["Type"]

const duplicate = (recipientId: string | undefined) =>
  new InvalidRequest({
    param: "address",
    message: "This address is a recipient on that chain already; use the one there is.",
    ...(recipientId === undefined ? {} : { details: { recipientId } }),
    next: { operation: "list_recipients", args: {} }
  })

const unique = Effect.fnUntraced(function* (accountId: string, { chainId, address }: Terms) {
  const standing = yield* (yield* Recipients).standing(accountId, chainId, address)
  if (standing !== undefined) return yield* duplicate(standing.id)
})

const stand = Effect.fnUntraced(function* (proposal: Proposal, wanted: Terms) {
  yield* unique(proposal.accountId, wanted)
  const now = yield* DateTime.now
  const recipient: Recipient.Recipient = {
    id: yield* (yield* Ids).uuid,
    accountId: proposal.accountId,
    label: wanted.label,
    address: wanted.address,
    chainId: wanted.chainId,
    status: wanted.own ? "approved" : "pending",
    cooldownEndsAt: wanted.own ? now : DateTime.add(now, { hours: Recipient.cooldownHours }),
    isOwn: wanted.own,
    createdAt: now
  }
  // Another proposal of the same address was confirmed meanwhile.
  if (!(yield* (yield* Recipients).add(recipient))) return yield* duplicate(undefined)
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
  movesMoney: false,
  terms,
  summary: ({ address, chainId }) => `Add ${address} on ${chainId} to the recipients`,
  judge: unique,
  perform: stand
})

export const addRecipient = Operation.make("add_recipient", {
  summary:
    "Proposes a new recipient. Once confirmed it waits out a cooldown of 24 hours before it may be paid.",
  next: "confirm_proposal starts the cooldown; list_recipients shows when it ends.",
  scope: "recipients:write",
  nature: "write",
  input: {
    address: Text.Line(64).annotate({ description: "Where to pay: `0x…`." }),
    chainId: Chain.ChainId,
    nickname: Schema.optionalKey(Text.Name)
  },
  output: View.fields,
  refusals: [UnsupportedChain, InvalidAddress, GovernanceSignatureRequired],
  example: {
    input: {
      address: "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
      chainId: "local",
      nickname: "Supplier"
    }
  },
  run: Effect.fnUntraced(function* (input) {
    const { accountId, kind, keyId } = yield* Caller
    const { chain } = yield* connectedChain(input.chainId)
    const address = yield* checkedAddress(chain.id, input.address)
    const own = yield* isOwn(accountId, chain.id, address)
    if (kind === "agent" && !own) {
      return yield* new GovernanceSignatureRequired({
        message:
          "This installation issues no challenges for agent keys yet; let a human's key add the recipient.",
        next: { operation: "list_recipients", args: {} }
      })
    }
    const wanted = { address, chainId: chain.id, label: input.nickname ?? address, own }
    const proposal = yield* propose(addRecipientKind, wanted)
    if (!own) return yield* View.view(proposal)
    const done = yield* stand(proposal, wanted)
    return yield* View.view(
      yield* move(proposal, { ...done, confirmedAt: proposal.createdAt }, keyId)
    )
  })
})
