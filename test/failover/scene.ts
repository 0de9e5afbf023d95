/**
 * Where a failover takes place: a chain, two databases of which one follows the other, the key store, and processes of
 * the service on either. The clocks of all follow the chain's, so that a test can let hours pass.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as KeyStore from "../../adapters/secrets/timeline.ts"
import { freePort } from "../../apps/sandbox/free-port.ts"
import type * as Child from "../kill/child.ts"
import { start as startChild } from "../kill/child.ts"
import * as Merchant from "../kill/receiver.ts"
import * as Chain from "../money/chain.ts"
import { boundless, data, type Replica, replicaOf } from "../money/scene.ts"
import type { Account, Bug, Settings } from "../money/settings.ts"
import * as Servers from "./servers.ts"

export const dailyMicro = 2_500_000_000n

const limits = { ...boundless, dailyMicro: String(dailyMicro) }

export interface Scene {
  readonly chain: Chain.Chain
  readonly account: Account
  readonly payees: readonly [string, ...ReadonlyArray<string>]
  /** Whom webhooks tell of paid requests. */
  readonly merchant: Merchant.Receiver
  readonly pair: () => Servers.Pair
  /** Whether there is a fence and a wait. */
  readonly isGuarded: boolean
  /** Whether each write is said to be on a standby. */
  readonly isBoasting: boolean
  /** The highest line in the key store. */
  readonly kept: () => Promise<number>
  /** Starts a process on one of the databases. */
  readonly start: (url: string, over?: Partial<Settings>) => Promise<Replica>
  /** The promoted database takes the place of the first, with a standby of its own; all processes are ended. */
  readonly renew: () => Promise<void>
  /** Lets time pass on the chain and for every process, with blocks that make what was before final. */
  readonly timePasses: (seconds: number) => Promise<void>
  /** Makes a block now and then until it has ended, as a chain does by itself. */
  readonly whileMining: <A>(work: Promise<A>) => Promise<A>
  /** The chain's time in seconds. */
  readonly now: () => Promise<number>
  readonly close: () => Promise<void>
}

const fundsMicro = 10n ** 15n
const plentyWei = `0x${(10n ** 24n).toString(16)}`

export const open = async (bundle: Child.Bundle, bug?: Bug): Promise<Scene> => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-failover-"))
  const [chain, opened] = await Promise.all([Chain.open(), Servers.open()])
  let pair = opened
  const running = new Set<Replica>()
  const now = async () => {
    const block = (await chain.call("eth_getBlockByNumber", "latest", false)) as {
      timestamp: string
    }
    return Number(block.timestamp)
  }
  let aheadMs = 0
  const offsetMs = async () => {
    aheadMs = (await now()) * 1000 - Date.now()
    return aheadMs
  }
  const merchant = await Merchant.open(() => Date.now() + aheadMs)
  const start: Scene["start"] = async (databaseUrl, over = {}) => {
    const port = await freePort()
    const child = await startChild<unknown>(bundle, {
      port,
      directory,
      databaseUrl,
      rpcUrl: chain.rpcUrl,
      rpcTimeoutMs: 10_000,
      usdc: chain.usdc,
      confirmations: 1,
      offsetMs: await offsetMs(),
      limits,
      works: true,
      ...(bug === undefined ? {} : { bug }),
      ...over
    } satisfies Settings)
    const replica = replicaOf(child, port)
    running.add(replica)
    child.died.then(() => running.delete(replica))
    return replica
  }
  const endAll = () => Promise.all([...running].map(({ child }) => child.stop()))
  const first = await start(pair.primaryUrl, { works: false })
  const payees = [Chain.addressNamed(directory), Chain.addressNamed(`${directory} 2`)] as const
  const account = (await first.ask({ ask: "account", payees })) as Account
  await chain.mint(account.address, fundsMicro)
  await chain.call("anvil_setBalance", await first.ask({ ask: "relayer" }), plentyWei)
  const { secret } = data(
    await first.call("REST", account.developerKey, "create_merchant_webhook", {
      url: merchant.url,
      events: ["payment_request.paid"]
    })
  )
  merchant.trust(secret)
  await first.child.stop()
  await chain.automine(true)
  return {
    chain,
    account,
    payees,
    merchant,
    pair: () => pair,
    isGuarded: bug !== "signs at once",
    isBoasting: bug === "says that a standby has it",
    kept: async () => (await Effect.runPromise(KeyStore.read(directory)))?.number ?? 0,
    start,
    now,
    whileMining: async (work) => {
      const mining = setInterval(() => void chain.mine().catch(() => undefined), 300)
      return work.finally(() => clearInterval(mining))
    },
    renew: async () => {
      await endAll()
      pair = await pair.renewed()
    },
    timePasses: async (seconds) => {
      await chain.timePasses(seconds)
      await chain.mine(4)
      const ms = await offsetMs()
      await Promise.all([...running].map(({ ask }) => ask({ ask: "clock", offsetMs: ms })))
    },
    close: async () => {
      await endAll()
      merchant.close()
      await pair.close()
      await chain.close()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
