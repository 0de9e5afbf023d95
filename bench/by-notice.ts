/**
 * Events handed on by hand, for the time from commit to commit to be compared with: a notice told with the commit, one
 * statement that claims, the same post, and one statement that records. Nobody fences, retries or counts places.
 */
import pg from "pg"
import * as ByHand from "./by-hand.ts"
import * as Queue from "./queue.ts"

const channel = "by_notice"

const create = `
  create table if not exists handed_event (id text primary key, body text not null);
  create table if not exists handed (id text primary key, status text not null);
  create index if not exists handed_waits on handed (id) where status = 'pending';
  create table if not exists handed_attempt (
    id text primary key, at timestamptz not null, duration_ms integer not null, response_status integer)`

const write = {
  name: "write",
  text: `with event as (insert into handed_event values ($1, $2)),
      written as (insert into handed values ($1, 'pending'))
    select pg_notify('${channel}', '')`
}

const claim = {
  name: "claim",
  text: `with claimed as (
      update handed set status = 'sending' where id in (
        select id from handed where status = 'pending' for update skip locked limit 64)
      returning id)
    select claimed.id, event.body from claimed join handed_event event on event.id = claimed.id`
}

const record = {
  name: "record",
  text: `with recorded as (insert into handed_attempt values ($1, now(), 3, 200))
    update handed set status = 'delivered' where id = $1`
}

const median = `
  select percentile_cont(0.5) within group (order by extract(epoch from
    pg_xact_commit_timestamp(attempt.xmin) - pg_xact_commit_timestamp(event.xmin))::float8) as median
  from handed_event event join handed_attempt attempt on attempt.id = event.id
  where event.id = any($1::text[])`

/** Carries what waits whenever a notice comes, from "go" until "rest". */
export const carrier = async (url: string, origin: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 5 })
  const listening = new pg.Client({ connectionString: url })
  await listening.connect()
  await listening.query(create)
  const post = ByHand.sender(origin, 16)
  const carryOne = async ({ body, id }: { readonly id: string; readonly body: string }) => {
    await post(id, body)
    await pool.query({ ...record, values: [id] })
  }
  listening.on("notification", async () => {
    const { rows } = await pool.query<{ id: string; body: string }>(claim)
    await Promise.all(rows.map(carryOne))
  })
  return {
    go: () => void listening.query(`listen ${channel}`),
    rest: () => listening.query(`unlisten ${channel}`)
  }
}

let count = 0

/** Writes events at an even pace, and tells the median from their commits to those of their attempts, in milliseconds. */
export const pacedMs = async (url: string, perSecond: number, events: number): Promise<number> => {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const ids: Array<string> = []
  for (let at = 0; at < events; at++) {
    await new Promise((resume) => setTimeout(resume, 1000 / perSecond))
    const id = `evt_notice${++count}`
    await pool.query({ ...write, values: [id, Queue.bodyOf(id)] })
    ids.push(id)
  }
  const left = async () => {
    const { rows } = await pool.query(`select 1 from handed where status <> 'delivered' limit 1`)
    return rows.length > 0
  }
  while (await left()) await new Promise((resume) => setTimeout(resume, 20))
  const { rows } = await pool.query<{ median: number }>(median, [ids])
  await pool.end()
  return 1000 * Number(rows[0]?.median)
}
