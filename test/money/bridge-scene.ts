/**
 * Where bridges are killed: two chains with Circle's own token, attesters, somebody who fills orders, a PostgreSQL
 * database, and processes of the service on them. Where the money is, the chains' own contracts say.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { toEventSelector } from "viem/utils"
import * as Cctp from "../../core/chains/cctp.ts"
import * as Dln from "../../core/chains/dln.ts"
import * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import * as PostgresServer from "../support/postgres-server.ts"
import { type LinkedChain, twoAnvils } from "../support/two-anvils.ts"
import type { Account, Question, Said, Settings } from "./bridge-settings.ts"
import * as Stores from "./stores.ts"

type Server = PostgresServer.PostgresServer

export interface Replica {
  readonly child: Child.Child<object>
  readonly ask: (question: Question) => Promise<unknown>
}

const plentyWei = `0x${(10n ** 24n).toString(16)}`
export const fundsMicro = 10n ** 13n
/** Within the cap of what may be allowed at once. */
const allowedMicro = "90000000000"
const blockMs = 200
const fillMs = 200

const burntTopic = toEventSelector(
  "DepositForBurn(address,uint256,address,bytes32,uint32,bytes32,bytes32,uint256,uint32,bytes)"
)
const transferTopic = toEventSelector("Transfer(address,address,uint256)")
const padded = (account: string) => `0x${account.slice(2).toLowerCase().padStart(64, "0")}`

const callOn =
  ({ anvil }: LinkedChain) =>
  (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.runPromise(anvil.call(method, ...params))

interface Log {
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

const openChains = async () => {
  const scope = Scope.makeUnsafe()
  const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope))
  const chains = await inScope(twoAnvils)
  const { one, orders, other } = chains
  const both = [one, other] as const
  for (const chain of both) {
    await Effect.runPromise(chain.mint(chain.issuer, fundsMicro))
    await callOn(chain)("evm_setAutomine", true)
  }
  await inScope(Effect.forkScoped(orders.rounds(fillMs)))
  const mine = (blocks: number) =>
    Promise.all(both.map((each) => callOn(each)("anvil_mine", blocks)))
  // What is done becomes final only as blocks go on.
  const mining = setInterval(() => void mine(1).catch(() => undefined), blockMs)
  const logs = (on: LinkedChain, contract: string, topics: ReadonlyArray<string | null>) =>
    callOn(on)("eth_getLogs", {
      address: contract,
      topics,
      fromBlock: "0x0",
      toBlock: "latest"
    }) as Promise<ReadonlyArray<Log>>
  return {
    ...chains,
    mine,
    passes: async (seconds: number) => {
      for (const chain of both) await callOn(chain)("evm_increaseTime", seconds)
      await mine(3)
    },
    giveGas: (at: LinkedChain, whom: string) => callOn(at)("anvil_setBalance", whom, plentyWei),
    balances: async (from: string, to: string) => {
      const [here, there, held] = await Promise.all([
        Effect.runPromise(one.balance(from)),
        Effect.runPromise(other.balance(to)),
        Effect.runPromise(one.balance(Dln.source))
      ])
      return { here, there, held }
    },
    /** The amounts of all burns of a wallet there ever were. */
    burns: async (wallet: string): Promise<ReadonlyArray<bigint>> => {
      const { tokenMessenger } = Cctp.domainOf("local") as Cctp.Domain
      const found = await logs(one, tokenMessenger, [burntTopic, null, padded(wallet)])
      return found.map(({ data }) => BigInt(data.slice(0, 66)))
    },
    /** The amounts of all transfers of USDC from one holder to another. */
    moved: async (on: LinkedChain, from: string | null, to: string) => {
      const found = await logs(on, on.usdc, [
        transferTopic,
        from === null ? null : padded(from),
        padded(to)
      ])
      return found.map(({ data }) => BigInt(data))
    },
    close: () => {
      clearInterval(mining)
      return Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

/** Lets the contract of orders take money of the wallet, by the service itself. */
const allowOrders = async (account: Account, service: Replica, tokenAddress: string) => {
  const scene = { account }
  const { proposalId } = await called(scene, service, "propose_token_approve", {
    ...{ fromWalletId: account.from.id, tokenAddress, flow: "limit_order_bridge" },
    amountSmallestUnit: allowedMicro
  })
  await called(scene, service, "confirm_proposal", { proposalId })
  await until("orders may take it", async () => {
    const { outcome } = await called(scene, service, "get_proposal", { proposalId })
    return outcome === "executed" ? true : undefined
  })
}

/** Records that somebody else opened, and what is otherwise on them. */
interface Own extends Pick<Server, "url">, Pick<Settings, "dailyTradeMicro"> {
  /** How many accounts there are; one when left out. */
  readonly accounts?: number
}

/**
 * Opens everything; each account's wallet has money that orders may take. Whoever brings a server of records closes it,
 * and the lines of history of these are kept.
 */
export const openScene = async (bundle: Child.Bundle, own?: Own) => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-bridge-scene-"))
  const [chains, started] = await Promise.all([
    openChains(),
    own === undefined ? PostgresServer.start() : undefined
  ])
  const server = started ?? (own as Pick<Server, "url">)
  const { attestationUrl, limitOrdersUrl, one, other } = chains
  const place = ({ chainId, connection }: LinkedChain) => ({
    ...{ chainId, rpcUrl: connection.rpcUrl, usdc: connection.usdc }
  })
  const running = new Set<Child.Child<object>>()
  const start = async ({
    database = "postgres",
    databaseUrl = server.url(database),
    offsetMs = 0,
    /** Where it asks the chain that bridges leave. */
    sourceUrl = one.connection.rpcUrl,
    works = true
  } = {}): Promise<Replica> => {
    const child = await Child.start<object>(bundle, {
      ...{ directory, databaseUrl, attestationUrl, limitOrdersUrl, hasLines: own !== undefined },
      ...{ offsetMs, works },
      ...(own?.dailyTradeMicro === undefined ? {} : { dailyTradeMicro: own.dailyTradeMicro }),
      places: [{ ...place(one), rpcUrl: sourceUrl }, place(other)]
    } satisfies Settings)
    running.add(child)
    return { child, ask: child.ask }
  }
  const first = await start({ works: false })
  const accounts: Array<Account> = []
  while (accounts.length < (own?.accounts ?? 1)) {
    const opened = (await first.ask({ ask: "account" })) as Account
    await Effect.runPromise(one.mint(opened.from.address, fundsMicro))
    accounts.push(opened)
  }
  for (const chain of [one, other]) {
    const { chainId } = chain
    await chains.giveGas(chain, String(await first.ask({ ask: "relayer", chainId })))
  }
  await first.child.stop()
  const service = await start()
  for (const each of accounts) await allowOrders(each, service, one.usdc)
  await service.child.stop()
  const stores = started === undefined ? undefined : Stores.open(server.url("postgres"))
  return {
    account: accounts[0] as Account,
    accounts,
    chains,
    directory,
    database: stores as Stores.Stores,
    server,
    start,
    close: async () => {
      await Promise.all([...running].map((child) => child.stop()))
      await stores?.close()
      await started?.stop()
      await chains.close()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

export type Scene = Awaited<ReturnType<typeof openScene>>

/** Calls an operation with the agent's key; what it refuses is thrown. */
export const called = async (
  { account }: Pick<Scene, "account">,
  { ask }: Replica,
  name: string,
  input: Readonly<Record<string, unknown>>,
  idempotencyKey?: string
) => {
  const said = (await ask({
    ...{ ask: "call", name, input, apiKey: account.agentKey },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey })
  })) as Said
  if (!said.ok) throw new Error(`${said.code}: ${said.message}`)
  return said.data
}
