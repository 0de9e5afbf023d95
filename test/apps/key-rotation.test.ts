/** The key-encryption key is changed under a running treasury, on both engines, and nobody loses a secret. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Redacted, Ref } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import type { Connection } from "../../adapters/postgres/engine.ts"
import * as KeyMaterial from "../../adapters/postgres/key-material.ts"
import * as Envelope from "../../adapters/secrets/envelope.ts"
import type { Keyring } from "../../adapters/secrets/keyring.ts"
import { rotate, treasury } from "../../apps/server/wiring.ts"
import { defaults as rateLimits } from "../../core/operation/rate-limit.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Settings from "../../core/treasury/settings.ts"
import * as FreshDatabase from "../support/fresh-database.ts"

const key = (byte: number) => new Uint8Array(32).fill(byte)
const pepper = key(99)

const ring = (current: number, previous?: number): Keyring => ({
  keyEncryptionKey: Redacted.make(key(current)),
  pepper: Redacted.make(pepper),
  ...(previous === undefined ? {} : { previousKeyEncryptionKey: Redacted.make(key(previous)) })
})

/** A process of the treasury on the database, for as long as the scope lives. */
const started = <E>(database: Layer.Layer<Connection, E>, keyring: Keyring) =>
  Layer.build(
    treasury({
      database,
      chains: [],
      keyring,
      webhookSender: { mode: "public" },
      limits: rateLimits,
      settings: { ...Settings.defaults, siteUrl: "http://localhost:4000", livemode: false }
    })
  )

const addressesOf = (ports: Context.Context<WalletKeys>) => {
  const { addressOf, open } = Context.get(ports, WalletKeys)
  return Effect.forEach(["a", "b", "c"], (letter) =>
    Effect.flatMap(open("base", letter.repeat(62)), ({ key }) => addressOf("base", key))
  )
}

/** Every row of every table, as the text a dump would hold. */
const dumped = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ row: string }>(`select t::text as row from "${name}" t`)
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join("\n")
})

const spellings = (bytes: Uint8Array) =>
  (["hex", "base64", "base64url"] as const).map((form) => Buffer.from(bytes).toString(form))

/** Seals and opens again and again until it is stopped; how often it did. */
const sealing = (ports: Context.Context<Secrets>, count: Ref.Ref<number>) =>
  Effect.gen(function* () {
    const { open, seal } = Context.get(ports, Secrets)
    for (let row = 0; ; row++) {
      const place = { table: "t", row: String(row), account: "a" }
      assert.strictEqual(yield* open(place, yield* seal(place, `secret ${row}`)), `secret ${row}`)
      yield* Ref.update(count, (n) => n + 1)
      yield* Effect.sleep("1 millis")
    }
  })

const story = <E>(database: Layer.Layer<Connection, E>) =>
  Effect.gen(function* () {
    const running = yield* started(database, ring(1))
    const place = { table: "t", row: "r", account: "a" }
    const sealed = yield* Context.get(running, Secrets).seal(place, "whsec_before")
    const count = yield* Ref.make(0)
    const busy = yield* Effect.forkChild(sealing(running, count))
    const on = Effect.provide(running)

    const turns = yield* Effect.all(
      Array.from({ length: 8 }, () => on(rotate(ring(2, 1)))),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(turns.toSorted(), [...Array(7).fill("current"), "rotated"])
    const next = yield* started(database, ring(2))
    assert.deepStrictEqual(yield* addressesOf(next), yield* addressesOf(running))
    const third = yield* started(database, ring(3, 2))
    for (const ports of [running, next, third]) {
      assert.strictEqual(yield* Context.get(ports, Secrets).open(place, sealed), "whsec_before")
    }
    const late = yield* Context.get(running, Secrets).seal(place, "whsec_after")
    assert.strictEqual(yield* Context.get(third, Secrets).open(place, late), "whsec_after")
    for (const wrong of [ring(1), ring(2), ring(4, 5)]) {
      const refused = yield* Effect.flip(Effect.scoped(started(database, wrong)))
      assert.propertyVal(refused, "_tag", "KeyringRefused")
    }
    const before = yield* Ref.get(count)
    while ((yield* Ref.get(count)) < before + 100) yield* Effect.sleep("5 millis")
    const still = busy.pollUnsafe()
    assert.isUndefined(still, "sealing stopped by itself")
    assert.isTrue(Exit.isFailure(yield* Effect.andThen(Fiber.interrupt(busy), Fiber.await(busy))))

    const mark = (yield* on(KeyMaterial.find("identity_fingerprint")))?.sealed ?? ""
    const foreign = "0".repeat(mark.length)
    assert.isTrue(yield* on(KeyMaterial.replace("identity_fingerprint", mark, foreign)))
    const unknown = yield* Effect.flip(Effect.scoped(started(database, ring(3))))
    assert.match(String(unknown), /another identity key/u)

    const kept = yield* on(KeyMaterial.find("data_key"))
    assert.strictEqual(kept?.version, 3)
    const dataKey = Envelope.unwrap(key(3), kept?.sealed ?? "")
    const text = yield* on(dumped)
    assert.include(text, kept?.sealed ?? "no data key")
    const seedPlace = { table: "key_material", row: "wallet_root", account: "treasury" }
    const seed = (yield* on(KeyMaterial.find("wallet_root")))?.sealed ?? ""
    const plain = Buffer.from(Envelope.open(dataKey, seedPlace, seed), "base64")
    assert.lengthOf(plain, 96)
    const halves = [plain.subarray(0, 64), plain.subarray(64)]
    for (const secret of [dataKey, plain, ...halves, pepper, key(1), key(2), key(3)].flatMap(
      spellings
    )) {
      assert.notInclude(text, secret)
    }
  })

it.live("on PGlite: rotated under load, by eight at once, twice, and never with a wrong key", () =>
  Effect.gen(function* () {
    const database = yield* Layer.build(Embedded.memory)
    yield* story(Layer.succeedContext(database))
  })
)

it.live(
  "on PostgreSQL: rotated under load, by eight at once, twice, and never with a wrong key",
  () =>
    Effect.gen(function* () {
      yield* story(FreshDatabase.engineAt(yield* FreshDatabase.url()))
    })
)
