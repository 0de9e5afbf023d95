/**
 * Opens another wallet of the account. An agent's is made at once while nobody co-signs for it; any other is
 * made once it is confirmed (spec section 4, Proposals, rule 4).
 */
import { Effect, Schema } from "effect"
import { Caller } from "../caller.ts"
import * as Chain from "../chains/chain.ts"
import * as Operation from "../operation.ts"
import { connectedChain } from "../payments/provision.ts"
import { Cosigners } from "../ports/cosigners.ts"
import * as Kind from "../proposals/kind.ts"
import { move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { propose } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import { UnsupportedChain } from "../refusal.ts"
import * as Text from "../text.ts"
import { createWallet } from "./create.ts"

const terms = {
  chainId: Schema.String,
  walletName: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.String)
}
type Terms = Schema.Struct<typeof terms>["Type"]

const open = Effect.fnUntraced(function* (proposal: Proposal, wanted: Terms) {
  yield* createWallet(
    {
      accountId: proposal.accountId,
      name: wanted.walletName,
      chainId: wanted.chainId,
      isDefault: false,
      metadata: wanted.metadata,
      kind: "standard",
      customer: null
    },
    proposal.proposedBy
  )
  return { status: "completed" as const }
})

export const createAccountKind = Kind.define("create_account", {
  movesMoney: false,
  terms,
  summary: ({ chainId }) => `Open a wallet on ${chainId}`,
  judge: (_, { chainId }) => Effect.asVoid(connectedChain(chainId)),
  perform: open
})

export const proposeCreateAccount = Operation.make("propose_create_account", {
  summary:
    "Proposes another wallet of the account; with an agent's key and no co-signers it is opened at once.",
  next: "confirm_proposal opens it; list_wallets then shows it.",
  scope: "proposals:write",
  nature: "write",
  input: {
    chainId: Chain.ChainId,
    walletName: Text.Name,
    metadata: Schema.optionalKey(Text.Tags)
  },
  output: View.fields,
  refusals: [UnsupportedChain],
  example: { input: { chainId: "local", walletName: "Payroll" } },
  run: Effect.fnUntraced(function* (input) {
    const { accountId, kind, keyId } = yield* Caller
    const { chain } = yield* connectedChain(input.chainId)
    const wanted = {
      chainId: chain.id,
      walletName: input.walletName,
      metadata: input.metadata ?? {}
    }
    const proposal = yield* propose(createAccountKind, wanted)
    const { rows: cosigners } = yield* (yield* Cosigners).members(accountId, { limit: 1 })
    if (kind !== "agent" || cosigners.length > 0) return yield* View.view(proposal)
    const done = yield* open(proposal, wanted)
    return yield* View.view(
      yield* move(proposal, { ...done, confirmedAt: proposal.createdAt }, keyId)
    )
  })
})
