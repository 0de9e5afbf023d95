/** Real chains of each family to send on: anvil with Circle's USDC, and the local Solana. */
import { generateKeyPairSigner } from "@solana/kit"
import { Context, Effect, Layer } from "effect"
import * as EvmSubmitter from "../../adapters/evm/submitter.ts"
import * as Seed from "../../adapters/keys/seed.ts"
import * as SolanaChains from "../../adapters/solana/chains.ts"
import type { Connection } from "../../adapters/solana/node.ts"
import { type RelayerKey, relayerKey } from "../../adapters/solana/relayer-key.ts"
import * as SolanaSubmitter from "../../adapters/solana/submitter.ts"
import { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import type { TransactionId } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Chains } from "../../core/ports/chains.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import * as Anvil from "./anvil.ts"
import { world as anvilWorld, seed, seedKeys, walletKeys } from "./anvil-sending-chain.ts"
import * as Value from "./chain-values.ts"
import * as Rows from "./rows.ts"
import { SendWorld } from "./send-world.ts"
import { held as heldOnEvm, PayingWorld } from "./sending-chain.ts"
import * as Solana from "./solana.ts"

export const evmGround = Layer.effect(
  SendWorld,
  Effect.gen(function* () {
    const world = yield* PayingWorld
    const chains = yield* Chains
    const { proxy } = yield* Anvil.AnvilChain
    const noSolana = yield* Layer.build(SolanaSubmitter.none)
    const forgetting = proxy.tamper(async (asked, pass) => {
      const answers = await pass(asked.filter(({ method }) => method !== "eth_sendRawTransaction"))
      return asked.map(
        ({ id, method }) =>
          answers.find((answer) => answer.id === id) ?? {
            id,
            result: method === "eth_sendRawTransaction" ? Rows.aTxHash() : null
          }
      )
    })
    return {
      chainId: world.chainId,
      someone: Effect.sync(Rows.anAddress),
      fund: world.fund,
      held: (owner: string) =>
        heldOnEvm(owner).pipe(
          Effect.provideService(PayingWorld, world),
          Effect.provideService(Chains, chains),
          Effect.map((amount) => amount ?? 0n),
          Effect.orDie
        ),
      next: world.mine(1),
      settle: world.mine(world.confirmations + 2),
      dropNewest: world.reorg(1, []),
      outage: world.outage,
      lose: (isLost: boolean) => (isLost ? forgetting : proxy.tamper()),
      loseNextReply: world.loseNextReply,
      mineAgain: (txId: TransactionId) => world.reorg(1, [txId]),
      outlast: world.timePasses(1300),
      holdFinality: world.holdFinality,
      rival: Context.add(noSolana, EvmRelay, world.rival)
    }
  })
)

export const evm = evmGround.pipe(
  Layer.provideMerge(anvilWorld),
  Layer.provideMerge(walletKeys(Seed.backend(seed)))
)

export const solanaRelayer = (index = 0): RelayerKey =>
  relayerKey(Seed.backend(seed), Seed.relayerRef(index, "ed25519"))

export const connectionTo = ({ rpcUrl, usdc }: LocalSolana["Service"]) => ({
  chain: Chain.find("local-solana") as Chain.Chain,
  usdc,
  rpcUrls: [rpcUrl] as const,
  confirmations: 32,
  pollMs: 50
})

/** Port SolanaRelay on the test's own chain. */
export const solanaRelay = (relayer = solanaRelayer(), connection?: Connection) =>
  Layer.unwrap(
    LocalSolana.useSync((chain) =>
      SolanaSubmitter.layer({ relayer, connections: [connection ?? connectionTo(chain)] })
    )
  )

export const slotsToSettle = 34

/** The blocks for which a hash is good, and one more. */
const hashLifeSlots = 151

/** No EVM chain is connected. */
const noEvm = EvmSubmitter.layer({ relayer: seedKeys().relayer, connections: [] })

const solanaGround = Layer.effect(
  SendWorld,
  Effect.gen(function* () {
    const chain = yield* LocalSolana
    const relay = yield* SolanaRelay
    const rival = yield* Layer.build(Layer.merge(solanaRelay(solanaRelayer(1)), noEvm))
    for (const { relayerAddress } of [relay, Context.get(rival, SolanaRelay)]) {
      yield* chain.giveGas(yield* relayerAddress("local-solana"))
    }
    return {
      chainId: "local-solana",
      someone: Effect.promise(async () => Value.address((await generateKeyPairSigner()).address)),
      fund: (to: string, amountMicro: bigint) =>
        Effect.andThen(chain.mint(to, amountMicro), chain.advance(1)),
      held: (owner: string) => Effect.provideService(Solana.held(owner), LocalSolana, chain),
      next: chain.advance(1),
      settle: chain.advance(slotsToSettle),
      dropNewest: Effect.asVoid(chain.fork(2, "all")),
      outage: (isAway: boolean) => chain.setFault(isAway ? () => "hang up" : undefined),
      lose: (isLost: boolean) => chain.setWeather(isLost ? "lost" : "clear"),
      loseNextReply: chain.setFault((method) => {
        if (method !== "sendTransaction") return undefined
        Effect.runSync(chain.setFault())
        return "lose the answer"
      }),
      mineAgain: () => Effect.andThen(chain.fork(2), chain.advance(1)),
      outlast: chain.advance(hashLifeSlots),
      holdFinality: chain.holdFinality,
      rival
    }
  })
)

const chains = Layer.unwrap(
  LocalSolana.useSync((chain) => SolanaChains.layer([connectionTo(chain)]))
)

export const solana = solanaGround.pipe(
  Layer.provideMerge(Layer.mergeAll(solanaRelay(), noEvm, chains)),
  Layer.provideMerge(walletKeys(Seed.backend(seed))),
  Layer.provideMerge(Solana.layer),
  Layer.orDie
)
