/**
 * A whole treasury over a real database and two real chains with Circle's USDC on both, whose blocks come by
 * themselves, and an account with a wallet on each.
 */
import { Effect, Layer, Redacted } from "effect"
import { seedAccounts } from "../../apps/sandbox/seed.ts"
import { treasury, workers } from "../../apps/server/wiring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Address from "../../core/chains/address.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import * as Settings from "../../core/treasury/settings.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import * as FreshEmbedded from "./fresh-embedded-database.ts"
import { twoAnvils } from "./two-anvils.ts"

const unhurried = 1_000_000
const blockMs = 40
const fillMs = 100

const keyring = {
  keyEncryptionKey: Redacted.make(new Uint8Array(32).fill(1)),
  pepper: Redacted.make(new Uint8Array(32).fill(2))
}

export const startingMicro = 1_000_000_000n

export const openRealBridging = Effect.gen(function* () {
  const chains = yield* Effect.orDie(twoAnvils)
  const { attestationUrl, limitOrdersUrl, one, other } = chains
  const parts = treasury({
    database: FreshEmbedded.engine,
    // A venue of swaps that is never asked, so that approvals for both flows are taken.
    chains: [{ ...one.connection, orderBookUrl: "http://127.0.0.1:9" }, other.connection],
    bridging: { attestations: { local: attestationUrl }, limitOrdersUrl },
    keyring,
    webhookSender: { mode: "local" },
    limits: {
      reads: unhurried,
      writes: unhurried,
      quotes: unhurried,
      confirms: unhurried,
      failures: unhurried,
      anonymous: unhurried
    },
    settings: { ...Settings.defaults, siteUrl: "http://localhost:4000", livemode: false }
  })
  const ports = yield* Effect.orDie(Layer.build(parts))
  const within = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.provide(work, ports as never) as Effect.Effect<A, E>
  const payer = Address.shown("local", one.stranger)
  const { agentKey } = yield* within(Effect.orDie(seedAccounts(undefined, payer)))
  const calls = callsOf(yield* within(Effect.orDie(authenticate(agentKey))))
  const call = <Name extends keyof typeof calls>(
    name: Name,
    input: Parameters<(typeof calls)[Name]>[0]
  ) =>
    within(
      (calls[name] as (given: unknown) => ReturnType<(typeof calls)[Name]>)(input) as Effect.Effect<
        Effect.Success<ReturnType<(typeof calls)[Name]>>,
        unknown
      >
    )
  const { proposalId } = yield* call("propose_create_account", {
    chainId: "local-2",
    walletName: "Second"
  })
  yield* call("confirm_proposal", { proposalId })
  const { wallets } = yield* call("list_wallets", { kind: "standard" })
  const walletOn = (chainId: string) => {
    const wallet = wallets.find((each) => each.chainId === chainId)
    if (wallet === undefined) throw new Error(`There is no wallet on ${chainId}.`)
    return wallet
  }
  const [from, to] = [walletOn("local"), walletOn("local-2")]
  yield* one.mint(from.address, startingMicro)
  for (const chain of [one, other]) {
    const relayer = yield* within(EvmRelay.use((relay) => relay.relayerAddress(chain.chainId)))
    yield* chain.anvil.call("anvil_setBalance", relayer, "0x56bc75e2d63100000")
    yield* chain
      .mine(1)
      .pipe(
        Effect.andThen(Effect.sleep(`${blockMs} millis`)),
        Effect.forever,
        Effect.ignoreCause,
        Effect.forkScoped
      )
  }
  yield* one.mint(one.issuer, startingMicro)
  yield* other.mint(other.issuer, startingMicro)
  yield* Effect.forkScoped(chains.orders.rounds(fillMs))
  yield* Layer.build(workers.pipe(Layer.provide(Layer.succeedContext(ports))))
  return { ...chains, call, within, from, to }
})

export type RealBridging = Effect.Success<typeof openRealBridging>

const patienceMs = 60_000

/** Asks again until there is an answer. */
export const until = Effect.fnUntraced(function* <A, E>(
  sentence: string,
  ask: Effect.Effect<A | undefined, E>
) {
  const endsAt = Date.now() + patienceMs
  let last: A | undefined
  while (Date.now() < endsAt) {
    last = yield* ask
    if (last !== undefined) return last
    yield* Effect.sleep("50 millis")
  }
  return yield* Effect.die(new Error(`In vain: ${sentence}`))
})

/** Proposes and confirms a bridge of so much. */
export const startBridge = Effect.fnUntraced(function* (
  { call, from, one, other, to }: RealBridging,
  amountUsd: string
) {
  const proposed = yield* call("propose_bridge", {
    fromWalletId: from.id,
    toWalletId: to.id,
    sellTokenAddress: one.usdc,
    buyTokenAddress: other.usdc,
    sellSymbol: "USDC",
    buySymbol: "USDC",
    amountUsd
  })
  yield* call("confirm_proposal", { proposalId: proposed.proposalId })
  return proposed.proposalId
})

export type Shown = Effect.Success<
  ReturnType<typeof callsOf>["get_proposal"] extends (...input: never) => infer R ? R : never
>

/** What a proposal is once it no longer executes. */
export const endOf = ({ call }: RealBridging, proposalId: string) =>
  until(
    "the proposal ends",
    Effect.map(call("get_proposal", { proposalId }), (proposal) =>
      proposal.status === "executing" ? undefined : proposal
    )
  )

/** Lets the contract of orders take so much from the sending wallet. */
export const allowOrders = Effect.fnUntraced(function* (
  service: RealBridging,
  amountSmallestUnit: string
) {
  const { call, from, one } = service
  const { proposalId } = yield* call("propose_token_approve", {
    fromWalletId: from.id,
    tokenAddress: one.usdc,
    flow: "limit_order_bridge",
    amountSmallestUnit
  })
  yield* call("confirm_proposal", { proposalId })
  const { outcome, statusReason } = yield* endOf(service, proposalId)
  if (outcome !== "executed") return yield* Effect.die(new Error(`${statusReason}`))
})
