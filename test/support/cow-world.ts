/**
 * CoW Protocol on a test's own chain: the real settlement contract, an order book and a solver that settle when
 * they are told, tokens with prices, and traders whose keys the test holds.
 */
import { Context, Effect, Layer } from "effect"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { address } from "../../adapters/evm/contract.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import * as Deployment from "../../apps/sandbox/cow/deployment.ts"
import * as Order from "../../apps/sandbox/cow/order.ts"
import * as OrderBook from "../../apps/sandbox/cow/order-book.ts"
import { AnvilChain } from "./anvil.ts"

export class CowWorld extends Context.Service<
  CowWorld,
  {
    readonly book: OrderBook.OrderBook
    readonly deployed: Deployment.Deployed
    readonly usdc: Hex
    readonly weth: Hex
    readonly giveUsdc: (to: string, amountMicro: bigint) => Effect.Effect<void>
    /** Sets what the pool gives for a whole token, in millionths of a dollar. */
    readonly setPrice: (token: Hex, priceMicro: bigint) => Effect.Effect<void>
    readonly balanceOf: (token: Hex, owner: string) => Effect.Effect<bigint>
    /** Settles what can be settled, in blocks of their own; how much was settled. */
    readonly settleAll: Effect.Effect<number>
    /** Sends a transaction from any address, which pays nothing for it. */
    readonly sendFrom: (from: string, to: string, data: Hex) => Effect.Effect<void>
    readonly approve: (owner: string, token: Hex, amount: bigint) => Effect.Effect<void>
    /** An account that is not the treasury's, with its answer to one call of the book. */
    readonly call: (
      method: string,
      path: string,
      body?: object
    ) => Effect.Effect<{ readonly status: number; readonly body: unknown }>
  }
>()("bursar/test/CowWorld") {}

const abi = parseAbi([
  "function approve(address spender, uint256 amount) returns (bool)",
  "function balanceOf(address owner) view returns (uint256)"
])

const make = Effect.gen(function* () {
  const { anvil, call, usdc } = yield* AnvilChain
  const deployed = yield* Deployment.deploy(anvil, usdc)
  const book = yield* OrderBook.open({ anvil, pool: deployed.pool, solveMs: null })
  const weth = deployed.tokens[0]?.address ?? "0x"
  const sendFrom = Effect.fnUntraced(function* (from: string, to: string, data: Hex) {
    yield* call("anvil_impersonateAccount", from)
    yield* call("anvil_setBalance", from, "0xde0b6b3a7640000")
    yield* call("eth_sendTransaction", { from, to, data, gas: "0x4c4b40" })
    yield* call("evm_mine")
    yield* call("anvil_stopImpersonatingAccount", from)
  })
  return CowWorld.of({
    book,
    deployed,
    usdc: address(usdc),
    weth,
    giveUsdc: (to, amountMicro) => CircleUsdc.mint(anvil, usdc, to, amountMicro),
    setPrice: (token, priceMicro) => Deployment.setPrice(anvil, deployed.pool, token, priceMicro),
    balanceOf: (token, owner) =>
      Effect.map(
        call(
          "eth_call",
          {
            to: token,
            data: encodeFunctionData({ abi, functionName: "balanceOf", args: [address(owner)] })
          },
          "latest"
        ),
        (answer) => BigInt(String(answer))
      ),
    settleAll: Effect.tap(book.solve, (count) => (count === 0 ? Effect.void : call("evm_mine"))),
    sendFrom,
    approve: (owner, token, amount) =>
      sendFrom(
        owner,
        token,
        encodeFunctionData({
          abi,
          functionName: "approve",
          args: [Deployment.vaultRelayer, amount]
        })
      ),
    call: (method, path, body) =>
      Effect.promise(async () => {
        const answer = await fetch(`${book.url}/api/v1/${path}`, {
          method,
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        return { status: answer.status, body: await answer.json() }
      })
  })
})

export const layer = Layer.effect(CowWorld, make)

/** A trader of the test's own. */
export const trader = () => privateKeyToAccount(generatePrivateKey())

const emptyAppData = "0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d"
const chainId = 31337

export interface Ordering {
  readonly owner: ReturnType<typeof trader>
  readonly sellAmount: bigint
  /** Of the quote, in ten-thousandths. */
  readonly slippage?: bigint
  readonly over?: Partial<Order.SignedOrder>
  readonly scheme?: Order.Scheme
  /** Whose order it is, when it is not the signer's. */
  readonly from?: Hex
}

/** What a trader posts who sells USDC for WETH by a fresh quote, and the uid it will have. */
export const ordered = Effect.fnUntraced(function* ({
  owner,
  over = {},
  scheme = "eip712",
  sellAmount,
  slippage = 50n,
  from = owner.address
}: Ordering) {
  const { call, usdc, weth } = yield* CowWorld
  const asked = { sellToken: usdc, buyToken: weth, from, kind: "sell" }
  const answer = yield* call("POST", "quote", { ...asked, sellAmountBeforeFee: String(sellAmount) })
  const { quote } = answer.body as {
    readonly quote: { readonly buyAmount: string; readonly validTo: number }
  }
  const order: Order.SignedOrder = {
    ...{ sellToken: usdc, buyToken: weth, receiver: from, sellAmount, kind: "sell" },
    buyAmount: (BigInt(quote.buyAmount) * (10_000n - slippage)) / 10_000n,
    ...{ validTo: quote.validTo, appData: emptyAppData, feeAmount: 0n, partiallyFillable: false },
    ...{ sellTokenBalance: "erc20", buyTokenBalance: "erc20" },
    ...over
  }
  const signature =
    scheme === "presign"
      ? "0x"
      : yield* Effect.promise(() => owner.signTypedData(Order.typed(chainId, order)))
  const digest = Order.digestOf(chainId, order)
  const amounts = {
    ...{ sellAmount: String(order.sellAmount), buyAmount: String(order.buyAmount) },
    ...{ feeAmount: String(order.feeAmount), appDataHash: emptyAppData, appData: "{}" }
  }
  const body = { ...order, ...amounts, signingScheme: scheme, signature, from }
  return { order, body, uid: Order.uidOf(digest, from, order.validTo) }
})
