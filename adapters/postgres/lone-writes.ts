/**
 * Transactions that only write, of one moment, as one statement. Each stays all or nothing by itself: where the database
 * refuses the statement for what one of them says, every one is said by itself and hears its own answer.
 */
import type { Result } from "@effect/sql-pg/PgConnection"
import { Effect, type Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Asked, gatheredInTurn } from "../turns/end-of-turn.ts"
import * as Merged from "./merged.ts"
import { wasRefused } from "./refused.ts"

/** What a transaction wrote: the same rows of the same tables for all whose texts are equal. */
type Writes = ReadonlyArray<Merged.Write>

type Say = (writes: Writes) => Effect.Effect<Result, SqlError>

interface Lone {
  readonly writes: Writes
  /** What is the same of those that may be said together. */
  readonly key: string
}

/** As many stand in one statement at most, so that one that waits for a lock holds up no more. */
const most = 32

/** Sizes are powers of two: each is a statement of its own to a session, and there are few of them. */
export const sizesOf = (count: number): ReadonlyArray<number> => {
  const sizes: Array<number> = []
  for (let rest = count; rest > 0; rest -= sizes.at(-1) ?? rest) {
    sizes.push(Math.min(most, 2 ** Math.floor(Math.log2(rest))))
  }
  return sizes
}

type Entry = Asked<Lone, Result, SqlError>

const answer = (entries: ReadonlyArray<Entry>, exit: Exit.Exit<Result, SqlError>) => {
  for (const entry of entries) entry.answer(exit)
}

const saidAlone = (say: Say) => (entry: Entry) =>
  Effect.map(Effect.exit(say(entry.question.writes)), (exit) => answer([entry], exit))

const saidTogether = (say: Say, entries: ReadonlyArray<Entry>) => {
  const writes = Merged.repeated(entries.map(({ question }) => question.writes))
  return Effect.flatMap(Effect.exit(say(writes)), (exit) => {
    return entries.length > 1 && wasRefused(exit)
      ? Effect.forEach(entries, saidAlone(say), { concurrency: "unbounded", discard: true })
      : Effect.sync(() => answer(entries, exit))
  })
}

/** In groups of the same texts, and each group in as few statements as its sizes are. */
const groupsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<Entry>> =>
  [...Map.groupBy(entries, ({ question }) => question.key).values()].flatMap((same) => {
    const left = [...same]
    return sizesOf(same.length).map((size) => left.splice(0, size))
  })

/** Commits what a transaction wrote; undefined where others may not stand beside it. `say` finds a session for itself. */
export const make = (say: Say) => {
  const commit = gatheredInTurn<Lone, Result, SqlError>((entries) =>
    Effect.forEach(groupsOf(entries), (group) => saidTogether(say, group), {
      concurrency: "unbounded",
      discard: true
    })
  )
  return (writes: Writes): Effect.Effect<Result, SqlError> | undefined => {
    const key = Merged.repeatableAs(writes)
    return key === undefined ? undefined : commit({ writes, key })
  }
}
