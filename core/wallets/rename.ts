/** Renames a wallet, proposed and then confirmed, and replaces its tags at once. */
import { Effect, Schema } from "effect"
import { requireInForce } from "../accounts/in-force.ts"
import { record } from "../audit/record.ts"
import * as Text from "../encoding/text.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import * as Kind from "../proposals/kind.ts"
import { propose } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import { AccountId, find } from "./find.ts"
import * as Wallet from "./wallet.ts"
import { Wallets } from "./wallet-store.ts"

/** Writes a wallet back with its audit entry. */
export const revise = Effect.fnUntraced(function* (
  wallet: Wallet.Wallet,
  action: string,
  actor: string
) {
  yield* (yield* Wallets).revise(wallet)
  yield* record({
    accountId: wallet.accountId,
    actor,
    action,
    subjectType: "wallet",
    subjectId: wallet.id
  })
})

const terms = { walletId: Schema.String, nickname: Schema.String }

export const renameAccountKind = Kind.define("rename_account", {
  title: "Rename a wallet",
  movesMoney: false,
  refusals: [NotFound],
  terms,
  summary: ({ nickname, walletId }) => `Rename wallet ${walletId} to "${nickname}"`,
  check: (accountId, { walletId }) => Effect.asVoid(find(accountId, walletId)),
  perform: Effect.fnUntraced(function* (proposal, { walletId, nickname }) {
    const wallet = yield* find(proposal.accountId, walletId)
    yield* revise({ ...wallet, nickname }, "wallet.renamed", proposal.proposedBy)
    return { status: "completed" as const }
  })
})

export const proposeRenameAccount = Operation.make("propose_rename_account", {
  summary: "Proposes a nickname for a wallet.",
  next: "confirm_proposal with the returned proposalId sets it.",
  scope: "proposals:write",
  sideEffect: "write",
  sinceThen: View.sinceThen,
  authority: requireInForce,
  input: { accountId: AccountId, nickname: Text.Name },
  output: View.proposed,
  refusals: [NotFound],
  example: {
    input: { accountId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e", nickname: "Payroll" }
  },
  handle: Effect.fnUntraced(function* ({ accountId, nickname }) {
    yield* Caller
    const proposal = yield* propose(renameAccountKind, { walletId: accountId, nickname })
    return yield* View.view(proposal)
  })
})

/** Replaces all tags of a wallet at once; nothing about money, so nothing to confirm (spec, Proposals 5). */
export const setWalletMetadata = Operation.make("set_wallet_metadata", {
  summary: "Replaces all tags of a wallet; an empty map removes them.",
  next: "list_wallets with metadataKey finds wallets by their tags.",
  scope: "proposals:write",
  sideEffect: "write",
  authority: byScope,
  input: { accountId: AccountId, metadata: Text.Tags },
  output: { acknowledged: Schema.Boolean, wallet: Schema.Struct(Wallet.fields) },
  refusals: [NotFound],
  example: {
    input: { accountId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e", metadata: { team: "ops" } }
  },
  handle: Effect.fnUntraced(function* (input) {
    const { accountId, keyId } = yield* Caller
    const wallet = { ...(yield* find(accountId, input.accountId)), metadata: input.metadata }
    yield* revise(wallet, "wallet.tagged", keyId)
    return { acknowledged: true, wallet: Wallet.view(wallet) }
  })
})
