/**
 * Transactions of one turn that hold the same things together, as one: each lock and each question is said once for all of
 * them, and what they write is committed together. None sees what another writes, as nothing is written before the end;
 * and none shares a row that it has for itself. What cannot be done together is begun again, each by itself.
 */
import type { Result } from "@effect/sql-pg/PgConnection"
import { Context, Deferred, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Asked, gatheredInTurn } from "../turns/end-of-turn.ts"
import { sizesOf } from "./lone-writes.ts"
import * as Merged from "./merged.ts"
import { keyOf } from "./read-again.ts"
import { wasRefused } from "./refused.ts"
import { rolledBack, saidAll } from "./waiting-writes.ts"

/** It cannot go on with others, and nothing of it was done. */
export class Apart extends Error {
  override readonly message = "This transaction is begun again by itself"
}

/** Whether a transaction shares nothing with others. */
export const Alone = Context.Reference<boolean>("bursar/postgres/Alone", {
  defaultValue: () => false
})

/** What a transaction begins with: the locks that it takes, in their order, and then what it reads. */
export interface Beginning {
  readonly locks: ReadonlyArray<Merged.Said>
  readonly reads: ReadonlyArray<Merged.Said>
}

type Writes = ReadonlyArray<Merged.Write>

/** A transaction among others. */
export interface Member {
  readonly answers: ReadonlyMap<string, Result>
  readonly read: Say
  /** What it wrote, in groups that stand in one statement; all of it is committed with what the others wrote. */
  readonly commit: (groups: ReadonlyArray<Writes>) => Effect.Effect<void, SqlError>
  /** It ends, and has written nothing. */
  readonly leave: () => void
}

type Say = (said: Merged.Said) => Effect.Effect<Result, SqlError>

/** Lends a session for as long as a transaction lasts. */
export type Use = <A>(work: (say: Say) => Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>

/** As many are one transaction at most. */
const most = 16

/** How long the others are waited for once one has ended: they may hang, with all that is held. */
const patienceMs = 50

const isExclusive = ({ statement }: Merged.Said) =>
  /^\s*select pg_advisory_xact_lock\(|\bfor (?:no key )?update\b/iu.test(statement)

/** A row that is held against everybody else, found by nothing but its id: another id is another row. */
const ofOneRow = /^select \* from "(\w+)" where "id" = \$1 for no key update$/u

const keyOfSaid = ({ parameters, statement }: Merged.Said) => keyOf(statement, parameters)

/**
 * What is the same of those that may go together: all that they hold with others, and the table of which each has one row for
 * itself. Undefined where it cannot be told whether two of them want the same.
 */
const sharedBy = ({ locks, reads }: Beginning): string | undefined => {
  const [own, ...more] = locks.filter(isExclusive)
  const table = own === undefined ? undefined : ofOneRow.exec(own.statement)?.[1]
  if (more.length > 0 || (own !== undefined && table === undefined)) return undefined
  const held = locks.filter((said) => said !== own)
  const isApart = table === undefined || held.every(({ statement }) => !statement.includes(table))
  if (!isApart) return undefined
  const words = locks.map((said) => (said === own ? said.statement : keyOfSaid(said)))
  return [...words, ...reads.map(({ statement }) => statement)].join("\u0000")
}

type Entry = Asked<Beginning, Member | undefined, SqlError>

const ownRow = ({ question }: Entry): string => {
  const own = question.locks.find(isExclusive)
  return own === undefined ? "" : keyOfSaid(own)
}

/** The first of those that want the same row, in the order of the rows, as everybody locks them. */
const disjoint = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const rows = new Set<string>()
  return entries
    .map((entry) => ({ entry, row: ownRow(entry) }))
    .filter(({ row }) => row === "" || (!rows.has(row) && rows.add(row)))
    .toSorted((one, other) => (one.row < other.row ? -1 : 1))
    .map(({ entry }) => entry)
}

/** Whoever is in none of them, or would be alone in it, goes on by itself. */
const groupsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<Entry>> =>
  [...Map.groupBy(entries, ({ question }) => sharedBy(question)).values()].flatMap((same) => {
    const left = [...disjoint(same)]
    return Array.from({ length: Math.ceil(left.length / most) }, () => left.splice(0, most)).filter(
      ({ length }) => length > 1
    )
  })

/** Each once, in the order of the first that says it, up to a power of two: fewer texts for a session to know. */
const different = (all: ReadonlyArray<Merged.Said>): ReadonlyArray<Merged.Said> => {
  const once = [...new Map(all.map((said) => [keyOfSaid(said), said])).values()]
  const last = once.at(-1) as Merged.Said
  const size = 2 ** Math.ceil(Math.log2(once.length))
  return [...once, ...Array.from({ length: size - once.length }, () => last)]
}

/** What stands at the same place with each of them stands side by side. */
const asOne = (lists: ReadonlyArray<ReadonlyArray<Merged.Said>>): ReadonlyArray<Merged.Said> =>
  (lists[0] ?? []).flatMap((_, place) => different(lists.map((list) => list[place] as Merged.Said)))

const all = { concurrency: "unbounded" } as const

/** All are on the wire before the first answers, and all are heard. The first that fails is why the others do. */
const inOrder = <A>(works: ReadonlyArray<Effect.Effect<A, SqlError>>) =>
  Effect.flatMap(
    Effect.all(
      works.map((work) => Effect.exit(work)),
      all
    ),
    (exits) => Effect.all(exits)
  )

const control = (statement: string): Merged.Said => ({ statement, parameters: [] })

/**
 * A text for sixteen takes longer to plan than to do, and a session that is new would plan it anew five times. Each part
 * finds what it asks for by ids, whatever they are.
 */
const opening = [control("BEGIN"), control("set local plan_cache_mode = force_generic_plan")]

/** What each question and each lock was answered, by its key. */
const begun = (say: Say, entries: ReadonlyArray<Entry>) => {
  const parts = (["locks", "reads"] as const)
    .map((part) => asOne(entries.map(({ question }) => question[part])))
    .filter(({ length }) => length > 0)
  const said = [...opening, ...parts.map((part) => Merged.reads(part))]
  return Effect.map(inOrder(said.map(say)), (heard) => {
    const results = heard.slice(opening.length)
    const answers = new Map<string, Result>()
    for (const [nth, part] of parts.entries()) {
      const row = results[nth]?.rows[0]
      for (const [at, said] of part.entries()) {
        const key = keyOfSaid(said)
        if (!answers.has(key)) answers.set(key, Merged.answerOf(row, at, said.statement))
      }
    }
    return answers
  })
}

/** Waits to be committed. */
interface Ready {
  readonly groups: ReadonlyArray<Writes>
  readonly answer: Deferred.Deferred<void, SqlError>
}

/** What several wrote in the same words is one statement; whatever else one wrote is said as by itself. */
const statementsOf = (ready: ReadonlyArray<Ready>): ReadonlyArray<Writes> => {
  const keyOfReady = ({ groups: [only = [], ...more] }: Ready) =>
    more.length === 0 ? Merged.repeatableAs(only) : undefined
  return [...Map.groupBy(ready, keyOfReady)].flatMap(([key, same]) => {
    if (key === undefined) return same.flatMap(({ groups }) => groups)
    const left = same.map(({ groups: [only = []] }) => only)
    return sizesOf(left.length).map((size) => Merged.repeated(left.splice(0, size)))
  })
}

const committed = (say: Say, ready: ReadonlyArray<Ready>) =>
  Effect.flatMap(
    inOrder([...statementsOf(ready).map((writes) => saidAll(say, writes)), say(control("COMMIT"))]),
    (results) => (results.at(-1)?.command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.void)
  )

/** Who is at work, who is ready, and when to go on without the others. */
class Joint {
  readonly #say: Say
  readonly #atWork = new Set<object>()
  readonly #isOver = Deferred.makeUnsafe<void>()
  readonly #ready: Array<Ready> = []
  #timer: NodeJS.Timeout | undefined

  constructor(say: Say) {
    this.#say = say
  }

  member(answers: ReadonlyMap<string, Result>): Member {
    const member: Member = {
      answers,
      // Whoever asks may be interrupted; the session is not only theirs.
      read: (said) => this.#whileAtWork(member, () => Effect.uninterruptible(this.#say(said))),
      commit: (groups) =>
        this.#whileAtWork(member, () => {
          const answer = Deferred.makeUnsafe<void, SqlError>()
          this.#ready.push({ groups, answer })
          this.#end(member)
          return Deferred.await(answer)
        }),
      leave: () => this.#end(member)
    }
    this.#atWork.add(member)
    return member
  }

  #whileAtWork<A>(member: Member, work: () => Effect.Effect<A, SqlError>) {
    return Effect.suspend(() => (this.#atWork.has(member) ? work() : Effect.die(new Apart())))
  }

  #end(member: Member): void {
    this.#atWork.delete(member)
    if (this.#atWork.size === 0) this.#close()
    else this.#timer ??= setTimeout(() => this.#close(), patienceMs)
  }

  #close(): void {
    clearTimeout(this.#timer)
    this.#atWork.clear()
    Deferred.doneUnsafe(this.#isOver, Exit.void)
  }

  /** Those to commit, once nobody is at work or patience is over. */
  get over(): Effect.Effect<ReadonlyArray<Ready>> {
    return Effect.as(Deferred.await(this.#isOver), this.#ready)
  }
}

/** Who was refused for what others said as well is begun again by itself. */
const endFor = (exit: Exit.Exit<unknown, SqlError>): Exit.Exit<never, SqlError> =>
  wasRefused(exit) ? Exit.die(new Apart()) : (exit as Exit.Exit<never, SqlError>)

const together = (use: Use, entries: ReadonlyArray<Entry>) =>
  use((say) =>
    Effect.gen(function* () {
      const beginning = yield* Effect.exit(begun(say, entries))
      if (Exit.isFailure(beginning)) {
        for (const { answer } of entries) answer(endFor(beginning))
        return yield* Effect.ignore(say(control("ROLLBACK")))
      }
      const joint = new Joint(say)
      const members = entries.map(() => joint.member(beginning.value))
      for (const [at, { answer }] of entries.entries()) answer(Exit.succeed(members[at]))
      const ready = yield* joint.over
      if (ready.length === 0) return yield* Effect.ignore(say(control("ROLLBACK")))
      const exit = yield* Effect.exit(committed(say, ready))
      if (Exit.isFailure(exit)) yield* Effect.ignore(say(control("ROLLBACK")))
      for (const { answer } of ready) {
        Deferred.doneUnsafe(answer, Exit.isSuccess(exit) ? Exit.void : endFor(exit))
      }
    })
  )

/** Begins with others of the same turn; undefined, at once or later, where nobody may stand beside it. */
export const make = (use: Use) => {
  const begin = gatheredInTurn<Beginning, Member | undefined, SqlError>((entries) => {
    const groups = groupsOf(entries)
    const taken = new Set(groups.flat())
    for (const entry of entries) if (!taken.has(entry)) entry.answer(Exit.succeed(undefined))
    const isWhole = (group: ReadonlyArray<Entry>) =>
      Effect.map(Effect.exit(together(use, group)), (exit) => {
        if (Exit.isSuccess(exit)) return
        for (const { answer } of group) answer(Exit.failCause(exit.cause))
      })
    return Effect.forEach(groups, isWhole, { ...all, discard: true })
  })
  return (beginning: Beginning): Effect.Effect<Member | undefined, SqlError> | undefined => {
    const isKnown = [...beginning.locks, ...beginning.reads].every(({ statement }) =>
      Merged.isKnown(statement)
    )
    return isKnown && beginning.locks.length > 0 && sharedBy(beginning) !== undefined
      ? begin(beginning)
      : undefined
  }
}
