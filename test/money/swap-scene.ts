/**
 * Where swaps are killed: a chain with CoW Protocol's own contract, an order book and a solver, a PostgreSQL database,
 * and processes of the service on them. What was sold is read from the contract's logs.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import {
  decodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  parseAbiParameters,
  toEventSelector
} from "viem/utils"
import { address } from "../../adapters/evm/contract.ts"
import * as Anvil from "../../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import * as Deployment from "../../apps/sandbox/cow/deployment.ts"
import * as OrderBook from "../../apps/sandbox/cow/order-book.ts"
import * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import * as PostgresServer from "../support/postgres-server.ts"
import { type Account, calledBy } from "./agent.ts"
import * as Stores from "./stores.ts"
import type { Question, Settings } from "./swap-settings.ts"

export interface Replica {
  readonly child: Child.Child<object>
  readonly ask: (question: Question) => Promise<unknown>
}

export interface Trade {
  readonly sold: bigint
  readonly bought: bigint
}

const abi = parseAbi(["function approve(address spender, uint256 amount) returns (bool)"])
const tradeTopic = toEventSelector("Trade(address,address,address,uint256,uint256,uint256,bytes)")
const traded = parseAbiParameters(
  "address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid"
)

const plentyWei = `0x${(10n ** 24n).toString(16)}`
const fundsMicro = 10n ** 13n

/** Who fills orders: a solver that gives what the pool gives, one that gives what was signed and keeps the rest, or nobody. */
export type Taker = "fair" | "hostile" | "nobody"

/** Gives each owner the least they have signed for. */
const takingAll = (book: OrderBook.OrderBook) =>
  setInterval(() => {
    for (const { order, uid } of book.orders.values()) {
      // What is filled or too late already the contract refuses.
      Effect.runFork(Effect.ignoreCause(book.settle(uid, { gives: order.buyAmount })))
    }
  }, 300)

const openChain = async (taker: Taker) => {
  const scope = Scope.makeUnsafe()
  const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope))
  const anvil = await inScope(Anvil.start())
  const usdc = await Effect.runPromise(CircleUsdc.deploy(anvil))
  const { pool, tokens } = await Effect.runPromise(Deployment.deploy(anvil, usdc))
  const weth = tokens[0]?.address ?? "0x"
  const solveMs = taker === "fair" ? 100 : null
  const book = await inScope(OrderBook.open({ anvil, pool, solveMs }))
  const taking = taker === "hostile" ? takingAll(book) : undefined
  const call = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.runPromise(anvil.call(method, ...params))
  await call("evm_setAutomine", true)
  return {
    rpcUrl: anvil.rpcUrl,
    usdc,
    weth,
    book,
    call,
    /** Somebody tries to fill every order there ever was. */
    fillAll: () =>
      Promise.all(
        Array.from(book.orders.keys(), (uid) =>
          Effect.runPromise(Effect.ignoreCause(book.settle(uid)))
        )
      ),
    price: (micro: bigint) => Effect.runPromise(Deployment.setPrice(anvil, pool, weth, micro)),
    /** Gives the wallet money to sell, and lets orders take it. */
    furnish: async (wallet: string) => {
      await Effect.runPromise(CircleUsdc.mint(anvil, usdc, wallet, fundsMicro))
      const args = [address(Deployment.vaultRelayer), fundsMicro] as const
      const data = encodeFunctionData({ abi, functionName: "approve", args })
      await call("anvil_impersonateAccount", wallet)
      await call("anvil_setBalance", wallet, plentyWei)
      const hash = await call("eth_sendTransaction", {
        from: wallet,
        to: usdc,
        data,
        gas: "0x30d40"
      })
      // It pays for its gas as it is mined, which is not before it is answered.
      await until("orders may take it", async () => {
        return (await call("eth_getTransactionReceipt", hash)) ?? undefined
      })
      await call("anvil_stopImpersonatingAccount", wallet)
      await call("anvil_setBalance", wallet, "0x0")
      // What it sent itself is final before its records are asked for.
      await call("anvil_mine", 5)
    },
    /** Everything the contract ever sold of a wallet. */
    tradesOf: async (wallet: string): Promise<ReadonlyArray<Trade>> => {
      const topics = [tradeTopic, `0x${wallet.slice(2).toLowerCase().padStart(64, "0")}`]
      const query = { address: Deployment.settlement, topics, fromBlock: "0x0" }
      const logs = (await call("eth_getLogs", query)) as ReadonlyArray<{ data: `0x${string}` }>
      return logs.map(({ data }) => {
        const [, , sold, bought] = decodeAbiParameters(traded, data)
        return { sold, bought }
      })
    },
    close: () => {
      clearInterval(taking)
      return Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

/**
 * Opens everything; each account's wallet has money that orders may take. Whoever brings a server of records closes it,
 * and the lines of history of these are kept.
 */
export const openScene = async (
  bundle: Child.Bundle,
  taker: Taker = "fair",
  own?: { readonly url: string; readonly accounts?: number }
) => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-swap-scene-"))
  const [chain, server] = await Promise.all([
    openChain(taker),
    own === undefined ? PostgresServer.start() : undefined
  ])
  const url = own?.url ?? server?.url("postgres") ?? ""
  const running = new Set<Child.Child<object>>()
  const start = async ({
    databaseUrl = url,
    offsetMs = 0,
    priceMicro = 2_500_000_000n,
    works = true
  } = {}): Promise<Replica> => {
    const child = await Child.start<object>(bundle, {
      ...{
        directory,
        databaseUrl,
        hasLines: own !== undefined,
        rpcUrl: chain.rpcUrl,
        usdc: chain.usdc
      },
      ...{ orderBookUrl: chain.book.url, weth: chain.weth, offsetMs, works },
      priceMicro: String(priceMicro)
    } satisfies Settings)
    running.add(child)
    return { child, ask: child.ask }
  }
  const first = await start({ works: false })
  const accounts: Array<Account> = []
  while (accounts.length < (own?.accounts ?? 1)) {
    const opened = (await first.ask({ ask: "account" })) as Account
    await chain.furnish(opened.address)
    accounts.push(opened)
  }
  await chain.call("anvil_setBalance", await first.ask({ ask: "relayer" }), plentyWei)
  await first.child.stop()
  const database = server === undefined ? undefined : Stores.open(url)
  return {
    account: accounts[0] as Account,
    accounts,
    chain,
    directory,
    database: database as Stores.Stores,
    start,
    close: async () => {
      await Promise.all([...running].map((child) => child.stop()))
      await database?.close()
      await server?.stop()
      await chain.close()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

export type Scene = Awaited<ReturnType<typeof openScene>>

/** Calls an operation with the agent's key; what it refuses is thrown. */
export const called = (
  { account }: Pick<Scene, "account">,
  { ask }: Replica,
  name: string,
  input: Readonly<Record<string, unknown>>,
  idempotencyKey?: string
) => calledBy(account, ask, name, input, idempotencyKey)
