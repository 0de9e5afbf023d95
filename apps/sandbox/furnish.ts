/**
 * Furnishes a sandbox: a developer account and an agent account with a key, a wallet and a demo vault
 * each. Whatever an earlier run left that still works is kept.
 */
import { Effect } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { issue } from "../../core/accounts/create-key.ts"
import { openAccount } from "../../core/accounts/open.ts"
import { system } from "../../core/audit/record.ts"
import { type KeyKind, Scope } from "../../core/caller.ts"
import { usualNamespace } from "../../core/payments/checkout.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { createWallet } from "../../core/wallets/create.ts"
import type { SandboxFacts } from "./facts.ts"

const chainId = "local"

/** The customer whose vault every sandbox account starts with. */
export const demoCustomer = { externalId: "demo_customer", namespace: usualNamespace }

const furnishAccount = Effect.fnUntraced(function* (kind: KeyKind, name: string) {
  const tier = kind === "developer" ? ("startup" as const) : ("personal" as const)
  const account = yield* openAccount({ name, kind, tier })
  const { text } = yield* issue({
    accountId: account.id,
    kind,
    scopes: Scope.literals,
    label: "Sandbox",
    expiresAt: null
  })
  const common = { accountId: account.id, chainId, metadata: {} }
  const main = yield* createWallet(
    { ...common, name: "Main", isDefault: true, kind: "standard", customer: null },
    system
  )
  const vault = yield* createWallet(
    {
      ...common,
      name: "Demo customer",
      isDefault: false,
      kind: "collection",
      customer: demoCustomer
    },
    system
  )
  const wallets = [main, vault].flatMap((wallet) =>
    wallet === undefined ? [] : [{ ...pick(wallet), account: kind }]
  )
  return { key: text, wallets }
})

const pick = (wallet: {
  readonly id: string
  readonly kind: "standard" | "collection"
  readonly name: string
  readonly address: string
  readonly chainId: string
}) => ({
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

/** The keys and wallets of the sandbox: those of the earlier run, or new ones. */
export const furnish = Effect.fnUntraced(function* (earlier: SandboxFacts | undefined) {
  if (earlier !== undefined && (yield* stillWork(earlier))) {
    const { developerKey, agentKey, wallets } = earlier
    return { developerKey, agentKey, wallets }
  }
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const developer = yield* furnishAccount("developer", "Northwind Supply")
      const agent = yield* furnishAccount("agent", "Purchasing agent")
      return {
        developerKey: developer.key,
        agentKey: agent.key,
        wallets: [...developer.wallets, ...agent.wallets]
      }
    })
  )
})
