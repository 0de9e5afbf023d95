/**
 * Opens another wallet of the account. An agent's is made at once while nobody co-signs for it; any other is
 * made once it is confirmed (spec section 4, Proposals, rule 4).
 */
import { DateTime, Effect, Schema } from "effect"
import type { Account } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { requireInForce } from "../accounts/in-force.ts"
import * as Chain from "../chains/chain.ts"
import { Cosigners } from "../cosigners/cosigner-store.ts"
import * as Text from "../encoding/text.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { UnsupportedChain } from "../operation/refusal.ts"
import { tierAt } from "../policy/plan.ts"
import { PolicySettings } from "../policy/policy-settings.ts"
import * as Kind from "../proposals/kind.ts"
import { move } from "../proposals/move.ts"
import { PolicyLimitExceeded, type Proposal } from "../proposals/proposal.ts"
import { propose } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import { connectedChain, createWallet } from "./create.ts"
import { Wallets } from "./wallet-store.ts"

const terms = {
  chainId: Schema.String,
  walletName: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.String)
}
type Terms = Schema.Struct<typeof terms>["Type"]

/** Refuses one more wallet than an agent's plan has room for. */
const requireRoom = Effect.fnUntraced(function* (account: Account | undefined) {
  if (account?.kind !== "agent") return
  const { maxWallets } = (yield* PolicySettings).plans[tierAt(account, yield* DateTime.now)]
  const wallets = yield* (yield* Wallets).countOwn(account.id)
  if (wallets < maxWallets) return
  return yield* new PolicyLimitExceeded({
    message: `This account has ${wallets} wallets and its plan allows ${maxWallets}; use one of them, or renew with a larger plan.`,
    details: { wallets, maxWallets },
    next: { operation: "get_policy_limits", args: {} }
  })
})

/** Refuses early what would be refused when it is done. */
const check = Effect.fnUntraced(function* (accountId: string, { chainId }: Terms) {
  yield* connectedChain(chainId)
  yield* requireRoom(yield* (yield* Accounts).find(accountId))
})

const open = Effect.fnUntraced(function* (proposal: Proposal, wanted: Terms) {
  // Under the account's lock, so that two at once do not share the last place.
  yield* requireRoom(yield* (yield* Accounts).lock(proposal.accountId))
  yield* createWallet(
    {
      accountId: proposal.accountId,
      name: wanted.walletName,
      chainId: wanted.chainId,
      isDefault: false,
      metadata: wanted.metadata,
      kind: "standard",
      customer: null,
      idempotencyKey: proposal.call?.idempotencyKey
    },
    proposal.proposedBy
  )
  return { status: "completed" as const }
})

export const createAccountKind = Kind.define("create_account", {
  title: "Open a wallet",
  movesMoney: false,
  made: "list_wallets shows the wallet",
  refusals: [UnsupportedChain, PolicyLimitExceeded],
  terms,
  cosignedByOne: true,
  summary: ({ chainId, walletName }) => `Open a wallet named "${walletName}" on ${chainId}`,
  check,
  perform: open
})

export const proposeCreateAccount = Operation.make("propose_create_account", {
  summary:
    "Proposes another wallet of the account. With an agent's key it is opened at once, or with co-signers once it is confirmed and one of them approves.",
  next: "confirm_proposal opens it; list_wallets then shows it.",
  scope: "proposals:write",
  sideEffect: "write",
  leadsToMoney: true,
  sinceThen: View.sinceThen,
  authority: requireInForce,
  input: {
    chainId: Chain.ChainId,
    walletName: Text.Name,
    metadata: Schema.optionalKey(Text.Tags)
  },
  output: View.proposed,
  refusals: [UnsupportedChain, PolicyLimitExceeded],
  example: { input: { chainId: "local", walletName: "Payroll" } },
  handle: Effect.fnUntraced(function* (input) {
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
