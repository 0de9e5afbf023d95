/**
 * Where sends on Solana are killed: a local Solana whose slots pass while somebody lives to see them, a PostgreSQL
 * database, and processes of the service on them.
 */
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateKeyPairSigner } from "@solana/kit"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "../../adapters/postgres/server.ts"
import { LocalSolana, layer as localSolana } from "../../apps/sandbox/solana/local-solana.ts"
import * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import * as PayerTransactions from "../support/payer-transactions.ts"
import * as PostgresServer from "../support/postgres-server.ts"
import * as Rows from "../support/rows.ts"
import { amountMicro } from "../support/signable-orders.ts"
import { minBuyAmount, sellAmount } from "../support/signable-swaps.ts"
import * as Solana from "../support/solana.ts"
import { unitsOf } from "../support/solana-swaps.ts"
import type { Meant, Question, Settings, State } from "./solana-settings.ts"

export interface Replica {
  readonly child: Child.Child<object>
  readonly ask: (question: Question) => Promise<unknown>
}

export type Weather = "clear" | "lossy" | "late"

const slotMs = 4

const openChain = async () => {
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(
    Layer.buildWithScope(localSolana({ directory: null, slotMs: null }), scope)
  )
  const chain = Context.get(context, LocalSolana)
  const run = <A, E>(effect: Effect.Effect<A, E, LocalSolana>) =>
    Effect.runPromise(Effect.provideContext(effect, context))
  const buy = chain.market.tokens[0]?.mint ?? ""
  let timer: NodeJS.Timeout | undefined
  return {
    rpcUrl: chain.rpcUrl,
    usdc: chain.usdc,
    aggregatorUrl: chain.market.url,
    buy,
    bought: (owner: string) => run(unitsOf(owner, buy)),
    /** What is bought becomes so much worth in USDC, in every pool alike. */
    price: async (micro: bigint) => {
      const now = await run(chain.market.priceOf(buy))
      await run(
        now < micro
          ? chain.market.dilute(chain.usdc, [micro, now])
          : chain.market.dilute(buy, [now, micro])
      )
    },
    /** Somebody trades ahead, so that the pools give so many thousandths less. */
    worsen: (perMille: bigint) => run(chain.market.dilute(chain.usdc, [1000n, 1000n - perMille])),
    /** Whether slots pass, and how fast. */
    runs: (isRunning: boolean, everyMs = slotMs) => {
      clearInterval(timer)
      timer = isRunning ? setInterval(() => Effect.runSync(chain.advance(1)), everyMs) : undefined
    },
    /** What a payer signs who holds just that much, over the newest block. */
    signedPayment: (draft: Omit<PayerTransactions.Draft, "payer">) =>
      run(
        Effect.gen(function* () {
          const payer = yield* PayerTransactions.payerWith(draft.amountMicro)
          yield* chain.advance(2)
          return yield* PayerTransactions.plain({ ...draft, payer })
        })
      ),
    advance: (slots: number) => run(chain.advance(slots)),
    mint: (to: string, amount: bigint) => run(chain.mint(to, amount)),
    forget: (isForgotten: boolean) => run(chain.forget(isForgotten)),
    giveGas: (to: string) => run(chain.giveGas(to)),
    held: (owner: string) => run(Solana.held(owner)),
    weather: (weather: Weather) =>
      run(
        chain.setWeather(
          weather === "clear" ? "clear" : weather === "lossy" ? "lost" : { lateSlots: 60n }
        )
      ),
    close: () => {
      clearInterval(timer)
      return Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

type Chain = Awaited<ReturnType<typeof openChain>>

/** How it is counted how often a send or a swap took place. */
const acts = {
  send: {
    operation: "propose_transfer",
    units: amountMicro,
    payee: async () => (await generateKeyPairSigner()).address as string,
    times: async (chain: Chain, payee: string) => (await chain.held(payee)) / amountMicro
  },
  swap: {
    operation: "propose_solana_swap",
    units: sellAmount,
    payee: async (wallet: string) => wallet,
    /** Sold so often; never, when less was bought than the floor for each. */
    times: async (chain: Chain, wallet: string) => {
      const sold = (2n * sellAmount - (await chain.held(wallet))) / sellAmount
      return (await chain.bought(wallet)) < sold * minBuyAmount ? -1n : sold
    }
  }
}

export const openScene = async (bundle: Child.Bundle, act: keyof typeof acts = "send") => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-solana-scene-"))
  const [chain, server] = await Promise.all([openChain(), PostgresServer.start()])
  const payees: Array<string> = []
  const sql = (statement: string) =>
    Effect.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe(statement)).pipe(
        Effect.provide(
          Server.layer({ url: Redacted.make(server.url("template1")), maxConnections: 1 })
        ),
        Effect.scoped
      )
    )
  const start = async ({
    aheadMs = 0,
    database = "postgres",
    priceMicro = 500_000n,
    works = true
  }: {
    readonly aheadMs?: number
    readonly database?: string
    readonly priceMicro?: bigint
    readonly works?: boolean
  } = {}): Promise<Replica> => {
    const settings: Settings = {
      directory,
      databaseUrl: server.url(database),
      rpcUrl: chain.rpcUrl,
      usdc: chain.usdc,
      aggregatorUrl: chain.aggregatorUrl,
      buy: chain.buy,
      priceMicro: String(priceMicro),
      aheadMs,
      works
    }
    const child = await Child.start<object>(bundle, settings)
    return { child, ask: child.ask }
  }
  /** A send that nobody has sent before, from a wallet that holds what it takes. */
  const meant = async ({ ask }: Replica): Promise<Meant> => {
    const keyId = Rows.aKeyId()
    const wallet = String(await ask({ ask: "wallet", keyId }))
    await chain.mint(wallet, 2n * acts[act].units)
    const payee = await acts[act].payee(wallet)
    payees.push(payee)
    const call = { operation: acts[act].operation, idempotencyKey: randomUUID() }
    return { act, accountId: randomUUID(), keyId, payee, call }
  }
  const first = await start({ works: false })
  await chain.giveGas(String(await first.ask({ ask: "relayer" })))
  await first.child.stop()
  return {
    chain,
    start,
    meant,
    sql,
    /** Payees by how often each was paid, once nothing that is under way can land any more. */
    paid: async () => {
      chain.runs(false)
      await chain.weather("clear")
      await chain.advance(400)
      const times = new Map<bigint, number>()
      for (const payee of payees) {
        const count = await acts[act].times(chain, payee)
        times.set(count, (times.get(count) ?? 0) + 1)
      }
      return times
    },
    close: async () => {
      await chain.close()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

export type Scene = Awaited<ReturnType<typeof openScene>>

export const stateOf = async ({ ask }: Replica, accountId: string, proposalId: string) =>
  (await ask({ ask: "state", accountId, proposalId })) as State

/** Waits until a send has ended as completed, with its reservation consumed and nothing left to look at. */
export const completes = (replica: Replica, { accountId }: Meant, proposalId: string) =>
  until(`${proposalId} is completed`, async () => {
    const state = await stateOf(replica, accountId, proposalId)
    if (state.status === "failed") throw new Error(`It failed: ${state.reason}`)
    const isDone = state.status === "completed" && state.reservation === "consumed"
    return isDone && state.isClosed ? state : undefined
  })
