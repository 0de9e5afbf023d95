/**
 * Where runs take place: one PostgreSQL, merchants who listen, a process that writes events at an even pace,
 * and replicas that carry them. What was committed is remembered here, outside of the database.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Child from "../kill/child.ts"
import * as PostgresServer from "../support/postgres-server.ts"
import * as Receiver from "./receiver.ts"
import type { Bug, Committed, Place, Question, Settings } from "./settings.ts"
import * as Stores from "./stores.ts"

export interface Options {
  readonly bundle: Child.Bundle
  readonly replicas: number
  readonly slowestMs?: number
  /** Whether commits survive a crash of the database. */
  readonly durable?: boolean
  readonly bug?: Bug | undefined
}

export interface Scene {
  readonly receiver: Receiver.Receiver
  readonly records: Stores.Stores
  readonly database: PostgresServer.PostgresServer
  /** Accounts with an endpoint at each of these paths. */
  readonly places: (paths: ReadonlyArray<string>) => Promise<ReadonlyArray<Place>>
  readonly remove: (place: Place) => Promise<void>
  /** Writes so many events for each of the places. */
  readonly emit: (places: ReadonlyArray<Place>, each: number) => Promise<void>
  /** Writes events for the places in turn, so many a second, until told to end; what was committed. */
  readonly load: (places: ReadonlyArray<Place>, perSecond: number) => Load
  /** Kills a replica as a machine dies, and starts another in its place; when it was killed. */
  readonly kill: (replica: number) => Promise<number>
  /** Starts one more replica, whose clock stands ahead. */
  readonly join: (aheadMs: number) => Promise<void>
  readonly close: () => Promise<void>
}

export interface Load {
  readonly committed: ReadonlyArray<Committed>
  /** How many writes were not answered, and may or may not have been committed. */
  readonly unanswered: () => number
  readonly end: () => Promise<void>
}

/** Asks until it is so. */
export const until = async (
  sentence: string,
  patienceMs: number,
  isSo: () => boolean | Promise<boolean>
): Promise<void> => {
  const endsAt = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`Waited in vain: ${sentence}`)
    await setTimeout(20)
  }
}

const tickMs = 20

/** How many writes may be on their way at once, and how many events may wait for their first arrival. */
const maxAsked = 64
const maxBehind = 250

/** A write that is lost with its connection is not waited for beyond this. */
const longestWriteMs = 20_000

const loading =
  (writer: Child.Child<object>, receiver: Receiver.Receiver): Scene["load"] =>
  (places, perSecond) => {
    const committed: Array<Committed> = []
    const asked = new Set<Promise<unknown>>()
    let unanswered = 0
    let isOver = false
    const write = async ({ accountId }: Place) => {
      const question = { ask: "emit", accountId } satisfies Question
      const answer = await Promise.race([
        writer.ask(question),
        setTimeout(longestWriteMs, null, { ref: false })
      ])
      if (answer === null) unanswered += 1
      else committed.push(answer as Committed)
    }
    const pace = async () => {
      const startedAt = performance.now()
      for (let sent = 0; !isOver; ) {
        const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
        // Nobody is asked for more than can be done: what was missed is not made up for.
        const behind = committed.length - receiver.arrived()
        if (asked.size >= maxAsked || behind >= maxBehind) sent = due
        for (; sent < due; sent++) {
          const place = places[sent % places.length]
          if (place === undefined) continue
          const one = write(place)
          asked.add(one)
          one.finally(() => asked.delete(one))
        }
        await setTimeout(tickMs)
      }
    }
    const pacing = pace()
    return {
      committed,
      unanswered: () => unanswered,
      end: async () => {
        isOver = true
        await pacing
        await Promise.all(asked)
      }
    }
  }

export const open = async (options: Options): Promise<Scene> => {
  const { bug, bundle, durable = false, replicas, slowestMs = 0 } = options
  const directory = mkdtempSync(join(tmpdir(), "bursar-delivery-"))
  const database = await PostgresServer.start({ durable })
  const databaseUrl = database.url("postgres")
  const start = (works: boolean, aheadMs = 0) =>
    Child.start<object>(bundle, {
      databaseUrl,
      directory,
      works,
      aheadMs,
      ...(bug === undefined ? {} : { bug })
    } satisfies Settings)
  const writer = await start(false)
  const working: Array<Child.Child<object>> = []
  for (let count = 0; count < replicas; count++) working.push(await start(true))
  const receiver = await Receiver.open(slowestMs)
  const records = Stores.open(databaseUrl)
  return {
    receiver,
    records,
    database,
    places: async (paths) => {
      const urls = paths.map((path) => receiver.origin + path)
      const places = (await writer.ask({ ask: "open", urls } satisfies Question)) as Array<Place>
      receiver.trust(places)
      return places
    },
    remove: async (place) => void (await writer.ask({ ask: "delete", place } satisfies Question)),
    emit: async (places, each) => {
      for (const { accountId } of places) {
        for (let count = 0; count < each; count++) {
          await writer.ask({ ask: "emit", accountId } satisfies Question)
        }
      }
    },
    load: loading(writer, receiver),
    kill: async (replica) => {
      const atMs = Date.now()
      await working[replica]?.stop()
      working[replica] = await start(true)
      return atMs
    },
    join: async (aheadMs) => void working.push(await start(true, aheadMs)),
    close: async () => {
      await Promise.all([writer, ...working].map((each) => each.stop()))
      receiver.close()
      await records.close()
      await database.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
