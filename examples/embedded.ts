/**
 * The treasury inside your own program. Operations are functions that return Effects; what they need is
 * provided by layers, here all in memory; in production `bursar/postgres` and `bursar/evm` take their place.
 */
import {
  AgreedPrices,
  authenticate,
  Chain,
  callsOf,
  Identity,
  issueKey,
  openAccount,
  Readings,
  Scope,
  Settings,
  SigningPolicy,
  VenueHealth,
  work
} from "bursar"
import { Secrets } from "bursar/keys"
import {
  Allowances,
  Bridges,
  Chains,
  Holdings,
  Mail,
  layer as memory,
  Pictures,
  Prices,
  RateLimits,
  ScriptedChain,
  Signatures,
  Submitter,
  SwapVenue,
  TokenAccounts,
  TokenCatalogue,
  WalletKeys,
  WebhookSender,
  YieldMarkets,
  YieldPositions
} from "bursar/memory"
import { Effect, Layer, Redacted, Schedule } from "effect"

const chain = Chain.find("local") as Chain.Chain

const chains = ScriptedChain.makeState([
  { chain, usdc: `0x${"05".repeat(20)}`, confirmations: 3, pollMs: 10 }
])

const secret = () => Redacted.make(crypto.getRandomValues(new Uint8Array(32)))

const kept = Layer.merge(
  memory(),
  // Keep the identity key with the keys of wallets: it finds payments again when the records are lost.
  Identity.layer(secret()).pipe(
    Layer.provideMerge(Secrets.layer({ pepper: secret(), dataKey: secret() }))
  )
)

const treasury = Layer.mergeAll(
  kept,
  Chains.layer(chains),
  Allowances.layer(chains),
  TokenAccounts.layer(chains),
  // Whatever signs reads the records first, and signs nothing they do not warrant.
  Submitter.layer(chains).pipe(
    Layer.provideMerge(WalletKeys.layer),
    Layer.provide(SigningPolicy.layer.pipe(Layer.provide(SwapVenue.none))),
    Layer.provide(kept)
  ),
  Signatures.layer(chains),
  Holdings.layer(chains),
  Bridges.none,
  VenueHealth.layer,
  // A trade needs a venue, and prices that two sources agree on; here there are neither.
  SwapVenue.none,
  AgreedPrices.layer.pipe(
    Layer.provideMerge(Layer.merge(Prices.none, Prices.noSecond)),
    Layer.provide(Chains.layer(chains))
  ),
  TokenCatalogue.layer,
  YieldMarkets.none,
  YieldPositions.layer(chains),
  Readings.layer,
  WebhookSender.layer,
  Pictures.layer,
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
  const { text: apiKey } = yield* issueKey({
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
