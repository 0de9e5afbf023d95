/**
 * For what three processes on one PostgreSQL and one chain wait in each other's way: what PostgreSQL itself logs of every
 * lock that somebody waited for longer than a millisecond, by the kind of lock and the table, while each process has calls
 * of accounts of its own and all three deliver webhooks; then while each sends from a wallet of its own, over the one
 * relayer that all share. It fails where a call waited so long for an advisory lock, or where what sends waited for those
 * comes to a millisecond a send.
 *
 *     node bench/lock-waits.ts 20
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "../adapters/evm/node.ts"
import * as Anvil from "../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../apps/sandbox/circle-usdc.ts"
import * as Chain from "../core/chains/chain.ts"
import * as PostgresServer from "../test/support/postgres-server.ts"
import { type Child, start } from "./child.ts"
import { runOn } from "./database.ts"
import type { Sending } from "./servers/sending.ts"
import * as Waits from "./waits.ts"

const processes = 3
/** Calls at once at each process, of each kind. */
const lanes = 6
const seconds = Number(process.argv[2] ?? 20)

/** Most that a call may wait for advisory locks, taken over all calls; the chain's cursor is a row. */
const maxAdvisoryMs = 1

const plentyWei = `0x${(10n ** 24n).toString(16)}`
const plentyMicro = 10n ** 12n

type Key = Pick<Sending, "apiKey" | "origin">

const post = async <Data>(
  { apiKey, origin }: Key,
  path: string,
  body: unknown,
  under = "/api/v1"
): Promise<Data> => {
  const response = await fetch(`${origin}${under}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID()
    },
    body: JSON.stringify(body)
  })
  const answer = (await response.json()) as { readonly ok: boolean; readonly data: Data }
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer.data
}

let made = 0

type Kind = (facts: Sending) => Promise<unknown>

const calls: ReadonlyArray<Kind> = [
  (facts) =>
    post(facts, "/payment-requests", { walletMappingId: facts.vaultId, amountUsd: "12.50" }),
  (facts) =>
    post(facts, "/checkout/sessions", {
      customer: { externalId: `customer_${1 + (made % 20)}` },
      amountUsd: "7"
    }),
  // A confirmation shares the lock of the account's co-signers.
  async (facts) => {
    const { proposalId } = await post<{ readonly proposalId: string }>(
      facts,
      "/proposals/rename-account",
      { accountId: facts.vaultId, nickname: `Branch ${++made}` }
    )
    return post(facts, `/proposals/${proposalId}/confirm`, { waitMs: 0 })
  }
]

/** Until it has a receipt. */
const send: Kind = async ({ agent, origin }) => {
  const key = { apiKey: agent.apiKey, origin }
  const { proposalId } = await post<{ readonly proposalId: string }>(key, "/proposals/transfers", {
    recipientId: agent.recipientId,
    fromWalletId: agent.walletId,
    amountUsdc: "0.01"
  })
  const { status } = await post<{ readonly status: string }>(
    key,
    `/proposals/${proposalId}/confirm`,
    { waitMs: 30_000 }
  )
  if (status !== "completed") throw new Error(`A send is ${status}.`)
}

const sumOf = (waits: ReadonlyArray<Waits.Wait>) => waits.reduce((sum, { ms }) => sum + ms, 0)

/** Whether advisory locks kept their bound. */
const tell = (
  waits: ReadonlyArray<Waits.Wait>,
  done: number,
  advisoryLocks: ReadonlyMap<string, string>
) => {
  const nameOf = ({ key = "", table = "?" }: Waits.Wait) => advisoryLocks.get(key) ?? table
  const kinds = Map.groupBy(waits, (wait) => `${wait.lock}, ${nameOf(wait)}`)
  for (const [kind, all] of kinds) {
    const sorted = all.map(({ ms }) => ms).toSorted((one, other) => one - other)
    console.log(
      `${kind}: ${all.length}, ${(sumOf(all) / done).toFixed(3)} ms a call; median ${sorted[sorted.length >> 1]?.toFixed(1)}, at most ${sorted.at(-1)?.toFixed(1)} ms`
    )
  }
  const advisory = waits.filter(({ lock }) => lock === "advisory")
  const meanMs = sumOf(advisory) / done
  const isMet = meanMs < maxAdvisoryMs
  console.log(
    `advisory locks: ${advisory.length} waits, ${meanMs.toFixed(3)} ms a call, bound ${maxAdvisoryMs} ms: ${isMet ? "met" : "missed"}`
  )
  return { count: advisory.length, isMet }
}

/** All processes do all kinds in lanes, for so long. */
const phase = async (
  url: string,
  what: string,
  all: ReadonlyArray<Sending>,
  kinds: ReadonlyArray<Kind>,
  waits: Array<Waits.Wait>
) => {
  waits.length = 0
  const endsAt = performance.now() + seconds * 1000
  let done = 0
  const refused = new Map<string, number>()
  const lane = async (facts: Sending, call: Kind) => {
    while (performance.now() < endsAt) {
      await call(facts).catch((error: Error) => {
        refused.set(error.message, (refused.get(error.message) ?? 0) + 1)
      })
      done += 1
    }
  }
  await Promise.all(
    all.flatMap((facts) =>
      kinds.flatMap((call) => Array.from({ length: lanes }, () => lane(facts, call)))
    )
  )
  console.log(
    `${done} ${what} in ${seconds} s over ${processes} processes, ${lanes * kinds.length} at once each; waits beyond 1 ms:`
  )
  const advisory = tell(waits, done, await runOn(url, Waits.advisoryLocks))
  for (const [message, count] of [...refused].slice(0, 5)) console.log(count, message.slice(0, 200))
  return advisory
}

const openChain = Effect.gen(function* () {
  const anvil = yield* Anvil.start()
  const usdc = yield* CircleUsdc.deploy(anvil)
  const chain = Chain.find("local")
  if (chain === undefined) return yield* Effect.die(new Error("The local chain is not known."))
  const { rpcUrl } = anvil
  const connection: Connection = { chain, usdc, rpcUrl, confirmations: 1, pollMs: 50 }
  return { anvil, connection }
})

type Ground = Effect.Success<typeof openChain>

/** Whoever sends has money, whoever pays fees has coins; from then on blocks come as transactions do. */
const fund = Effect.fnUntraced(function* (
  { anvil, connection }: Ground,
  all: ReadonlyArray<Sending>
) {
  for (const { agent, relayer } of all) {
    yield* CircleUsdc.mint(anvil, connection.usdc, agent.walletAddress, plentyMicro)
    yield* anvil.call("anvil_setBalance", relayer, plentyWei)
  }
  yield* anvil.call("evm_setAutomine", true)
})

const main = async (ground: Ground) => {
  const waits: Array<Waits.Wait> = []
  const server = await PostgresServer.start({
    settings: Waits.settings,
    hear: Waits.listener(waits)
  })
  const sink = createServer((request, response) => request.resume().on("end", () => response.end()))
  const children: Array<Child<Sending>> = []
  try {
    await new Promise<void>((resume) => sink.listen(0, "127.0.0.1", resume))
    await runOn(
      server.url("postgres"),
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create database bursar template template0`)
    )
    const chain = JSON.stringify(ground.connection)
    for (let at = 0; at < processes; at++) {
      children.push(await start<Sending>("servers/sending.ts", server.url("bursar"), chain))
    }
    const all = children.map(({ facts }) => facts)
    const { port } = sink.address() as AddressInfo
    for (const facts of all) {
      await post(facts, "/merchant-webhooks", { url: `http://127.0.0.1:${port}/` }, "/api")
    }
    await Effect.runPromise(fund(ground, all))
    // Each process has accounts of its own: none is to wait for another's.
    const url = server.url("bursar")
    const ofCalls = await phase(url, "calls", all, calls, waits)
    const ofSends = await phase(url, "sends", all, [send], waits)
    if (ofCalls.count > 0 || !ofCalls.isMet || !ofSends.isMet) process.exitCode = 1
  } finally {
    for (const child of children) await child.stop()
    sink.close()
    await server.stop()
  }
}

await Effect.runPromise(
  Effect.scoped(Effect.flatMap(openChain, (ground) => Effect.promise(() => main(ground))))
)
process.exit()
