/**
 * Seeds a sandbox: a developer account and an agent account with a key, a wallet and a demo vault each, both
 * allowed to pay the payer back, who is the agent's funding wallet. What an earlier run left and still works
 * is kept. An agent works with a key that makes no keys.
 */
import { Effect } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { operator, record } from "../../core/audit/record.ts"
import * as Address from "../../core/chains/address.ts"
import { issueEnrolment, withdrawEnrolments } from "../../core/humans/issue-enrolment.ts"
import { issue } from "../../core/keys/create-key.ts"
import { Scope } from "../../core/operation/caller.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import {
  seedAccounts as furnishAccount,
  seedChain as furnishChain
} from "../../core/treasury/seed.ts"
import { defaultNamespace } from "../../core/wallets/customer.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import type { SandboxFacts } from "./facts.ts"

/** The customer whose vault every sandbox account starts with. */
export const demoCustomer = { externalId: "demo_customer", namespace: defaultNamespace }

const walletFactsOf = (account: "developer" | "agent") => (wallet: Wallet) => ({
  account,
  id: wallet.id,
  kind: wallet.kind,
  name: wallet.name,
  address: wallet.address,
  chainId: wallet.chainId
})

const stillWork = (...keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => authenticate(key)).pipe(
    Effect.as(true),
    Effect.catch(() => Effect.succeed(false))
  )

/** A key made from the agent's first one, of every scope but the one that makes keys. */
const workerOf = Effect.fnUntraced(function* (agentKey: string) {
  const { accountId, keyId, kind } = yield* Effect.orDie(authenticate(agentKey))
  const scopes = Scope.literals.filter((scope) => scope !== "keys:manage")
  const wanted = { accountId, kind, scopes, label: "Worker", expiresAt: null, madeBy: keyId }
  const { key, text } = yield* issue(wanted)
  yield* record({
    accountId,
    actor: keyId,
    action: "api_key.created",
    subjectType: "api_key",
    subjectId: key.id,
    facts: { lastFour: key.lastFour, scopes: key.scopes.join(" ") }
  })
  return text
})

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

/** A wallet and a demo vault on another chain for each account that has none there yet; all wallets, these last. */
export const seedChainToo = Effect.fnUntraced(function* (
  { agentKey, developerKey, wallets }: Pick<SandboxFacts, "agentKey" | "developerKey" | "wallets">,
  {
    chainId,
    payer,
    where
  }: {
    readonly chainId: string
    readonly payer: string
    /** What the chain is called in names. */
    readonly where: string
  }
) {
  const { run } = yield* Atomically
  const wanted = {
    chainId,
    walletName: `Main on ${where}`,
    customer: demoCustomer,
    payee: { label: `Payer on ${where}`, address: Address.shown(chainId, payer) }
  }
  const keys = { developer: developerKey, agent: agentKey } as const
  const seeded = yield* Effect.forEach(["developer", "agent"] as const, (account) =>
    Effect.gen(function* () {
      if (wallets.some((each) => each.account === account && each.chainId === chainId)) return []
      const { accountId } = yield* Effect.orDie(authenticate(keys[account]))
      const { vault, wallet } = yield* run(furnishChain(accountId, wanted))
      return [wallet, vault].map(walletFactsOf(account))
    })
  )
  return [...wallets, ...seeded.flat()]
})

/** The keys and wallets of the sandbox: those of the earlier run, or new ones. */
export const seedAccounts = Effect.fnUntraced(function* (
  earlier: SandboxFacts | undefined,
  payer: string
) {
  const { run } = yield* Atomically
  if (earlier !== undefined && (yield* stillWork(earlier.developerKey, earlier.agentKey))) {
    const { developerKey, agentKey, wallets } = earlier
    // Sandboxes of before had none.
    const earlierWorker: string | undefined = earlier.workerKey
    const isKept = earlierWorker !== undefined && (yield* stillWork(earlierWorker))
    const workerKey = isKept ? earlierWorker : yield* run(workerOf(agentKey))
    return { developerKey, agentKey, workerKey, wallets }
  }
  const payerAddress = Address.shown("local", payer)
  const common = {
    chainId: "local",
    customer: demoCustomer,
    payee: { label: "Payer", address: payerAddress }
  }
  return yield* run(
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
        workerKey: yield* workerOf(agent.apiKey),
        wallets: [
          ...[developer.wallet, developer.vault].map(walletFactsOf("developer")),
          ...[agent.wallet, agent.vault].map(walletFactsOf("agent"))
        ]
      }
    })
  )
})
