/**
 * What is measured in time, as it has to keep somebody's: opening the console's overview and asking for the portfolio
 * over the service's own ports, and how soon many overdue requests have expired.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as SqlClient from "effect/sql/SqlClient"
import { surfaces } from "../../apps/server/wiring.ts"
import { issueEnrolment } from "../../core/humans/issue-enrolment.ts"
import { expireDue } from "../../core/payments/expire.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { Visitor } from "../../test/support/console-visitor.ts"
import * as LocalChain from "../local-chain.ts"
import { spreadOf } from "../measure.ts"
import * as BenchPorts from "../ports.ts"
import type { Templates } from "./fill/templates.ts"
import * as Ports from "./ports.ts"

const repeats = 15
const siteUrl = "https://treasury.example"

/** So many are overdue after an outage, or as many as there are; and how soon all of them are to have expired. */
const maxOverdue = 50_000
const maxExpiringMs = 20_000

/** How long whoever looks waits at most, but for the first time. */
const maxLookMs = 100

/** What was measured, and whether it is within its bar. */
export interface Told {
  readonly text: string
  readonly isMet: boolean
}

const timed = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const beganMs = yield* Clock.currentTimeMillis
  const result = yield* work
  return { result, ms: (yield* Clock.currentTimeMillis) - beganMs }
})

/** The first, and the median of those after it, of which none may take too long. */
const again = Effect.fnUntraced(function* <E, R>(what: string, work: Effect.Effect<unknown, E, R>) {
  const { ms } = yield* timed(work)
  const later: Array<number> = []
  for (let turn = 0; turn < repeats; turn++) later.push((yield* timed(work)).ms)
  const { median, most } = spreadOf(later)
  const told: Told = {
    text: `${what}: first ${ms.toFixed(0)} ms, then ${median.toFixed(0)} ms, at most ${most.toFixed(0)}`,
    isMet: most <= maxLookMs
  }
  return told
})

const opened = (origin: string, { cookie }: Visitor) =>
  Effect.promise(async () => {
    const answer = await fetch(`${origin}/console`, { headers: cookie })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${answer.status}: ${text.slice(0, 300)}`)
  })

const portfolio = Effect.fnUntraced(function* ({ caller }: Templates) {
  const server = Context.get(yield* Effect.context<HttpServer.HttpServer>(), HttpServer.HttpServer)
  const origin = NetAddress.formatUrlUnsafe(server.address)
  const { accountId } = caller
  // One who is there already: of people there are as many as a list needs.
  const humanId = "0198c7a0-0000-7000-8000-000000000001"
  const wanted = { accountId, purpose: "operator", name: "Ada", hours: 1, humanId } as const
  const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  const visitor = new Visitor(origin, siteUrl)
  const { status } = yield* visitor.enrol(url)
  if (status !== 200) return yield* Effect.die(new Error(`Enrolling answered ${status}.`))
  const calls = callsOf(caller)
  return [
    yield* again("get_portfolio, a page of 100 wallets", calls.get_portfolio({})),
    yield* again("the console's overview", opened(origin, visitor))
  ]
})

/** The totals of all wallets are being read meanwhile, which takes long. */
const looking = Effect.fnUntraced(function* (own: Templates, url: string) {
  const sql = yield* SqlClient.SqlClient
  // Only one chain is there now, and the overview asks for the newest wallet.
  yield* sql`update wallet set created_at = created_at - interval '200 days' where account_id = ${own.caller.accountId} and chain_id <> 'local'`
  const { connection } = yield* LocalChain.pay([`0x${"aa".repeat(20)}`], 1n, 1)
  yield* Effect.orDie(LocalChain.deployMulticall(connection.rpcUrl))
  const served = surfaces({ port: 0, host: "127.0.0.1", corsOrigins: [] }).pipe(
    Layer.provideMerge(BenchPorts.onPostgres(url, { siteUrl, chains: [connection] }))
  )
  return yield* Effect.provide(portfolio(own), yield* Layer.build(served))
}, Effect.scoped)

const expiring = Effect.fnUntraced(function* ({ caller }: Templates) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set statement_timeout = 0`
  yield* sql`update payment_request set expires_at = now() - interval '400 days' where id in
    (select id from payment_request where status = 'open' and chain_id = 'local' and account_id = ${caller.accountId} limit ${maxOverdue})`
  yield* sql`vacuum (analyze) payment_request`
  const { ms, result } = yield* timed(expireDue)
  const told: Told = {
    text: `${result} overdue payment requests expired in ${(ms / 1000).toFixed(1)} s`,
    isMet: ms <= maxExpiringMs
  }
  return told
})

/** What to tell of it. */
export const told = Effect.fnUntraced(function* (own: Templates, url: string) {
  return [
    ...(yield* looking(own, url)),
    yield* Effect.provide(expiring(own), Ports.onPostgres(url, 10))
  ]
})
