/**
 * A whole treasury over a real database, a real EVM chain with Circle's USDC and a Solana, whose blocks and slots come by
 * themselves, and an account with a wallet on each.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import * as Links from "../../apps/sandbox/bridges/links.ts"
import { seedAccounts } from "../../apps/sandbox/seed.ts"
import { treasury, workers } from "../../apps/server/wiring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Address from "../../core/chains/address.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import * as Settings from "../../core/treasury/settings.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import * as FreshEmbedded from "./fresh-embedded-database.ts"
import * as Solana from "./solana.ts"
import { unitsOf } from "./solana-swaps.ts"
import { connectionTo } from "./solana-world.ts"
import { open } from "./two-anvils.ts"

const unhurried = 1_000_000
const blockMs = 40
const slotMs = 40

const keyring = {
  keyEncryptionKey: Redacted.make(new Uint8Array(32).fill(1)),
  pepper: Redacted.make(new Uint8Array(32).fill(2))
}

export const startingMicro = 1_000_000_000n

const going = (act: Effect.Effect<unknown>, everyMs: number) =>
  act.pipe(
    Effect.andThen(Effect.sleep(`${everyMs} millis`)),
    Effect.forever,
    Effect.ignoreCause,
    Effect.forkScoped
  )

/** The issuer's contracts and programs, linked, with their attesters. */
const linked = Effect.gen(function* () {
  const context = yield* Effect.orDie(Layer.build(Solana.layer))
  const solana = Context.get(context, Solana.SolanaChain)
  const one = yield* Effect.orDie(open("local"))
  const { attesters, bridging, table } = yield* Links.open([one], solana)
  const connection = connectionTo(solana, { cctpTable: table ?? "" })
  return { context, solana, one, bridging, faults: attesters.faults, connection }
})

export const openBridgingToSolana = Effect.gen(function* () {
  const chains = yield* linked
  const { bridging, connection, context, one, solana } = chains
  const parts = treasury({
    database: FreshEmbedded.engine,
    chains: [one.connection],
    solana: [connection],
    bridging,
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
    chainId: "local-solana",
    walletName: "Solana"
  })
  yield* call("confirm_proposal", { proposalId })
  const { wallets } = yield* call("list_wallets", { kind: "standard" })
  const walletOn = (chainId: string) => {
    const wallet = wallets.find((each) => each.chainId === chainId)
    if (wallet === undefined) throw new Error(`There is no wallet on ${chainId}.`)
    return wallet
  }
  const [onEvm, onSolana] = [walletOn("local"), walletOn("local-solana")]
  yield* one.mint(onEvm.address, startingMicro)
  const evmRelayer = yield* within(EvmRelay.use((relay) => relay.relayerAddress("local")))
  yield* one.anvil.call("anvil_setBalance", evmRelayer, "0x56bc75e2d63100000")
  const relayer = yield* within(SolanaRelay.use((relay) => relay.relayerAddress("local-solana")))
  yield* solana.giveGas(relayer)
  yield* going(one.mine(1), blockMs)
  yield* going(solana.advance(1), slotMs)
  yield* Layer.build(workers.pipe(Layer.provide(Layer.succeedContext(ports))))
  const arrived = Effect.provide(
    unitsOf(onSolana.address, solana.usdc),
    context
  ) as Effect.Effect<bigint>
  return { ...chains, call, within, onEvm, onSolana, arrived, relayer }
})

export type BridgingToSolana = Effect.Success<typeof openBridgingToSolana>

/** Proposes and confirms a bridge of so much, to Solana or back. */
export const startBridge = Effect.fnUntraced(function* (
  { call, onEvm, onSolana, one, solana }: BridgingToSolana,
  amountUsd: string,
  isBack = false
) {
  const evm = { id: onEvm.id, usdc: one.usdc }
  const there = { id: onSolana.id, usdc: solana.usdc }
  const [from, to] = isBack ? [there, evm] : [evm, there]
  const proposed = yield* call("propose_bridge", {
    fromWalletId: from.id,
    toWalletId: to.id,
    sellTokenAddress: from.usdc,
    buyTokenAddress: to.usdc,
    sellSymbol: "USDC",
    buySymbol: "USDC",
    amountUsd
  })
  yield* call("confirm_proposal", { proposalId: proposed.proposalId })
  return proposed.proposalId
})
