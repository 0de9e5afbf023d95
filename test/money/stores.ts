/**
 * What the raw tables say, in statements of our own: the sums of windows, and whether every reservation
 * stands as its proposal does. None of the service's code reads them here.
 */
import { Effect, ManagedRuntime, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "../../adapters/postgres/server.ts"

/** A send that holds money: under way or done. */
export interface Live {
  readonly id: string
  readonly account: string
  readonly status: "executing" | "completed"
  readonly amount: string
  /** The windows of the instant it was reserved at, from that instant itself. */
  readonly day: string
  readonly month: string
  readonly txHashes: ReadonlyArray<string>
}

export interface Window {
  readonly account: string
  readonly window: string
  readonly micro: string
}

/** Where a proposal and its reservation say different things. */
const contradictions = `
  select p.id from proposal p left join spend_reservation r on r.proposal_id = p.id
  where p.kind = 'send' and (
    case p.status
      when 'executing' then r.state is distinct from 'reserved'
      when 'completed' then r.state is distinct from 'consumed'
      when 'failed' then r.state is not null and r.state <> 'released'
      else r.proposal_id is not null
    end
    or r.amount_micro <> (p.terms->>'amountSmallestUnit')::numeric
    or r.account_id <> p.account_id
    or r.day <> to_char(r.reserved_at at time zone 'UTC', 'YYYY-MM-DD'))`

/** Live reservations less what is under way or done, over everything. */
const drift = `
  select (coalesce((select sum(amount_micro) from spend_reservation where state <> 'released'), 0)
    - coalesce((select sum((terms->>'amountSmallestUnit')::numeric) from proposal
      where kind = 'send' and status in ('executing', 'completed')), 0))::text as micro`

const windows = `
  select account_id as account, day as window, sum(amount_micro)::text as micro
  from spend_reservation where state <> 'released' group by account_id, day
  union all
  select account_id, month, sum(amount_micro)::text
  from spend_reservation where state <> 'released' group by account_id, month`

const live = `
  select p.id, p.account_id as account, p.status, p.terms->>'amountSmallestUnit' as amount,
    to_char(r.reserved_at at time zone 'UTC', 'YYYY-MM-DD') as day,
    to_char(r.reserved_at at time zone 'UTC', 'YYYY-MM') as month, p.tx_hashes as "txHashes"
  from proposal p join spend_reservation r on r.proposal_id = p.id
  where p.kind = 'send' and p.status in ('executing', 'completed')`

const gaps = `select count(*)::integer as count from (
  select relayer_sequence - lag(relayer_sequence) over (order by relayer_sequence) as step
  from submission where relayer_sequence is not null) steps where step <> 1`

export const open = (url: string) => {
  const runtime = ManagedRuntime.make(Server.layer({ url: Redacted.make(url), maxConnections: 2 }))
  const rows = <Row extends object>(statement: string): Promise<ReadonlyArray<Row>> =>
    runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(statement)))
  const count = async (statement: string) =>
    Number((await rows<{ count: number }>(statement))[0]?.count)
  return {
    rows,
    windows: () => rows<Window>(windows),
    live: () => rows<Live>(live),
    contradictions: async () => (await rows<{ id: string }>(contradictions)).map(({ id }) => id),
    driftMicro: async () => BigInt((await rows<{ micro: string }>(drift))[0]?.micro ?? "-1"),
    /** Sends that ended without money: nothing of them may be on the chain. */
    unpaid: async () =>
      (
        await rows<{ id: string }>(
          `select id from proposal where kind = 'send' and status not in ('executing', 'completed')`
        )
      ).map(({ id }) => id),
    /** The nonce that was signed for each send. */
    nonces: async () =>
      new Map(
        (
          await rows<{ id: string; nonce: string }>(
            `select proposal_id as id, journal->'authorization'->>'nonce' as nonce from submission
              where jsonb_typeof(journal->'authorization') = 'object'`
          )
        ).map(({ id, nonce }) => [id, nonce])
      ),
    underWay: () =>
      count(`select count(*)::integer as count from submission where next_look_at is not null`),
    /** Steps between the relayer's nonces that are not one. */
    nonceGaps: () => count(gaps),
    /** How many nonces of the relayer were given. */
    noncesGiven: () =>
      count("select coalesce(max(next), 0)::integer as count from relayer_sequence"),
    countOf: (status: string) =>
      count(`select count(*)::integer as count from proposal where status = '${status}'`),
    close: () => runtime.dispose()
  }
}

export type Stores = ReturnType<typeof open>
