/** Sending on a test's own anvil: relayers with gas, wallets that can be given USDC. */
import { Context, Effect, Layer } from "effect"
import type { Connection } from "../../adapters/evm/node.ts"
import { addressOf, type RelayerKey, relayerKey } from "../../adapters/evm/relayer-key.ts"
import * as Rpc from "../../adapters/evm/rpc.ts"
import * as EvmSubmitter from "../../adapters/evm/submitter.ts"
import * as Kms from "../../adapters/keys/kms.ts"
import * as Seed from "../../adapters/keys/seed.ts"
import * as EvmWalletKeys from "../../adapters/keys/wallet-keys.ts"
import * as Ids from "../../adapters/memory/ids.ts"
import { stores } from "../../adapters/memory/memory.ts"
import { MemoryStore } from "../../adapters/memory/store.ts"
import { addressOf as solanaAddress } from "../../adapters/solana/address.ts"
import * as NoSolana from "../../adapters/solana/submitter.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import type { KeyBackend } from "../../core/ports/key-backend.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Anvil from "./anvil.ts"
import * as Value from "./chain-values.ts"
import { registries } from "./registries.ts"
import { idOf, PayingWorld } from "./sending-chain.ts"
import { identified, trusting } from "./signing-policies.ts"

export const seed = new Uint8Array(64).fill(7)

/** Who holds the keys of a world: those of its wallets, and its relayer's. */
export interface Held {
  readonly backend: KeyBackend
  readonly relayer: RelayerKey
}

export const seedKeys = (relayerIndex = 0): Held => {
  const backend = Seed.backend(seed)
  return { backend, relayer: relayerKey(backend, Seed.relayerRef(relayerIndex)) }
}

export const kmsKeys = (client: Kms.Client, prefix: string): Held => {
  const backend = Kms.backend(client, { prefix })
  return { backend, relayer: relayerKey(backend, Kms.relayerRef({ prefix })) }
}

export const walletKeys = (backend: KeyBackend) =>
  EvmWalletKeys.layer({
    backends: [backend],
    addressOf: { evm: addressOf, solana: solanaAddress }
  }).pipe(Layer.provide(trusting))

/** Port EvmRelay over the test's own chain. */
export const payouts = (
  { backend, relayer }: Held = seedKeys(),
  over: Partial<Connection> = {}
): Layer.Layer<EvmRelay, never, Anvil.AnvilChain> =>
  Layer.unwrap(
    Effect.map(Anvil.AnvilChain, (chain) =>
      EvmSubmitter.layer({
        relayer,
        connections: [Anvil.connectionTo(chain, over)]
      })
    )
  ).pipe(Layer.provide(walletKeys(backend)))

const giveGas = Effect.fnUntraced(function* (sender: EvmRelay["Service"]) {
  const { call } = yield* Anvil.AnvilChain
  yield* call("anvil_setBalance", yield* sender.relayerAddress("local"), "0xde0b6b3a7640000")
})

const groundOf = (backend: KeyBackend, rivalKey: RelayerKey) =>
  Layer.effect(
    PayingWorld,
    Effect.gen(function* () {
      const chain = yield* Anvil.AnvilChain
      const rival = Context.get(
        yield* Layer.build(payouts({ backend, relayer: rivalKey })),
        EvmRelay
      )
      const keys = Context.get(yield* Layer.build(walletKeys(backend)), WalletKeys)
      const keyAt = (number: number) =>
        Effect.map(keys.open("local", idOf(number)), ({ key }) => key)
      yield* giveGas(rival)
      yield* giveGas(yield* EvmRelay)
      const anvil = { rpcUrl: chain.rpcUrl, rpc: Rpc.make(chain.rpcUrl), call: chain.call }
      return {
        chainId: "local",
        confirmations: Anvil.connectionTo(chain).confirmations,
        rival,
        keyAt,
        walletAt: (number: number) =>
          Effect.flatMap(keyAt(number), (key) =>
            Effect.map(keys.addressOf("local", key), Value.key)
          ),
        fund: (to: string, amountMicro: bigint) =>
          CircleUsdc.mint(anvil, chain.usdc, to, amountMicro),
        mine: chain.mine,
        reorg: chain.reorg,
        timePasses: chain.timePasses,
        outage: chain.outage,
        holdFinality: chain.holdFinality,
        loseNextReply: chain.proxy.tamper(async (asked, pass) => {
          const answers = await pass(asked)
          if (!asked.some(({ method }) => method === "eth_sendRawTransaction")) return answers
          await Effect.runPromise(chain.proxy.tamper())
          return "hang up"
        })
      }
    })
  )

/** A chain of its own, with a relayer and a rival to it, whose keys are held as said. */
export const worldOf = (held: Held, rivalKey: RelayerKey) =>
  groundOf(held.backend, rivalKey).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Anvil.chains, Anvil.allowances, payouts(held), NoSolana.none)
    ),
    Layer.provideMerge(Anvil.layer)
  )

export const world = Layer.suspend(() => worldOf(seedKeys(), seedKeys(1).relayer))

/** The same with stores in memory, where confirmed sends can be pushed forward. */
export const sendingOver = (held: Held, rival: Held) =>
  Layer.mergeAll(
    worldOf(held, rival.relayer),
    stores.pipe(Layer.provide(MemoryStore.layer)),
    Ids.layer(1),
    registries,
    identified,
    walletKeys(held.backend)
  )
