/** Links and plans sold on the local Solana over stores in memory: a slot every twenty milliseconds, and workers. */
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as EvmSubmitter from "../../adapters/evm/submitter.ts"
import * as NodeServer from "../../adapters/http/node-server.ts"
import * as RecentReads from "../../adapters/http/recent-reads.ts"
import * as Rest from "../../adapters/http/rest.ts"
import { serve } from "../../adapters/http/server.ts"
import * as Seed from "../../adapters/keys/seed.ts"
import { Store } from "../../adapters/memory/store.ts"
import { pages } from "../../adapters/pages/pages.ts"
import * as OpenStreams from "../../adapters/pages/site/open-streams.ts"
import * as SolanaChains from "../../adapters/solana/chains.ts"
import * as SolanaHoldings from "../../adapters/solana/holdings.ts"
import type { Connection } from "../../adapters/solana/node.ts"
import * as PayerTransactions from "../../adapters/solana/payer-transactions.ts"
import * as SolanaSubmitter from "../../adapters/solana/submitter.ts"
import * as SolanaTokenAccounts from "../../adapters/solana/token-accounts.ts"
import { besidePages, payByPost } from "../../adapters/x402/pay-route.ts"
import { plansRoutes } from "../../adapters/x402/plans-route.ts"
import * as LocalSolana from "../../apps/sandbox/solana/local-solana.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import { keyOf } from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import { PolicySettings } from "../../core/policy/policy-settings.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import { work } from "../../core/treasury/workers.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import { seed, seedKeys, walletKeys } from "./anvil-sending-chain.ts"
import * as Value from "./chain-values.ts"
import { connectionTo, solanaRelayer } from "./real-send-worlds.ts"
import * as Rows from "./rows.ts"
import { addressOf as fixedAddress } from "./solana-world.ts"
import * as Stored from "./stored-rows.ts"

/** The wallet plans are paid to. */
export const till = fixedAddress("t")

/** Where it is: `http://127.0.0.1:<port>`. */
export class Market extends Context.Service<Market, string>()("test/SolanaMarket") {}

const origin = Layer.effect(
  Market,
  Effect.map(HttpServer.HttpServer, ({ address }) => NetAddress.formatUrlUnsafe(address))
)

const options = { patience: { landMs: 15_000, finalMs: 15_000 } }

const served = Layer.merge(
  serve(
    Layer.mergeAll(
      Rest.layer(),
      plansRoutes(options),
      pages().pipe(Layer.provide(besidePages(options))),
      payByPost(options)
    )
  ),
  origin
).pipe(
  Layer.provide(OpenStreams.layer()),
  Layer.provide(RecentReads.layer),
  Layer.provide(NodeServer.layer({ port: 0 }))
)

const keys = walletKeys(Seed.backend(seed))

const noEvm = EvmSubmitter.layer({ relayer: seedKeys().relayer, connections: [] })

type ConnectionOf = (chain: LocalSolana.LocalSolana["Service"]) => Connection

const onChain = (connectionOf: ConnectionOf) =>
  Layer.unwrap(
    LocalSolana.LocalSolana.useSync((chain) => {
      const connections = [connectionOf(chain)]
      return Layer.mergeAll(
        SolanaChains.layer(connections),
        SolanaHoldings.layer(connections),
        SolanaSubmitter.layer({ relayer: solanaRelayer(), connections }),
        SolanaTokenAccounts.layer({ relayer: solanaRelayer(), connections }),
        PayerTransactions.layer(connections)
      )
    })
  )

const parts = (connectionOf: ConnectionOf) =>
  Layer.suspend(() => {
    const memory = Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1)
    const signing = Layer.merge(onChain(connectionOf), noEvm).pipe(Layer.provide(keys))
    const all = Layer.mergeAll(memory, keys, signing)
    return Layer.merge(
      all,
      Layer.effect(
        PolicySettings,
        Effect.map(PolicySettings, (settings) => ({ ...settings, plansPayTo: [till] }))
      ).pipe(Layer.provide(memory))
    )
  })

/** The relayer has SOL, and the wallet that plans are paid to an account. */
const living = (connectionOf: ConnectionOf) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const chain = yield* LocalSolana.LocalSolana
      const { relayerAddress } = yield* SolanaRelay
      yield* chain.giveGas(yield* relayerAddress(connectionOf(chain).chain.id))
      yield* chain.mint(till, 1n)
      yield* Effect.forkScoped(work())
    })
  )

/** `connectionOf` says as which chain the local one is connected, and by which node. */
export const layer = (connectionOf: ConnectionOf = connectionTo) =>
  Layer.merge(served, living(connectionOf)).pipe(
    Layer.provideMerge(parts(connectionOf)),
    Layer.provideMerge(LocalSolana.layer({ directory: null, slotMs: 20 })),
    Layer.orDie
  )

const aKey = () => Base58.encode(Buffer.from(Rows.aDigest(), "hex"))

/** A request on a new vault whose account is open, and its link. */
export const aRequest = Effect.fnUntraced(function* (
  chainId: string,
  amountMicro: bigint,
  onVault?: Wallet
) {
  const chain = yield* LocalSolana.LocalSolana
  const address = Value.address(aKey())
  // Only its account: nothing comes.
  yield* chain.mint(address, 0n)
  const vault = onVault ?? (yield* Stored.vault({ chainId, address }))
  const reference = keyOf(chainId, aKey())
  const request = yield* Stored.paymentRequest(vault, { amountMicro, reference })
  return { vault, request, url: `${yield* Market}/pay/${request.pid}` }
})
