/**
 * Where runs take place: a chain, a PostgreSQL database, an account with money, and one or more processes
 * of the service on them. It waits for what is so, never for a time.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "../../apps/sandbox/free-port.ts"
import type { Name } from "../../core/treasury/operations.ts"
import * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import { callsOver } from "../stories/surface.ts"
import type { Refused } from "../stories/world.ts"
import * as PostgresServer from "../support/postgres-server.ts"
import * as Chain from "./chain.ts"
import type { Account, Bug, Limits, Question, Said, Settings } from "./settings.ts"
import * as Stores from "./stores.ts"

export const surfaces = ["REST", "tools", "functions"] as const
export type Surface = (typeof surfaces)[number]

/** One process of the service. */
export interface Replica {
  /** Where it serves. */
  readonly origin: string
  readonly ask: (question: Question) => Promise<unknown>
  /** Calls an operation on a surface; rejects when the process ends meanwhile. */
  readonly call: (
    surface: Surface,
    apiKey: string,
    name: Name,
    input: Readonly<Record<string, unknown>>,
    idempotencyKey?: string
  ) => Promise<Said>
  readonly child: Child.Child<unknown>
}

export interface Scene {
  readonly chain: Chain.Chain
  readonly database: Stores.Stores
  readonly account: Account
  readonly payees: ReadonlyArray<string>
  /** Starts another process, or the same one again. */
  readonly start: (over?: Partial<Settings>) => Promise<Replica>
  readonly close: () => Promise<void>
}

const plenty = (10n ** 17n).toString()
export const boundless: Limits = {
  perTransferMicro: plenty,
  dailyMicro: plenty,
  monthlyMicro: plenty,
  hardCapMicro: plenty
}

const plentyWei = `0x${(10n ** 24n).toString(16)}`
/** Confirmations for one payee follow one another; for several, only the account's cap holds them apart. */
const manyPayees = 16
/** The place of the last one, whom the token refuses to pay. */
export const refusedPayee = manyPayees - 1
const fundsMicro = 10n ** 15n

export const replicaOf = (child: Child.Child<unknown>, port: number): Replica => {
  const ask = (question: Question) => child.ask(question)
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    ask,
    child,
    call: (surface, apiKey, name, input, idempotencyKey) => {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey }
      if (surface === "functions") {
        return ask({ ask: "call", name, input, apiKey, ...key }) as Promise<Said>
      }
      const calls = callsOver(surface, origin, apiKey)
      const calling = calls[name] as (
        input: unknown,
        key?: string
      ) => Effect.Effect<unknown, Refused>
      return Effect.runPromise(
        Effect.match(calling(input, idempotencyKey), {
          onSuccess: (data): Said => ({ ok: true, data }),
          onFailure: ({ code, message }): Said => ({ ok: false, code, message })
        })
      )
    }
  }
}

export interface Options {
  readonly limits?: Limits
  readonly bug?: Bug
  readonly confirmations?: number
}

/** Opens everything; the account's wallet has money, the relayer has gas, and blocks come at once. */
export const open = async (bundle: Child.Bundle, options: Options = {}): Promise<Scene> => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-money-"))
  const [chain, server] = await Promise.all([Chain.open(), PostgresServer.start()])
  const url = server.url("postgres")
  const names = Array.from({ length: manyPayees - 1 }, (_, number) => `${directory} ${number}`)
  const payees = [Chain.addressNamed(directory), ...names.map(Chain.addressNamed)] as const
  const running = new Set<Child.Child<unknown>>()
  const start: Scene["start"] = async (over = {}) => {
    const port = await freePort()
    const child = await Child.start<unknown>(bundle, {
      port,
      directory,
      databaseUrl: url,
      rpcUrl: chain.rpcUrl,
      rpcTimeoutMs: 10_000,
      usdc: chain.usdc,
      confirmations: options.confirmations ?? 1,
      offsetMs: 0,
      limits: options.limits ?? boundless,
      works: true,
      ...(options.bug === undefined ? {} : { bug: options.bug }),
      ...over
    } satisfies Settings)
    running.add(child)
    return replicaOf(child, port)
  }
  const first = await start({ works: false })
  const account = (await first.ask({ ask: "account", payees })) as Account
  await chain.mint(account.address, fundsMicro)
  await chain.call("anvil_setBalance", await first.ask({ ask: "relayer" }), plentyWei)
  await first.child.stop()
  await chain.blacklist(payees[refusedPayee] as string, true)
  await chain.automine(true)
  const database = Stores.open(url)
  return {
    chain,
    database,
    account,
    payees,
    start,
    close: async () => {
      await Promise.all([...running].map((child) => child.stop()))
      await database.close()
      await server.stop()
      await chain.close()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** The data of an answer, which must be a success. */
export const data = (said: Said) => {
  if (!said.ok) throw new Error(`${said.code}: ${said.message}`)
  return said.data
}

/** Waits until no send is under way. */
export const drained = ({ database }: Scene) =>
  until("no send is under way", async () => ((await database.underWay()) === 0 ? true : undefined))

/** Runs work in a scene of its own. */
export const inScene = async <A>(
  bundle: Child.Bundle,
  options: Options,
  work: (scene: Scene) => Promise<A>
): Promise<A> => {
  const scene = await open(bundle, options)
  try {
    return await work(scene)
  } finally {
    await scene.close()
  }
}
