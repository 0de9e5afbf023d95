/**
 * One poll of a chain's watcher with 10,000 vaults in the records and 4,000 transfers of USDC in twenty new
 * blocks, 400 of them to vaults: read, checked and matched, against merely asking the node for the same.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Header from "../adapters/evm/block.ts"
import * as Log from "../adapters/evm/log.ts"
import * as Rpc from "../adapters/evm/rpc.ts"
import { Cursors } from "../core/payments/transfer-store.ts"
import { watchOnce } from "../core/payments/watch.ts"
import { type Block, Chains } from "../core/ports/chains.ts"
import { Wallets } from "../core/wallets/wallet-store.ts"
import * as Numbered from "../test/support/numbered-ids.ts"
import * as Stored from "../test/support/stored-rows.ts"
import * as Database from "./database.ts"
import * as LocalChain from "./local-chain.ts"
import {
  atMost,
  interleaved,
  type Measurement,
  quoted,
  ratio,
  runAlone,
  spreadOf
} from "./measure.ts"
import * as Ports from "./ports.ts"

const vaults = 10_000
const transfers = 4_000
const hits = 400
const blocks = 20
const maxMs = 250
/** Polls of each kind in one round, of which the median counts. */
const repeats = 5

const amountMicro = 10_000_000n

const addressOf = (place: number) => `0xaa${place.toString(16).padStart(38, "0")}`
const strangerOf = (place: number) => `0xbb${place.toString(16).padStart(38, "0")}`

/** Every tenth transfer pays a vault, each another one. */
const receivers = Array.from({ length: transfers }, (_, at) =>
  at % (transfers / hits) === 0 ? addressOf(at) : strangerOf(at)
)

/** Vaults of one account, and an open request on each that will be paid. */
const plantVaults = Effect.gen(function* () {
  const { id } = yield* Stored.account()
  const sql = yield* SqlClient.SqlClient
  const each = transfers / hits
  const vault = sql.literal(Numbered.inSql("vault", "at"))
  yield* sql`
    insert into wallet (id, account_id, name, address, chain_id, is_default, metadata, kind,
      namespace, external_id, key_backend, key_ref, is_recoverable, created_at)
    select ${vault}, ${id}::uuid, 'Vault', '0xaa' || lpad(to_hex(at), 38, '0'), 'local', false, '{}',
      'collection', 'default', 'customer_' || at, 'seed', 'vault-' || at, true, now() - interval '1 day'
    from generate_series(0, ${vaults - 1}::integer) at`
  yield* sql`
    insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address,
      amount_micro, received_micro, status, settlement_issue, said, expires_at, created_at,
      updated_at)
    select gen_random_uuid(), 'pr_' || at, ${id}::uuid, ${vault}, 'local',
      '\\x02'::bytea || decode('aa' || lpad(to_hex(at), 38, '0'), 'hex'), ${amountMicro}, 0, 'open', 'none', '\\x007b7d',
      now() + interval '7 days', now() - interval '1 hour', now() - interval '1 hour'
    from generate_series(0, ${transfers - 1}::integer, ${each}::integer) at`
  yield* sql`analyze`
})

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const median = async (work: () => Promise<unknown>): Promise<number> => {
  const taken: Array<number> = []
  for (let turn = 0; turn < repeats; turn++) taken.push(await timed(work))
  return spreadOf(taken).median
}

/** What any watcher must do: ask for the logs and the blocks, and find the known receivers among them. */
const asking = ({ connection, from, to }: LocalChain.Laid) => {
  const numbers = Array.from({ length: to - from }, (_, at) => from + 1 + at)
  const calls = [Log.askBetween(connection.usdc, from + 1, to), ...numbers.map(Header.ask)]
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })))
  const known = new Set(Array.from({ length: vaults }, (_, at) => addressOf(at)))
  return async () => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(connection.rpcUrl, { method: "POST", headers, body })
    const answers = (await response.json()) as ReadonlyArray<{ id: number; result: unknown }>
    const logs = answers.find(({ id }) => id === 0)?.result as ReadonlyArray<{
      readonly topics: ReadonlyArray<string>
    }>
    const paid = logs.filter(({ topics }) => known.has(`0x${topics[2]?.slice(26)}`))
    if (paid.length !== hits) throw new Error(`${paid.length} transfers to vaults were found.`)
  }
}

/** Looks at the chain from below the transfers and finds the vaults that were paid. */
const poll = Effect.fnUntraced(function* (below: Block) {
  const sighting = yield* (yield* Chains).look("local", { blocks: [below] })
  const addresses = [...new Set(sighting.transfers.map(({ to }) => to))]
  const paid = yield* (yield* Wallets).vaultsAt("local", addresses)
  if (paid.length !== hits) throw new Error(`${paid.length} paid vaults were found.`)
})

/** The whole turn of the watcher, which also takes what it found into the records; how long it took. */
const turn = Effect.fnUntraced(function* (below: Block) {
  const [connected] = (yield* Chains).connected
  if (connected === undefined) throw new Error("No chain is connected.")
  yield* (yield* Cursors).start({
    chainId: connected.chain.id,
    blocks: [below],
    head: below.number,
    finalNumber: 0,
    finalTime: below.timestamp,
    round: null
  })
  const startedAt = performance.now()
  yield* watchOnce(connected)
  return performance.now() - startedAt
})

const blockBelow = Effect.fnUntraced(function* ({ connection, from }: LocalChain.Laid) {
  const rpc = Rpc.make(connection.rpcUrl, connection)
  const [answer] = yield* Effect.orDie(rpc([Header.ask(from)]))
  const header = Header.decode(answer)
  return header === undefined ? yield* Effect.die(new Error("The block is gone.")) : header.block
})

const measured = Effect.fnUntraced(function* (database: Awaited<ReturnType<typeof Database.open>>) {
  const laid = yield* LocalChain.pay(receivers, amountMicro, transfers / blocks)
  const below = yield* blockBelow(laid)
  const portsOn = (url: string) => Ports.onPostgres(url, { chains: [laid.connection] })
  yield* Effect.provide(plantVaults, portsOn(database.url))
  const ports = yield* Layer.build(portsOn(yield* Effect.promise(() => database.copy("polled"))))
  const ask = asking(laid)
  let copies = 0
  return yield* Effect.promise(() =>
    interleaved({
      asked: () => median(ask),
      polled: () => median(() => Effect.runPromise(Effect.provide(poll(below), ports))),
      taken: async () => {
        const url = await database.copy(`taken_${++copies}`)
        return Effect.runPromise(Effect.provide(turn(below), portsOn(url)))
      }
    })
  )
})

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  try {
    const { asked, polled, taken } = await Effect.runPromise(Effect.scoped(measured(database)))
    const against = "fetching the same logs and blocks from anvil, and a look into a Set"
    return {
      file: "watch.ts",
      figures: [
        {
          what: `poll: ${transfers} transfers, ${vaults} vaults, ${hits} of them paid`,
          against,
          ours: quoted(polled, "ms"),
          theirs: quoted(asked, "ms"),
          ratio: ratio(polled, asked),
          target: { ...atMost(maxMs, spreadOf(polled)), said: `≤ ${maxMs} ms` }
        },
        {
          what: `whole turn: the poll, and ${hits} payments taken into the books`,
          against,
          ours: quoted(taken, "ms"),
          theirs: quoted(asked, "ms"),
          ratio: ratio(taken, asked)
        }
      ]
    }
  } finally {
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
