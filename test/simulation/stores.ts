/**
 * The durable stores as the simulation sees them: every row, and every commit as the exact list of rows it
 * changed, told before anything else can run. A process reaches them through a fence that a crash closes.
 */
import { Effect } from "effect"
import { Store } from "../../adapters/memory/store.ts"
import type { Definition, Journal, Table } from "../../adapters/memory/table.ts"
import type { Listed } from "../../core/audit/entry.ts"
import type { Hashed } from "../../core/audit/tree.ts"
import type * as Idempotency from "../../core/operation/idempotency-store.ts"
import type { Job } from "../../core/payments/provisioning-job.ts"
import type { Share } from "../../core/payments/refund-ledger.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import type { PaymentRejection } from "../../core/payments/request-store.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import type { Cursor } from "../../core/payments/transfer-store.ts"
import type { Reservation, ReservedAmount } from "../../core/policy/spending-ledger.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import type { Sale } from "../../core/sales/sale.ts"
import type { Submission } from "../../core/submissions/submission.ts"
import type { Wait } from "../../core/waits/wait.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import type { Attempt, Delivery } from "../../core/webhooks/delivery.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import type { Event } from "../../core/webhooks/event.ts"

export interface KeptDelivery {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}

export interface KeptEndpoint {
  readonly endpoint: Endpoint
  readonly removedAt: unknown
}

export interface KeptHealth {
  readonly endpointId: string
  readonly failingSince: unknown
}

/** The tables that rules are about, by the name the memory adapter gives them. */
export interface Rows {
  readonly "payment requests": PaymentRequest
  readonly transfers: Transfer
  readonly audit: Listed
  readonly "audit nodes": Hashed & { readonly accountId: string }
  readonly "audit trees": { readonly accountId: string; readonly treeSize: number }
  readonly events: Event
  readonly deliveries: KeptDelivery
  readonly "webhook endpoints": KeptEndpoint
  readonly "webhook health": KeptHealth
  readonly wallets: Wallet
  readonly "provisioning jobs": Job
  readonly "idempotency keys": {
    readonly reservation: Idempotency.Reservation
    readonly answer: Idempotency.StoredResponse | null
  }
  readonly submissions: { readonly submission: Submission }
  readonly "payments turned down": PaymentRejection
  readonly cursors: Cursor
  readonly tasks: { readonly task: unknown }
  readonly proposals: Proposal
  readonly waits: { readonly wait: Wait; readonly lease: { readonly id: string } | null }
  readonly sales: Sale
  readonly "spend reservations": Reservation & ReservedAmount
  readonly "refund shares": Share
  readonly recipients: Recipient
  readonly "policy revisions": { readonly number: number }
}

type Name = keyof Rows

interface Change {
  readonly table: string
  readonly before: unknown
  readonly after: unknown
}

/** What one commit changed; a row changed twice in it appears once, as it was and as it became. */
export class Commit {
  readonly #changes: ReadonlyArray<Change>

  constructor(changes: ReadonlyArray<Change>) {
    this.#changes = changes
  }

  of<N extends Name>(
    table: N
  ): ReadonlyArray<{ readonly before: Rows[N] | undefined; readonly after: Rows[N] | undefined }> {
    // Changes are kept under the name of the table whose rows they are.
    return this.#changes.filter((change) => change.table === table) as never
  }

  inserted<N extends Name>(table: N): ReadonlyArray<Rows[N]> {
    return this.of(table).flatMap(({ before, after }) =>
      before === undefined && after !== undefined ? [after] : []
    )
  }
}

const merged = (steps: ReadonlyArray<Change & { readonly key: string }>): ReadonlyArray<Change> => {
  const byRow = new Map<string, Change>()
  for (const { table, key, before, after } of steps) {
    const row = `${table} ${key}`
    byRow.set(row, { table, before: (byRow.get(row) ?? { before }).before, after })
  }
  return [...byRow.values()]
}

type AnyTable = Table<unknown, string, string>

export class Stores {
  readonly #store = new Store()
  readonly #tables = new Map<string, { readonly real: AnyTable; readonly noted: AnyTable }>()
  readonly #steps: Array<Change & { readonly key: string }> = []
  readonly #onCommit: (commit: Commit) => void
  #depth = 0

  constructor(onCommit: (commit: Commit) => void) {
    this.#onCommit = onCommit
  }

  all<N extends Name>(name: N): ReadonlyArray<Rows[N]> {
    // The map holds under each name the table of that name.
    return (this.#tables.get(name)?.real.all ?? []) as ReadonlyArray<Rows[N]>
  }

  get<N extends Name>(name: N, key: string): Rows[N] | undefined {
    return this.#tables.get(name)?.real.get(key) as Rows[N] | undefined
  }

  /** Whether somebody is in a transaction, and so everybody else waits. */
  get isBusy(): boolean {
    return this.#depth > 0
  }

  /** Writes past every port, for planted bugs that say what a port forbids. */
  replace<N extends Name>(name: N, row: Rows[N]): Effect.Effect<void> {
    return this.fenced(() => false).write((journal) =>
      this.#tables.get(name)?.noted.replace(journal, row)
    )
  }

  /** The store as one process has it: once the process is dead nothing is read and nothing written. */
  fenced(isDead: () => boolean): Store {
    const alive = <A>(work: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.suspend(() => (isDead() ? Effect.never : work))
    const assertAlive = () => {
      if (isDead()) throw new Error("This process is dead.")
    }
    const fence: Pick<Store, keyof Store> = {
      line: this.#store.line,
      table: (definition) => this.#noted(definition),
      next: (name) => this.#store.next(name),
      read: (look) => alive(this.#store.read(look)),
      look: (look) => (isDead() ? undefined : this.#store.look(look)),
      write: (change) =>
        alive(
          this.#store.write((journal) => {
            assertAlive()
            const from = this.#steps.length
            try {
              const changed = change(journal)
              if (this.#depth === 0) this.#tell()
              return changed
            } catch (defect) {
              this.#steps.length = from
              throw defect
            }
          })
        ),
      run: (work) =>
        Effect.suspend(() =>
          isDead() ? Effect.never : this.#store.run(this.#transaction(work, assertAlive))
        ),
      afterCommit: (work) => this.#store.afterCommit(work)
    }
    // A store is used by its public members, all of which are above; the rest of the class is private to it.
    return fence as Store
  }

  #transaction<A, E, R>(work: Effect.Effect<A, E, R>, assertAlive: () => void) {
    return Effect.suspend(() => {
      const from = this.#steps.length
      this.#depth += 1
      return work.pipe(
        Effect.tap(() => Effect.sync(assertAlive)),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            this.#depth -= 1
            if (exit._tag === "Failure") this.#steps.length = from
            else if (this.#depth === 0) this.#tell()
          })
        )
      )
    })
  }

  #tell(): void {
    const steps = this.#steps.splice(0)
    if (steps.length > 0) this.#onCommit(new Commit(merged(steps)))
  }

  #noted<Row, Unique extends string, Sorted extends string>(
    definition: Definition<Row, Unique, Sorted>
  ): Table<Row, Unique, Sorted> {
    const real = this.#store.table(definition)
    const known = this.#tables.get(definition.name)
    if (known !== undefined) return known.noted as unknown as Table<Row, Unique, Sorted>
    const note = (key: string, before: unknown) =>
      this.#steps.push({ table: definition.name, key, before, after: real.get(key) })
    const changing = {
      insert: (journal: Journal, row: Row) => {
        real.insert(journal, row)
        note(definition.key(row), undefined)
      },
      replace: (journal: Journal, row: Row) => {
        const before = real.get(definition.key(row))
        real.replace(journal, row)
        note(definition.key(row), before)
      },
      revise: (journal: Journal, row: Row, fields: ReadonlyArray<keyof Row>) => {
        const before = real.get(definition.key(row))
        real.revise(journal, row, fields)
        note(definition.key(row), before)
      },
      delete: (journal: Journal, key: string) => {
        const before = real.get(key)
        real.delete(journal, key)
        if (before !== undefined) note(key, before)
      }
    }
    const noted = new Proxy(real, {
      get: (table, name) => {
        if (Object.hasOwn(changing, name)) return changing[name as keyof typeof changing]
        const member: unknown = Reflect.get(table, name, table)
        return typeof member === "function" ? member.bind(table) : member
      }
    })
    // Tables of all kinds stand in one map; who asks by name says which row it holds.
    this.#tables.set(definition.name, { real, noted } as never)
    return noted
  }
}
