/**
 * Furnishes a sandbox: a developer account and an agent account with a key, a wallet and a demo vault
 * each, both allowed to pay the payer back, who is the agent's funding wallet. Whatever an earlier run left that still works is kept.
 */
import { Effect } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { operator } from "../../core/audit/record.ts"
import { issueEnrolment, withdrawEnrolments } from "../../core/humans/issue-enrolment.ts"
import { defaultNamespace } from "../../core/payments/checkout.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { seedAccounts as furnishAccount } from "../../core/treasury/seed.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import type { SandboxFacts } from "./facts.ts"

/** The customer whose vault every sandbox account starts with. */
export const demoCustomer = { externalId: "demo_customer", namespace: defaultNamespace }

const shown = (account: "developer" | "agent") => (wallet: Wallet) => ({
  account,
  id: wallet.id,
  kind: wallet.kind,
  name: wallet.name,
  address: wallet.address,
  chainId: wallet.chainId
})

const stillWork = (facts: SandboxFacts) =>
  Effect.all([authenticate(facts.developerKey), authenticate(facts.agentKey)]).pipe(
    Effect.as(true),
    Effect.catch(() => Effect.succeed(false))
  )

/** A new one-time link for a human of the developer account; the one of an earlier run is void. */
export const invitation = Effect.fnUntraced(function* (developerKey: string) {
  const { accountId } = yield* authenticate(developerKey)
  const purpose = "operator"
  const issued = Effect.andThen(
    withdrawEnrolments(accountId, purpose, operator),
    issueEnrolment({ accountId, purpose, name: "Sandbox human" }, operator)
  )
  return yield* (yield* Atomically).run(issued)
})

/** The keys and wallets of the sandbox: those of the earlier run, or new ones. */
export const seedAccounts = Effect.fnUntraced(function* (
  earlier: SandboxFacts | undefined,
  payerAddress: string
) {
  if (earlier !== undefined && (yield* stillWork(earlier))) {
    const { developerKey, agentKey, wallets } = earlier
    return { developerKey, agentKey, wallets }
  }
  const common = {
    chainId: "local",
    customer: demoCustomer,
    payee: { label: "Payer", address: payerAddress }
  }
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const developer = yield* furnishAccount({
        ...common,
        kind: "developer",
        name: "Northwind Supply",
        tier: "startup"
      })
      const agent = yield* furnishAccount({
        ...common,
        kind: "agent",
        name: "Purchasing agent",
        tier: "personal",
        fundingWallet: { chainId: "local", address: payerAddress }
      })
      return {
        developerKey: developer.apiKey,
        agentKey: agent.apiKey,
        wallets: [
          ...[developer.wallet, developer.vault].map(shown("developer")),
          ...[agent.wallet, agent.vault].map(shown("agent"))
        ]
      }
    })
  )
})
