/** A log whose records were replaced by those of a standby that lacked its end: it breaks once, and says where. */
import { assert, describe, it } from "@effect/vitest"
import { type Context, type DateTime, Effect, Layer, type Scope } from "effect"
import * as CheckpointSigner from "../../../adapters/memory/checkpoint-signer.ts"
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as MemorySecrets from "../../../adapters/memory/secrets.ts"
import type { MemoryStore } from "../../../adapters/memory/store.ts"
import type { Connection } from "../../../adapters/postgres/engine.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { exportLines, verifyExport } from "../../../adapters/secrets/audit-export.ts"
import type { Account } from "../../../core/accounts/account.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { checkpointOf } from "../../../core/audit/checkpoint.ts"
import type { Entry, Placed } from "../../../core/audit/entry.ts"
import { entriesUpTo } from "../../../core/audit/log.ts"
import { sequence } from "../../../core/audit/sequence.ts"
import type { Atomically } from "../../../core/ports/atomically.ts"
import type { CheckpointSigner as Signer } from "../../../core/ports/checkpoint-signer.ts"
import type { Ids as IdsPort } from "../../../core/ports/ids.ts"
import type { Secrets } from "../../../core/ports/secrets.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import * as Lines from "../../support/lines.ts"
import * as Rows from "../../support/rows.ts"

type Parts = Accounts | Atomically | Audit | Signer | IdsPort | Secrets

interface Records {
  readonly context: Context.Context<Parts>
  /** They take the place of others. */
  readonly begin: (line: number, at: DateTime.Utc) => Effect.Effect<void>
}

const others = (seed: number) =>
  Layer.mergeAll(MemorySecrets.layer, CheckpointSigner.layer, Ids.layer(seed))

const inMemory = Effect.map(
  Effect.suspend(() => Layer.build(Layer.merge(Memory.layer(++seeds), MemorySecrets.layer))),
  (context: Context.Context<Parts | MemoryStore>): Records => ({
    context,
    begin: (line, at) => Effect.provideContext(Lines.beginInMemory(line, at), context)
  })
)
let seeds = 0

const onSql = <E, R>(engine: Layer.Layer<Connection, E, R>) =>
  Effect.map(
    Effect.suspend(() =>
      Layer.build(
        Layer.fresh(Layer.merge(Layer.provideMerge(Stores.layer, engine), others(++seeds)))
      )
    ),
    (context): Records => ({
      context,
      begin: (line, at) => Effect.orDie(Effect.provideContext(Lines.beginOnSql(line, at), context))
    })
  )

const append = (records: Records, entries: ReadonlyArray<Entry>) =>
  Effect.provideContext(
    Audit.use((audit) => audit.append(entries)),
    records.context
  )

const exported = Effect.fnUntraced(function* ({ context }: Records, accountId: string) {
  const checkpoint = yield* Effect.provideContext(checkpointOf(accountId), context)
  const log = yield* Effect.provideContext(entriesUpTo(accountId, checkpoint.treeSize), context)
  return { checkpoint, log, text: exportLines(log, checkpoint) }
})

const entriesOf = (accountId: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) =>
    Rows.anEntry(accountId, { createdAt: Rows.at(from + at), subjectId: `thing-${from + at}` })
  )

/** Two copies of the records of an account, of which the second lacks the end. */
const parted = Effect.fnUntraced(function* (
  first: Records,
  second: Records,
  sizes: { readonly both: number; readonly lost: number }
) {
  const account: Account = Rows.anAccount()
  const { id } = account
  const both = entriesOf(id, 0, sizes.both)
  for (const records of [first, second]) {
    yield* Effect.provideContext(
      Accounts.use((accounts) => accounts.open(account)),
      records.context
    )
    yield* append(records, both)
    if (sizes.both > 0) yield* Effect.provideContext(sequence(id), records.context)
  }
  const early = yield* exported(first, id)
  yield* append(first, entriesOf(id, 50, 50 + sizes.lost))
  const late = yield* exported(first, id)
  return { id, early: early.checkpoint.checkpoint, late: late.checkpoint.checkpoint }
})

const broken = (log: ReadonlyArray<Placed>) =>
  log.flatMap(({ action, sequence: place }) => (action === "audit_log.continued" ? [place] : []))

const breaksOnce = (open: Effect.Effect<Records, unknown, Scope.Scope>) =>
  Effect.gen(function* () {
    const [first, second] = [yield* open, yield* open]
    const { early, id, late } = yield* parted(first, second, { both: 5, lost: 3 })
    yield* second.begin(2, Rows.at(100))
    yield* append(second, entriesOf(id, 200, 206))
    // Whoever places them, and however often it is asked.
    yield* Effect.provideContext(
      Effect.all([sequence(id), sequence(id)], { concurrency: 2 }),
      second.context
    )
    const { checkpoint, log, text } = yield* exported(second, id)
    assert.deepStrictEqual(broken(log), [5])
    assert.strictEqual(log.length, 12)
    assert.strictEqual(checkpoint.line, 2)
    const { breaks, head, problems } = verifyExport(text, checkpoint.verifierKey, [early, late])
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(head?.line, 2)
    assert.lengthOf(breaks, 1)
    assert.deepInclude(breaks[0], { sequence: 5, line: 2, lineBefore: 1, lost: 3 })
    assert.include(breaks[0]?.message, "at least 3 of them")
    const later = yield* exported(second, id)
    assert.strictEqual(later.text, text)
  }).pipe(Effect.scoped)

describe("a log whose records were replaced", () => {
  it.live("breaks once in memory", () => breaksOnce(inMemory), 180_000)
  it.live(
    "breaks once on the embedded engine",
    () => breaksOnce(onSql(FreshEmbedded.engine)),
    180_000
  )
  it.live("breaks once on a server", () => breaksOnce(onSql(FreshDatabase.engine)), 180_000)

  it.live("breaks also when nothing happened since, as soon as its checkpoint is asked for", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* inMemory, yield* inMemory]
      const { id, late } = yield* parted(first, second, { both: 2, lost: 2 })
      yield* second.begin(3, Rows.at(100))
      const { checkpoint, log, text } = yield* exported(second, id)
      assert.deepStrictEqual(broken(log), [2])
      assert.isTrue(verifyExport(text, checkpoint.verifierKey, [late]).ok)
    }).pipe(Effect.scoped)
  )

  it.live("breaks at its beginning when all its places are lost", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* inMemory, yield* inMemory]
      const { id, late } = yield* parted(first, second, { both: 0, lost: 2 })
      yield* append(second, entriesOf(id, 50, 51))
      yield* second.begin(2, Rows.at(100))
      const { checkpoint, log, text } = yield* exported(second, id)
      assert.deepStrictEqual(broken(log), [0])
      assert.isTrue(verifyExport(text, checkpoint.verifierKey, [late]).ok)
    }).pipe(Effect.scoped)
  )

  it.live("has no break when its account came after", () =>
    Effect.gen(function* () {
      const records = yield* inMemory
      yield* records.begin(2, Rows.at(0))
      const { id } = yield* parted(records, yield* inMemory, { both: 0, lost: 0 })
      yield* append(records, entriesOf(id, 100, 103))
      const { checkpoint, log, text } = yield* exported(records, id)
      assert.deepStrictEqual(broken(log), [])
      const { breaks, head, ok } = verifyExport(text, checkpoint.verifierKey)
      assert.deepStrictEqual([ok, breaks, head?.line], [true, [], 2])
    }).pipe(Effect.scoped)
  )

  it.live("breaks again with each line, and each break excuses its own line alone", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* inMemory, yield* inMemory]
      const { early, id, late } = yield* parted(first, second, { both: 5, lost: 3 })
      yield* second.begin(2, Rows.at(100))
      yield* append(second, entriesOf(id, 200, 202))
      const onTwo = (yield* exported(second, id)).checkpoint.checkpoint
      yield* second.begin(4, Rows.at(300))
      yield* append(second, entriesOf(id, 400, 401))
      const { checkpoint, log, text } = yield* exported(second, id)
      assert.deepStrictEqual(broken(log), [5, 8])
      const report = verifyExport(text, checkpoint.verifierKey, [early, late, onTwo])
      assert.deepStrictEqual(report.problems, [])
      assert.deepStrictEqual(
        report.breaks.map(({ lost }) => lost),
        [3, 0]
      )
    }).pipe(Effect.scoped)
  )
})

describe("records of which nobody knows yet on which line they are", () => {
  it.live("place nothing, and give no checkpoint", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        Layer.merge(Layer.provideMerge(Stores.layer, FreshEmbedded.engine), others(1))
      )
      const account = Rows.anAccount()
      yield* Effect.gen(function* () {
        yield* (yield* Accounts).open(account)
        yield* Lines.beginOnSql(2, Rows.at(100), false)
        const audit = yield* Audit
        yield* audit.append(entriesOf(account.id, 0, 1))
        yield* sequence(account.id)
        assert.isUndefined(yield* audit.head(account.id))
        const refused = yield* Effect.flip(checkpointOf(account.id))
        assert.strictEqual(refused._tag, "UPSTREAM_UNAVAILABLE")
        assert.match(refused.message, /once the key store has given their line/u)
        yield* Lines.beginOnSql(2, Rows.at(100))
        assert.strictEqual((yield* checkpointOf(account.id)).treeSize, 2)
      }).pipe(Effect.provideContext(context))
    }).pipe(Effect.scoped)
  )
})
