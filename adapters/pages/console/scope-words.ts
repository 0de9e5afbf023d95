/** What a key with each scope may do, in words for whoever gives it one. */
import { Scope } from "../../../core/operation/caller.ts"
import type { Offer } from "./parts/input.tsx"

const words: Readonly<Record<Scope, string>> = {
  "balances:read": "See wallets, balances, positions and token approvals",
  "recipients:read": "See recipients",
  "recipients:write": "Add, approve and revoke recipients",
  "account:read": "See the account, its limits, proposals and audit log; quote trades",
  "payment_requests:read": "See payment requests, deposits, webhooks and their deliveries",
  "payment_requests:write":
    "Ask customers for money, resolve deposits, change webhooks and send them again",
  "cosigners:read": "See co-signers, their rules and what waits for them",
  "cosigners:write": "Invite and remove co-signers, change rules, vote",
  "proposals:write": "Propose, confirm and cancel sends, refunds, trades and wallets",
  "keys:manage": "Create and revoke API keys"
}

export const scopeOffer: Offer = {
  choices: Scope.literals.map((scope) => ({ value: scope, text: words[scope], code: scope }))
}
