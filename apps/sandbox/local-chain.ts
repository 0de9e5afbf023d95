/**
 * A chain of the sandbox's own with Circle's USDC on it and a payer who has some. It keeps its state in
 * the data directory: stopped or killed, it goes on where it was, a few seconds back at most.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { address } from "../../adapters/evm/contract.ts"
import * as Anvil from "./anvil.ts"
import type { ChainNotStarted } from "./chain-not-started.ts"
import * as ChainState from "./chain-state.ts"
import * as CircleUsdc from "./circle-usdc.ts"
import * as Deployment from "./cow/deployment.ts"
import * as OrderBook from "./cow/order-book.ts"
import * as Pace from "./pace.ts"
import * as YieldVault from "./yield-vault.ts"

export interface Options {
  /** Where the chain is kept between runs. One process at a time: whoever uses it locks it. */
  readonly directory: string
  /** A free one, unless one is given. */
  readonly port?: number
  /** Time from block to block while something happens; null mines only when told to. */
  readonly blockMs?: number | null
}

export class LocalChain extends Context.Service<
  LocalChain,
  {
    /** The node itself, for who puts more on it. */
    readonly anvil: Anvil.Anvil
    readonly rpcUrl: string
    readonly chainId: number
    readonly usdc: string
    readonly payer: { readonly address: string; readonly privateKey: string }
    readonly mine: (blocks: number) => Effect.Effect<void>
    /** What can be swapped here beside USDC, and the pool that sets its prices. */
    readonly market: Deployment.Deployed
    /** Takes orders for swaps and has them settled. */
    readonly orderBook: OrderBook.OrderBook
    /** A vault that earns on USDC. */
    readonly yieldVault: YieldVault.Opened
    /** What a whole token costs now, in millionths of a dollar; nought where the pool does not trade it. */
    readonly priceOf: (token: string) => Effect.Effect<bigint>
    /** Sets what the pool trades a token at. */
    readonly setPrice: (token: string, priceMicro: bigint) => Effect.Effect<void>
    /** Makes USDC out of nothing. */
    readonly mint: (to: string, amountMicro: bigint) => Effect.Effect<void>
    /** Sets what an address can spend on gas to more than it will ever need. */
    readonly giveGas: (address: string) => Effect.Effect<void>
    /** Drops the newest blocks, mined in this run, for as many empty ones. */
    readonly reorg: (depth: number) => Effect.Effect<void>
  }
>()("bursar/sandbox/LocalChain") {}

/** What is kept of it beside its state. */
const keptNames = ["usdc", "payerPrivateKey"] as const

const payerMicro = 1_000_000_000_000n
const plentyWei = `0x${(1000n * 10n ** 18n).toString(16)}`

const newChain = Effect.fnUntraced(function* (anvil: Anvil.Anvil) {
  const usdc = yield* CircleUsdc.deploy(anvil)
  const payerPrivateKey = generatePrivateKey()
  const payer = privateKeyToAddress(payerPrivateKey)
  yield* anvil.call("anvil_setBalance", payer, plentyWei)
  yield* CircleUsdc.mint(anvil, usdc, payer, payerMicro)
  return { usdc, payerPrivateKey }
})

const open = Effect.fnUntraced(function* ({
  directory,
  port = 0,
  blockMs = 1000
}: Options): Effect.fn.Return<LocalChain["Service"], ChainNotStarted, Scope.Scope> {
  const anvil = yield* Anvil.start({ port })
  const file = ChainState.fileIn(directory, "local-chain")
  const restored = yield* ChainState.restore(anvil, file, keptNames)
  const kept = restored ?? (yield* newChain(anvil))
  const market = yield* Deployment.deploy(anvil, kept.usdc)
  const yieldVault = yield* YieldVault.open(anvil, kept.usdc)
  const orderBook = yield* OrderBook.open({ anvil, pool: market.pool })
  const save = ChainState.save(anvil, file, kept)
  if (restored === undefined) yield* save
  // A chain that has died cannot be saved any more; what was saved before stands.
  yield* Effect.addFinalizer(() => Effect.ignoreCause(save))
  if (blockMs !== null) {
    yield* Effect.forkScoped(Pace.keep(anvil, blockMs, save))
  }
  return {
    anvil,
    rpcUrl: anvil.rpcUrl,
    chainId: Anvil.chainId,
    usdc: kept.usdc,
    market,
    orderBook,
    yieldVault,
    priceOf: (token) => Deployment.priceOf(anvil, market.pool, address(token)),
    setPrice: (token, priceMicro) =>
      Deployment.setPrice(anvil, market.pool, address(token), priceMicro),
    payer: {
      address: privateKeyToAddress(address(kept.payerPrivateKey)),
      privateKey: kept.payerPrivateKey
    },
    mine: (blocks) => Effect.asVoid(anvil.call("anvil_mine", blocks)),
    mint: (to, amountMicro) => CircleUsdc.mint(anvil, kept.usdc, to, amountMicro),
    giveGas: (to) => Effect.asVoid(anvil.call("anvil_setBalance", to, plentyWei)),
    reorg: (depth) => Effect.asVoid(anvil.call("anvil_reorg", depth, []))
  }
})

export const layer = (options: Options): Layer.Layer<LocalChain, ChainNotStarted> =>
  Layer.effect(LocalChain, open(options))
