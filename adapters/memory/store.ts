/**
 * The durable state of the in-memory treasury as one explicit value, and how it is changed: one
 * transaction at a time, undone whole when it fails. It outlives the layers that are built over it.
 */
import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import { Atomically } from "../../core/ports/atomically.ts"
import type { LineNow } from "../../core/timeline/numbering.ts"
import { type Definition, type Journal, Table, undo } from "./table.ts"

interface Transaction {
  readonly journal: Journal
  readonly hooks: Array<Effect.Effect<void>>
  readonly outer: Transaction | undefined
  isOpen: boolean
}

const begin = (outer?: Transaction): Transaction => ({
  journal: [],
  hooks: [],
  outer,
  isOpen: true
})

/** A fiber that outlived its transaction writes outside of it. */
const isRunning = (transaction: Transaction | undefined): transaction is Transaction =>
  transaction?.isOpen === true && (transaction.outer === undefined || isRunning(transaction.outer))

const close = (transaction: Transaction, exit: Exit.Exit<unknown, unknown>): void => {
  transaction.isOpen = false
  if (Exit.isSuccess(exit)) {
    for (const step of transaction.journal) transaction.outer?.journal.push(step)
    for (const hook of transaction.hooks) transaction.outer?.hooks.push(hook)
  } else {
    transaction.hooks.length = 0
    undo(transaction.journal)
  }
}

// A hint that fails must not make committed work look as if it had not happened.
const tell = (hooks: ReadonlyArray<Effect.Effect<void>>) =>
  Effect.forEach(
    hooks,
    (hook) =>
      Effect.catchCause(hook, (cause) => Effect.logWarning("A hint after commit failed", cause)),
    { discard: true }
  )

let stores = 0

export class Store {
  readonly #tables = new Map<unknown, unknown>()
  readonly #counts = new Map<string, number>()
  readonly #turns = Semaphore.makeUnsafe(1)
  /** Whether a transaction is under way. */
  #isOpen = false
  /** The line of history that the records are on. Whoever puts them in the place of others begins the next one. */
  line: LineNow = { number: 1, begunAt: null }
  /** The transaction a fiber is in; a key of its own keeps two stores in one fiber apart. */
  readonly #current = Context.Reference<Transaction | undefined>(
    `bursar/memory/Transaction/${stores++}`,
    { defaultValue: () => undefined }
  )

  /** The table of a definition; the same one for whoever asks. */
  table<Row, Unique extends string, Sorted extends string>(
    definition: Definition<Row, Unique, Sorted>
  ): Table<Row, Unique, Sorted> {
    const known = this.#tables.get(definition)
    // The map holds under each definition the table that was made from it.
    if (known !== undefined) return known as Table<Row, Unique, Sorted>
    const table = new Table(definition)
    this.#tables.set(definition, table)
    return table
  }

  /** Counts up from 0; like a sequence it is not rolled back, so no number comes twice. */
  next(name: string): number {
    const count = this.#counts.get(name) ?? 0
    this.#counts.set(name, count + 1)
    return count
  }

  /** Reads in the running transaction, or after it when the fiber is not in it. */
  read<A>(look: () => A): Effect.Effect<A> {
    return this.#inTurn(look)
  }

  /** Looks at once, outside of any transaction; undefined while one is under way. */
  look<A>(look: () => A): A | undefined {
    return this.#isOpen ? undefined : look()
  }

  /** Makes one change, whole or not at all, as part of the running transaction or as one of its own. */
  write<A>(change: (journal: Journal) => A): Effect.Effect<A> {
    return this.#inTurn((transaction) => {
      const journal: Journal = []
      try {
        const changed = change(journal)
        for (const step of journal) transaction?.journal.push(step)
        return changed
      } catch (defect) {
        undo(journal)
        throw defect
      }
    })
  }

  run<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.withFiber((fiber) => {
      const outer = fiber.getRef(this.#current)
      if (isRunning(outer)) return this.#within(begin(outer), work)
      return Effect.suspend(() => {
        const transaction = begin()
        return this.#turns
          .withPermit(this.#opened(this.#within(transaction, work)))
          .pipe(Effect.onExit(() => tell(transaction.hooks)))
      })
    })
  }

  afterCommit(work: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.withFiber((fiber) => {
      const transaction = fiber.getRef(this.#current)
      if (!isRunning(transaction)) return work
      transaction.hooks.push(work)
      return Effect.void
    })
  }

  #within<A, E, R>(transaction: Transaction, work: Effect.Effect<A, E, R>) {
    return work.pipe(
      Effect.provideService(this.#current, transaction),
      Effect.onExit((exit) => Effect.sync(() => close(transaction, exit)))
    )
  }

  #opened<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const opening = Effect.suspend(() => {
      this.#isOpen = true
      return work
    })
    const close = Effect.sync(() => {
      this.#isOpen = false
    })
    return Effect.ensuring(opening, close)
  }

  /** One look or change happens in one piece, so it waits only where a transaction of others is under way. */
  #inTurn<A>(work: (transaction: Transaction | undefined) => A): Effect.Effect<A> {
    return Effect.withFiber((fiber) => {
      const transaction = fiber.getRef(this.#current)
      if (isRunning(transaction)) return Effect.succeed(work(transaction))
      if (!this.#isOpen) return Effect.succeed(work(undefined))
      return this.#turns.withPermit(Effect.sync(() => work(undefined)))
    })
  }
}

export class MemoryStore extends Context.Service<MemoryStore, Store>()("bursar/memory/Store") {
  static readonly make: Effect.Effect<Store> = Effect.sync(() => new Store())

  /** A new, empty store. */
  static readonly layer: Layer.Layer<MemoryStore> = Layer.effect(MemoryStore, MemoryStore.make)
}

export const atomically: Layer.Layer<Atomically, never, MemoryStore> = Layer.effect(
  Atomically,
  Effect.map(MemoryStore, (store) => ({
    run: (work) => store.run(work),
    afterCommit: (work) => store.afterCommit(work)
  }))
)
