/**
 * The treasury inside your own program. Operations are functions that return Effects; what they need is
 * bound by layers, here all in memory, with `bursar/postgres` and `bursar/evm` in their place in earnest.
 */
import { callsOf } from "bursar"
import { authenticate } from "bursar/core/accounts/authenticate"
import { openAccount } from "bursar/core/accounts/open"
import * as Chain from "bursar/core/chains/chain"
import { issue } from "bursar/core/keys/create-key"
import { Scope } from "bursar/core/operation/caller"
import * as Readings from "bursar/core/portfolio/readings"
import * as Identity from "bursar/core/submissions/identity"
import * as Settings from "bursar/core/treasury/settings"
import * as SigningPolicy from "bursar/core/treasury/signing-policy"
import { work } from "bursar/core/treasury/workers"
import * as Memory from "bursar/memory"
import * as Allowances from "bursar/memory/allowances"
import * as Chains from "bursar/memory/chains"
import * as Holdings from "bursar/memory/holdings"
import * as Mail from "bursar/memory/mail"
import * as Prices from "bursar/memory/prices"
import * as RateLimits from "bursar/memory/rate-limits"
import * as ScriptedChain from "bursar/memory/scripted-chain"
import * as Signatures from "bursar/memory/signatures"
import * as Submitter from "bursar/memory/submitter"
import * as WalletKeys from "bursar/memory/wallet-keys"
import * as WebhookSender from "bursar/memory/webhook-sender"
import * as Secrets from "bursar/secrets/secrets"
import { Effect, Layer, Redacted, Schedule } from "effect"

const chain = Chain.find("local") as Chain.Chain

const chains = ScriptedChain.makeState([
  { chain, usdc: `0x${"05".repeat(20)}`, confirmations: 3, pollMs: 10 }
])

const secret = () => Redacted.make(crypto.getRandomValues(new Uint8Array(32)))

const kept = Layer.merge(
  Memory.layer(),
  // Keep the identity key with the keys of wallets: it finds payments again when the records are lost.
  Identity.layer(secret()).pipe(
    Layer.provideMerge(Secrets.layer({ pepper: secret(), dataKey: secret() }))
  )
)

const treasury = Layer.mergeAll(
  kept,
  Chains.layer(chains),
  Allowances.layer(chains),
  // Whatever signs reads the records first, and signs nothing they do not warrant.
  Submitter.layer(chains).pipe(
    Layer.provideMerge(WalletKeys.layer),
    Layer.provide(SigningPolicy.layer),
    Layer.provide(kept)
  ),
  Signatures.layer(chains),
  Holdings.layer(chains),
  Prices.none,
  Readings.layer,
  WebhookSender.layer,
  Mail.none,
  RateLimits.layer(),
  Settings.layer({ ...Settings.defaults, siteUrl: "http://localhost:4000", livemode: false })
)

/** Asks again until the answer has the status. */
const becomes = <A extends { readonly status: string }, E, R>(
  status: string,
  ask: Effect.Effect<A, E, R>
) =>
  Effect.repeat(ask, { schedule: Schedule.spaced("20 millis"), until: (a) => a.status === status })

const program = Effect.gen(function* () {
  // Provisions, watches the chain, expires and delivers, for as long as the program runs.
  yield* Effect.forkScoped(work())

  const account = yield* openAccount({ name: "Corner Shop", kind: "developer", tier: "startup" })
  const { text: apiKey } = yield* issue({
    accountId: account.id,
    kind: "developer",
    scopes: Scope.literals,
    label: null,
    expiresAt: null
  })
  const call = callsOf(yield* authenticate(apiKey))

  const customer = { externalId: "user_42" }
  const { jobId } = yield* call.create_provisioning_job({ chainId: "local", customers: [customer] })
  yield* becomes("completed", call.get_provisioning_job({ jobId }))

  const session = yield* call.create_checkout_session({ customer, amountUsd: 49 })
  console.log(`${session.customer.externalId} owes ${session.amountUsd} USD: ${session.status}`)

  const payer = yield* Chains.ChainScript
  yield* payer.pay({ to: session.payToAddress, amountMicro: 49_000_000n })
  yield* payer.mine(3)
  const { status } = yield* becomes("paid", call.get_payment_request({ idOrPid: session.pid }))
  console.log(`${session.customer.externalId} has sent it: ${status}`)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(treasury)))
