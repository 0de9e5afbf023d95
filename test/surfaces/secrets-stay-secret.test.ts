/** A secret is shown once, to whom it is for: no table, log, list, webhook or refusal ever holds one. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Logger, Redacted, References, type Scope } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { SqlClient } from "effect/sql/SqlClient"
import * as Chains from "../../adapters/memory/chains.ts"
import * as KeyMaterial from "../../adapters/postgres/key-material.ts"
import * as Envelope from "../../adapters/secrets/envelope.ts"
import { surfaces, treasury, workers } from "../../apps/server/wiring.ts"
import { openTreasury } from "../../apps/testing/treasury.ts"
import { scriptedChain } from "../../apps/testing/wiring.ts"
import { issueEnrolment } from "../../core/humans/issue-enrolment.ts"
import { Idempotency } from "../../core/operation/idempotency-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import * as Settings from "../../core/treasury/settings.ts"
import { openReceiver } from "../stories/merchant-server.ts"
import { Visitor } from "../support/console-visitor.ts"
import * as FreshEmbedded from "../support/fresh-embedded-database.ts"
import { type Owner, owner } from "../support/full-account.ts"
import { siteUrl } from "../support/small-treasury.ts"
import { type Fields, overRest, overTools, type Said } from "../support/surface-calls.ts"
import { fetched, Origin } from "../support/surfaces.ts"
import { inputs } from "../support/valid-inputs.ts"

const unhurried = 1_000_000

const root = {
  keyEncryptionKey: new Uint8Array(32).fill(0xa7),
  pepper: new Uint8Array(32).fill(0xb3)
}

const ports = Layer.merge(
  treasury({
    database: FreshEmbedded.engine,
    chains: [],
    keyring: {
      keyEncryptionKey: Redacted.make(root.keyEncryptionKey),
      pepper: Redacted.make(root.pepper)
    },
    webhookSender: { mode: "local" },
    limits: {
      reads: unhurried,
      writes: unhurried,
      quotes: unhurried,
      confirms: unhurried,
      failures: unhurried,
      anonymous: unhurried
    },
    settings: { ...Settings.defaults, siteUrl, livemode: false }
  }),
  Chains.layer(scriptedChain())
)

const served = surfaces({ port: 0, host: "127.0.0.1", corsOrigins: [] })

const origin = Layer.effect(
  Origin,
  Effect.map(HttpServer.HttpServer, ({ address }) => NetAddress.formatUrlUnsafe(address))
)

const service = Layer.mergeAll(origin, workers).pipe(
  Layer.provideMerge(served),
  Layer.provideMerge(ports)
)

/** Every line that is logged, at whichever level, with its cause in full. */
const logged: Array<string> = []
const listening = Layer.merge(
  Logger.layer([
    Logger.make((options) => {
      logged.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options))
    })
  ]),
  Layer.succeed(References.MinimumLogLevel, "All")
)

/** A secret in the spellings in which it could be kept or printed. */
const spellings = (secret: string | Uint8Array): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  const encoded = [bytes.toString("base64").replace(/=+$/u, ""), bytes.toString("base64url")]
  const plain = typeof secret === "string" ? [secret, secret.split("_").at(-1) ?? secret] : []
  return [...plain, ...encoded, bytes.toString("hex"), bytes.toString("hex").toUpperCase()]
}

/** Told by their form as well: some are made in calls that fail, and the test never sees them. */
const forms = [/svc_(?:hu|ag)_[0-9A-Za-z]{49}/u, /whsec_[A-Za-z0-9+/]{40,}/u]

const assertHoldsNone = (
  text: string,
  where: string,
  secrets: ReadonlyArray<string | Uint8Array>
) => {
  for (const form of forms) assert.notMatch(text, form, where)
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) {
      assert.notInclude(text, spelling, `${where} holds ${spelling.slice(0, 8)}…`)
    }
  }
}

/** Every row of every table, as text. */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const named = yield* sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`
  const rows = yield* Effect.forEach(named, ({ name }) =>
    Effect.map(sql.unsafe<{ row: string }>(`select t::text as row from "${name}" t`), (all) =>
      all.map(({ row }) => `${name}: ${row}`)
    )
  )
  return rows.flat()
})

const rootSecrets = Effect.gen(function* () {
  const walletRoot = yield* KeyMaterial.find("wallet_root")
  const dataKey = yield* KeyMaterial.find("data_key")
  const place = { table: "key_material", row: "wallet_root", account: "treasury" }
  const opened = yield* (yield* Secrets).open(place, walletRoot?.sealed ?? "")
  const auditKey = yield* KeyMaterial.find("audit_key")
  const auditPlace = { ...place, row: "audit_key" }
  const auditSeed = yield* (yield* Secrets).open(auditPlace, auditKey?.sealed ?? "")
  const unwrapped = Envelope.unwrap(root.keyEncryptionKey, dataKey?.sealed ?? "")
  const bytes = Buffer.from(opened, "base64")
  assert.lengthOf(bytes, 96)
  const auditBytes = Buffer.from(auditSeed, "base64")
  assert.lengthOf(auditBytes, 32)
  const [seed, identityKey] = [bytes.subarray(0, 64), bytes.subarray(64)]
  return [root.keyEncryptionKey, root.pepper, seed, identityKey, auditBytes, unwrapped]
})

const reads = operations.filter(({ sideEffect }) => sideEffect === "read").map(({ name }) => name)

/** All answers to all reads, over both surfaces. */
const everyRead = (own: Owner) =>
  Effect.forEach(
    reads.flatMap(
      (name): ReadonlyArray<readonly [Name, Fields]> =>
        name.startsWith("list_") ? [[name, {}]] : [[name, inputs[name](own)]]
    ),
    ([name, input]) =>
      Effect.all([overRest(name, input, own.apiKey), overTools(name, input, own.apiKey)])
  )

const dataOf = (said: Said): Fields => {
  assert.isTrue(said.ok, JSON.stringify(said))
  return said.ok ? (said.data as Fields) : {}
}

const made = (said: Said, field: string): string => {
  const value = dataOf(said)[field]
  assert.isString(value)
  return String(value)
}

/** Asks until it is so; what workers do takes real time, whatever their clock says. */
const until = Effect.fnUntraced(function* <A, E, R>(ask: Effect.Effect<A | undefined, E, R>) {
  for (let turn = 0; turn < 400; turn++) {
    const answer = yield* ask
    if (answer !== undefined) return answer
    yield* Effect.promise(() => new Promise((resume) => setTimeout(resume, 25)))
  }
  return yield* Effect.die(new Error("In vain."))
})

const scene = <A, E>(
  tell: Effect.Effect<A, E, Layer.Success<typeof service> | Scope.Scope>
): Effect.Effect<A, E | Layer.Error<typeof service>, Scope.Scope> =>
  Effect.flatMap(Layer.build(service), (context) => Effect.provide(tell, context)).pipe(
    Effect.provide(listening)
  )

it.live(
  "no sink of a whole flow holds a key, a signing secret, a link, a session or the seed",
  () =>
    scene(
      Effect.gen(function* () {
        const receiver = yield* openReceiver
        const own = yield* owner("user_42")
        const repeated = (name: Name, input: Fields) => overRest(name, input, own.apiKey, "once")
        const endpoint = { url: receiver.url, events: ["payment_request.created"] }
        const webhook = yield* repeated("create_merchant_webhook", endpoint)
        const secret = made(webhook, "secret")
        yield* receiver.trust(secret)
        const rotation = { id: made(webhook, "id"), gracePeriodSeconds: 3600 }
        const rotated = made(yield* repeated("rotate_merchant_webhook_secret", rotation), "secret")
        const key = yield* repeated("create_api_key", { scopes: ["account:read"], label: "till" })
        const apiKey = made(key, "apiKey")
        yield* overTools("get_account", {}, apiKey)
        const session = { customer: { externalId: "user_42" }, amountUsd: 49 }
        yield* overRest("create_checkout_session", session, own.apiKey)
        const [event] = yield* until(
          Effect.map(receiver.arrived, (all) => (all.length > 0 ? all : undefined))
        )
        yield* overRest("list_wallets", {}, `${apiKey.slice(0, -1)}!`)
        yield* overTools("revoke_api_key", { keyId: made(key, "id") }, own.apiKey)
        yield* overRest("list_wallets", {}, apiKey)
        const ada = new Visitor(yield* Origin, siteUrl)
        const wanted = {
          accountId: own.caller.accountId,
          purpose: "operator",
          name: "Ada"
        } as const
        const { token, url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
        assert.strictEqual((yield* ada.enrol(url)).status, 200)
        const [first = ""] = [...ada.cookies.values()]
        yield* ada.post("sign-out")
        assert.strictEqual((yield* ada.logIn()).status, 200)
        const tokens = [token, first, ...ada.cookies.values()]
        for (const each of tokens) assert.match(each, /^[0-9A-Za-z]{43}$/u)
        const answers = yield* everyRead(own)
        const sql = yield* SqlClient
        yield* sql`alter table audit_entry rename to audit_entry_away`
        const failed = [
          yield* overRest("create_api_key", { scopes: ["account:read"] }, own.apiKey),
          yield* overRest("create_merchant_webhook", endpoint, own.apiKey)
        ]
        for (const said of failed) assert.strictEqual(said.status, 500)
        for (const path of ["sign-out", "enrol/options"]) {
          yield* ada.post(path, path === "sign-out" ? {} : { token })
        }
        assert.notMatch(JSON.stringify(failed), /audit_entry|select |insert |\.ts\b|node_modules/u)
        const manual = yield* fetched("/openapi.json")
        const secrets = [own.apiKey, apiKey, secret, rotated, ...tokens, ...(yield* rootSecrets)]
        const rows = yield* tables
        assert.isAbove(rows.length, 20)
        assert.include(rows.join("\n"), made(key, "lastFour"))
        assertHoldsNone(rows.join("\n"), "a table", secrets)
        assert.isTrue(logged.some((line) => line.includes("create_api_key failed")))
        assertHoldsNone(logged.join("\n"), "the log", secrets)
        assert.include(JSON.stringify(answers), made(key, "id"))
        assertHoldsNone(JSON.stringify([answers, failed]), "an answer", secrets)
        assertHoldsNone(JSON.stringify(event), "a webhook", secrets)
        assertHoldsNone(manual.text, "the manual", secrets)
      })
    )
)

const shownOnce = [
  ["create_api_key", { scopes: ["account:read"] }, "apiKey"],
  ["create_merchant_webhook", { url: "https://shop.example.com/webhooks" }, "secret"]
] as const

it.live("a replay after the sweep of a day has no secret to give, nor has the database", () =>
  scene(
    Effect.gen(function* () {
      const own = yield* owner("user_42")
      const askAll = Effect.forEach(shownOnce, ([name, input]) =>
        overRest(name, input, own.apiKey, "once")
      )
      const first = yield* askAll
      const idempotency = yield* Idempotency
      const now = yield* DateTime.now
      assert.strictEqual(yield* idempotency.eraseSecrets(DateTime.add(now, { hours: 23 }), 9), 0)
      assert.strictEqual(JSON.stringify(yield* askAll), JSON.stringify(first))
      assert.strictEqual(yield* idempotency.eraseSecrets(DateTime.add(now, { hours: 25 }), 9), 2)
      const erased = yield* askAll
      for (const [at, [, , field]] of shownOnce.entries()) {
        const { [field]: _, ...rest } = dataOf(first[at] as Said)
        const data = { ...rest, secretAvailable: false }
        assert.deepStrictEqual(erased[at], { ok: true, status: 200, data })
      }
      const sql = yield* SqlClient
      const kept = yield* sql`select of_call from idempotency_key where sealed_secrets is not null`
      assert.lengthOf(kept, 0)
    })
  )
)

it.live("the workers sweep by themselves, a day after a secret was shown", () =>
  Effect.promise(async () => {
    const { advance, close, developer } = await openTreasury()
    const ask = () =>
      developer.call.create_api_key({ scopes: ["account:read"] }, { idempotencyKey: "once" })
    const first = await ask()
    await advance("23 hours")
    assert.strictEqual(JSON.stringify(await ask()), JSON.stringify(first))
    await advance("2 hours")
    const { apiKey, ...rest } = first
    assert.match(apiKey ?? "", forms[0] as RegExp)
    assert.deepStrictEqual(await ask(), { ...rest, secretAvailable: false })
    await close()
  })
)
