/**
 * get_portfolio of an account with a hundred wallets on anvil with Multicall3, against asking the same node
 * for the same facts: each balance in a call of its own, and all of them in one batch.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Rpc from "../adapters/evm/rpc.ts"
import { authenticate } from "../core/accounts/authenticate.ts"
import { openAccount } from "../core/accounts/open.ts"
import { issue } from "../core/keys/create-key.ts"
import { Scope } from "../core/operation/caller.ts"
import { callsOf } from "../core/treasury/treasury.ts"
import * as Database from "./database.ts"
import * as LocalChain from "./local-chain.ts"
import { interleaved, type Measurement, quoted, ratio, runAlone, spreadOf } from "./measure.ts"
import * as Ports from "./ports.ts"

const wallets = 100
const amountMicro = 12_500_000n
/** Answers of each kind in one round, of which the median counts. */
const repeats = 9

const addressOf = (place: number) => `0xaa${place.toString(16).padStart(38, "0")}`
const holders = Array.from({ length: wallets }, (_, at) => addressOf(at))

const plant = Effect.gen(function* () {
  const account = yield* openAccount({ name: "Shop", kind: "developer", tier: "startup" })
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into wallet (id, account_id, name, address, chain_id, is_default, metadata, kind,
      namespace, external_id, key_backend, key_ref, is_recoverable, created_at)
    select gen_random_uuid(), ${account.id}::uuid, 'Vault', '0xaa' || lpad(to_hex(at), 38, '0'), 'local',
      false, '{}', 'collection', 'default', 'customer_' || at, 'seed', 'vault-' || at, true, now() - interval '1 day'
    from generate_series(0, ${wallets - 1}::integer) at`
  yield* sql`analyze`
  const wanted = { accountId: account.id, kind: "developer", label: null, expiresAt: null } as const
  const { text } = yield* issue({ ...wanted, scopes: Scope.literals })
  return callsOf(yield* authenticate(text))
})

const median = async (work: () => Promise<unknown>): Promise<number> => {
  const taken: Array<number> = []
  for (let turn = 0; turn < repeats; turn++) {
    const startedAt = performance.now()
    await work()
    taken.push(performance.now() - startedAt)
  }
  return spreadOf(taken).median
}

/** The balance of USDC and of coins of every wallet, as calls of the node. */
const questions = (usdc: string): ReadonlyArray<Rpc.Call> =>
  holders.flatMap((holder) => [
    {
      method: "eth_call",
      params: [{ to: usdc, data: `0x70a08231${holder.slice(2).padStart(64, "0")}` }, "latest"]
    },
    { method: "eth_getBalance", params: [holder, "latest"] }
  ])

const asking = ({ connection }: LocalChain.Laid) => {
  const calls = questions(connection.usdc)
  const post = async (some: ReadonlyArray<Rpc.Call>): Promise<ReadonlyArray<string>> => {
    const response = await fetch(connection.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(some.map((call, id) => ({ jsonrpc: "2.0", id, ...call })))
    })
    const answers = (await response.json()) as ReadonlyArray<{ readonly result: string }>
    return answers.map(({ result }) => result)
  }
  const check = (answers: ReadonlyArray<string>) => {
    const held = answers.reduce((sum, answer) => sum + BigInt(answer), 0n)
    if (held !== BigInt(wallets) * amountMicro) throw new Error(`${held} was found.`)
  }
  return {
    batched: async () => check(await post(calls)),
    singly: async () => {
      const found: Array<string> = []
      for (const call of calls) found.push(...(await post([call])))
      check(found)
    }
  }
}

const measured = Effect.fnUntraced(function* (database: Awaited<ReturnType<typeof Database.open>>) {
  const laid = yield* LocalChain.pay(holders, amountMicro, wallets)
  yield* Effect.orDie(LocalChain.deployMulticall(laid.connection.rpcUrl))
  const ports = yield* Layer.build(Ports.onPostgres(database.url, { chains: [laid.connection] }))
  const call = yield* Effect.provide(plant, ports)
  const { batched, singly } = asking(laid)
  const portfolio = async () => {
    const told = await Effect.runPromise(Effect.provide(call.get_portfolio({}), ports))
    if (told.totalUsd !== "1250.00" || told.wallets.length !== wallets) {
      throw new Error(`${told.wallets.length} wallets with ${told.totalUsd} USD were told.`)
    }
  }
  return yield* Effect.promise(() =>
    interleaved({
      portfolio: () => median(portfolio),
      batched: () => median(batched),
      singly: () => median(singly)
    })
  )
})

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  try {
    const { portfolio, batched, singly } = await Effect.runPromise(
      Effect.scoped(measured(database))
    )
    const what = `get_portfolio: ${wallets} wallets, USDC and coins, spam looked for`
    const ours = quoted(portfolio, "ms")
    return {
      file: "portfolio.ts",
      figures: [
        {
          what,
          against: `${2 * wallets} calls of the node for the same balances, one after another`,
          ours,
          theirs: quoted(singly, "ms"),
          ratio: ratio(portfolio, singly)
        },
        {
          what,
          against: `the same ${2 * wallets} calls in one batch`,
          ours,
          theirs: quoted(batched, "ms"),
          ratio: ratio(portfolio, batched)
        }
      ]
    }
  } finally {
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
