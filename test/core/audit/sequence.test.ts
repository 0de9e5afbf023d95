/** Places are given without a gap or a twin, however many give them at once and however many wait. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as MemoryCheckpointSigner from "../../../adapters/memory/checkpoint-signer.ts"
import * as MemoryIds from "../../../adapters/memory/ids.ts"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as MemoryNotifier from "../../../adapters/memory/notifier.ts"
import * as MemorySecrets from "../../../adapters/memory/secrets.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import type { Accounts } from "../../../core/accounts/account-store.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import type { Placed } from "../../../core/audit/entry.ts"
import { rootAt } from "../../../core/audit/log.ts"
import { keepSequencing, sequence } from "../../../core/audit/sequence.ts"
import type { Atomically } from "../../../core/ports/atomically.ts"
import type { CheckpointSigner } from "../../../core/ports/checkpoint-signer.ts"
import type { Ids } from "../../../core/ports/ids.ts"
import type { Secrets } from "../../../core/ports/secrets.ts"
import { rootOver } from "../../support/audit-log.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

type Parts = Accounts | Atomically | Audit | CheckpointSigner | Ids | Secrets

const others = Layer.mergeAll(MemorySecrets.layer, MemoryCheckpointSigner.layer, MemoryIds.layer(1))

/** Writes entries while others place them, from all sides at once, and looks at what came of it. */
const crowd = Effect.fnUntraced(function* (
  sides: ReadonlyArray<Context.Context<Parts>>,
  count: number
) {
  const [first] = sides as [Context.Context<Parts>]
  const { id } = yield* Effect.provideContext(Stored.account(), first)
  const entries = Array.from({ length: count }, (_, at) =>
    Rows.anEntry(id, { createdAt: Rows.at(at % 7) })
  )
  const writing = entries.map((entry, at) => {
    const side = sides[at % sides.length] as Context.Context<Parts>
    return Effect.provideContext(
      Effect.andThen(
        Effect.flatMap(Audit, (audit) => audit.append([entry])),
        at % 5 === 0 ? Effect.asVoid(sequence(id)) : Effect.void
      ),
      side
    )
  })
  yield* Effect.all(writing, { concurrency: 16, discard: true })
  yield* Effect.provideContext(sequence(id), first)
  const log = yield* Effect.provideContext(
    Effect.flatMap(Audit, (audit) => audit.inOrder(id, 0, count + 1)),
    first
  )
  return { id, entries, log, root: yield* Effect.provideContext(rootAt(id, count), first) }
})

const isWhole = (entries: ReadonlyArray<{ readonly id: string }>, log: ReadonlyArray<Placed>) => {
  assert.deepStrictEqual(
    log.map((entry) => entry.sequence),
    entries.map((_, at) => at)
  )
  assert.sameMembers(
    log.map(({ id }) => id),
    entries.map(({ id }) => id)
  )
}

describe("giving places", () => {
  it.live("leaves no gap with four replicas at it, and the tree is over all entries", () =>
    Effect.gen(function* () {
      const address = yield* FreshDatabase.url()
      const stores = Layer.provideMerge(Stores.layer, FreshDatabase.engineAt(address, 4))
      const replica = Layer.build(Layer.fresh(Layer.merge(stores, others)))
      const replicas = yield* Effect.all([replica, replica, replica, replica])
      const { entries, log, root } = yield* crowd(replicas, 200)
      isWhole(entries, log)
      assert.deepStrictEqual(root, rootOver(log))
      const sql = Context.get(replicas[0] as (typeof replicas)[number], SqlClient.SqlClient)
      const [{ nodes } = { nodes: 0n }] = yield* sql<{
        nodes: bigint
      }>`select (sum(length(hashes)) / 32)::bigint as nodes from audit_node`
      // A tree of 200 = 128 + 64 + 8 leaves has 400 - 3 perfect subtrees.
      assert.strictEqual(Number(nodes), 397)
    }).pipe(Effect.scoped)
  )

  it.live("takes more than one turn for a log that has waited long", () =>
    Effect.gen(function* () {
      const memory = yield* Layer.build(Layer.merge(Memory.layer(), MemorySecrets.layer))
      const { id } = yield* Effect.provideContext(Stored.account(), memory)
      const audit = Context.get(memory, Audit)
      const entries = Array.from({ length: 1203 }, (_, at) =>
        Rows.anEntry(id, { createdAt: Rows.at(at) })
      )
      yield* audit.append(entries)
      yield* Effect.provideContext(sequence(id), memory)
      const log = yield* audit.inOrder(id, 0, 2000)
      assert.deepStrictEqual(
        log,
        entries.map((entry, at): Placed => ({ ...entry, sequence: at }))
      )
      assert.deepStrictEqual(yield* Effect.provideContext(rootAt(id, 1203), memory), rootOver(log))
    }).pipe(Effect.scoped)
  )
})

it.live(
  "where nothing can be placed, however many wait, one look is a pause apart from the next",
  () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      let looks = 0
      const placingNothing = Audit.of({
        ...audit,
        waiting: (most) =>
          Effect.sync(() => {
            looks += 1
            return Array.from({ length: most }, () => Rows.anId())
          }),
        hold: () => Effect.succeed({ head: undefined, now: undefined })
      })
      yield* keepSequencing(Duration.minutes(1)).pipe(
        Effect.provideService(Audit, placingNothing),
        Effect.forkChild
      )
      // Time for many looks, if no pause came between them.
      yield* Effect.sleep("1 second")
      assert.strictEqual(looks, 1)
    }).pipe(Effect.provide(Layer.mergeAll(Memory.layer(), MemoryNotifier.layer, others)))
)
