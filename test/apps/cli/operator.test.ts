/** What an operator does on the database itself, on both engines, and what is heard when it cannot be done. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as DataDirectoryLock from "../../../adapters/postgres/data-directory-lock.ts"
import * as KeyMaterial from "../../../adapters/postgres/key-material.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import * as CappedAccount from "../../support/capped-account.ts"
import * as Value from "../../support/chain-values.ts"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-operator-")

const embedded = Effect.map(directory, (path) => ({ BURSAR_DATA_DIR: join(path, "data") }))

const onServer = Effect.all({
  BURSAR_DATA_DIR: directory,
  DATABASE_URL: FreshDatabase.url("empty")
})

const engines = [
  ["PGlite", embedded],
  ["PostgreSQL", onServer]
] as const

describe.each(engines)("the operator's commands on %s", (_, engine) => {
  it.live(
    "open an account, give it its first key and take it away again, each with its audit entry",
    () =>
      Effect.gen(function* () {
        const environment = yield* engine
        const bursar = (...words: ReadonlyArray<string>) => ran(words, environment)
        const stores = office(Configuration.read(environment))
        const migrated = yield* bursar("migrate")
        assert.match(migrated.stdout, /^Applied 0001-baseline\.\n$/u)
        assert.strictEqual((yield* bursar("migrate")).stdout, "The database is up to date.\n")

        const opened = yield* bursar(
          "accounts",
          "open",
          "--name",
          "Shop",
          "--kind",
          "developer",
          "--json"
        )
        const account = JSON.parse(opened.stdout)
        assert.deepStrictEqual(
          [account.name, account.kind, account.tier, account.livemode],
          ["Shop", "developer", "startup", true]
        )
        const listed = yield* bursar("accounts", "list", "--json")
        assert.deepStrictEqual(JSON.parse(listed.stdout).accounts, [account])

        const expiresAt = DateTime.formatIso(DateTime.add(yield* DateTime.now, { days: 1 }))
        const made = yield* bursar(
          ...["keys", "create", account.id, "--label", "Office"],
          ...["--scopes", "account:read,keys:manage", "--scopes", "balances:read"],
          ...["--expires-at", expiresAt, "--ip-range", "10.0.0.0/8,::1", "--daily-cap-usd", "250"]
        )
        const text = made.stdout.trimEnd()
        assert.match(text, /^svc_hu_[0-9A-Za-z]{49}$/u)
        assert.notInclude(made.stderr, text)
        const asData = yield* bursar(
          ...["keys", "create", account.id, "--scopes", "balances:read", "--json"]
        )
        const { apiKey, ...created } = JSON.parse(asData.stdout)
        assert.match(apiKey, /^svc_hu_[0-9A-Za-z]{49}$/u)
        assert.notInclude(asData.stderr, apiKey)
        assert.deepStrictEqual(created.scopes, ["balances:read"])
        const asTable = yield* bursar("keys", "list", account.id, "-o", "csv")
        assert.match(asTable.stdout, /^id,.*\n/u)
        assert.include(asTable.stdout, created.id)
        const { accountId, keyId, scopes } = yield* Effect.provide(
          authenticate(text, "10.1.2.3"),
          stores
        )
        assert.strictEqual(accountId, account.id)
        assert.deepStrictEqual([...scopes], ["account:read", "keys:manage", "balances:read"])

        const keys = yield* bursar("keys", "list", account.id)
        assert.include(keys.stdout, keyId)
        for (const bound of ["10.0.0.0/8", "::1/128", "250.00"]) {
          assert.include(keys.stdout, bound)
        }
        assert.notInclude(keys.stdout, text)
        yield* bursar("keys", "revoke", account.id, "--key-id", keyId)
        const refusal = yield* Effect.flip(Effect.provide(authenticate(text, "10.1.2.3"), stores))
        assert.strictEqual(refusal._tag, "UNAUTHENTICATED")

        const { rows } = yield* Effect.provide(
          Effect.flatMap(Audit, (audit) => audit.list(account.id, { limit: 10 })),
          stores
        )
        assert.deepStrictEqual(
          rows.map(({ action, actor }) => [action, actor]),
          [
            ["api_key.revoked", "operator"],
            ["api_key.created", "operator"],
            ["api_key.created", "operator"],
            ["account.opened", "operator"]
          ]
        )
        assert.notInclude(JSON.stringify(rows), text)
      }),
    180_000
  )

  it.live(
    "change the key-encryption key once, and say plainly when neither key opens the database",
    () =>
      Effect.gen(function* () {
        const base = yield* engine
        const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
        const rotating = (current: number, previous?: number) =>
          ran(["keys", "rotate-encryption"], {
            ...base,
            BURSAR_KEY_ENCRYPTION_KEY: key(current),
            ...(previous === undefined ? {} : { BURSAR_PREVIOUS_KEY_ENCRYPTION_KEY: key(previous) })
          })
        yield* ran(["accounts", "open", "--name", "Shop", "--kind", "developer"], {
          ...base,
          BURSAR_KEY_ENCRYPTION_KEY: key(1)
        })
        assert.include((yield* rotating(2, 1)).stdout, "is now encrypted with the current key")
        assert.include((yield* rotating(2, 1)).stdout, "nothing was changed")
        const refused = yield* rotating(1)
        assert.notStrictEqual(refused.exitCode, 0)
        assert.include(refused.stderr, "BURSAR_PREVIOUS_KEY_ENCRYPTION_KEY")
        assert.notInclude(refused.stderr, key(1))
        assert.notMatch(refused.stderr, /\.ts\b/u)
      }),
    180_000
  )

  it.live(
    "set a tier, and supersede what waits above it",
    () =>
      Effect.gen(function* () {
        const environment = yield* engine
        const stores = office(Configuration.read(environment))
        const { accountId, ids } = yield* Effect.provide(CappedAccount.planted, stores)
        const set = yield* ran(
          ["tier", "set", accountId, "--tier", "personal", "--json"],
          environment
        )
        assert.strictEqual(JSON.parse(set.stdout).tier, "personal")
        assert.include(set.stderr, `Superseded proposal ${ids.above}.`)
        const after = yield* Effect.provide(CappedAccount.statuses(accountId, ids), stores)
        assert.deepStrictEqual(after, CappedAccount.afterTightening)
      }),
    180_000
  )
})

describe("the operator's commands", () => {
  it.live("leave no database behind when they only read", () =>
    Effect.gen(function* () {
      const environment = yield* embedded
      const { exitCode, stderr } = yield* ran(["accounts", "list"], environment)
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, /^There is no database in /u)
      assert.isFalse(existsSync(environment.BURSAR_DATA_DIR))
    })
  )

  it.live("say which process holds the data directory", () =>
    Effect.gen(function* () {
      const environment = yield* embedded
      yield* DataDirectoryLock.hold(environment.BURSAR_DATA_DIR)
      const { exitCode, stderr } = yield* ran(
        ["accounts", "open", "--name", "Shop", "--kind", "agent"],
        environment
      )
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, new RegExp(`is in use by process ${process.pid}`, "u"))
    })
  )

  it.live("tell a database that is away from a setting that is wrong, and print no password", () =>
    Effect.gen(function* () {
      const { BURSAR_DATA_DIR } = yield* embedded
      const DATABASE_URL = "postgres://treasurer:hunter2@127.0.0.1:9/bursar"
      for (const words of [["migrate"], ["accounts", "list"]]) {
        const away = yield* ran(words, { BURSAR_DATA_DIR, DATABASE_URL })
        assert.strictEqual(away.exitCode, 3)
        assert.match(away.stderr, /^The database cannot be used: .*ECONNREFUSED/u)
        assert.notInclude(away.stderr, "hunter2")
      }
      const wrong = yield* ran(["accounts", "list"], { BURSAR_TIER_PERSONAL: "3/2/1" })
      assert.strictEqual(wrong.exitCode, 2)
      assert.match(wrong.stderr, /^BURSAR_TIER_PERSONAL is contradictory/u)
    })
  )

  it.live("refuse what they do not know before they touch the database", () =>
    Effect.gen(function* () {
      const create = (...words: ReadonlyArray<string>) =>
        ran(["keys", "create", "a", ...words], { BURSAR_DATA_DIR: "nowhere" })
      const misspelt = yield* create("--scopes", "balance:read")
      assert.strictEqual(misspelt.exitCode, 2)
      assert.match(misspelt.stderr, /did you mean balances:read\?/u)
      assert.strictEqual((yield* create("--scopes", "all", "--expires-at", "tomorrow")).exitCode, 2)
      assert.strictEqual((yield* create()).exitCode, 2)
      assert.isFalse(existsSync("nowhere"))
    })
  )

  it.live("open an agent's account with the wallet that governs it, in its display form", () =>
    Effect.gen(function* () {
      const environment = { BURSAR_DATA_DIR: join(yield* directory, "data") }
      const open = (...words: ReadonlyArray<string>) =>
        ran(["accounts", "open", "--name", "Purchasing", ...words], environment)
      const address = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
      const chain = ["--funding-wallet-chain", "eip155:8453"]
      const wallet = (text: string) => ["--funding-wallet-address", text]
      const wrong = [
        [...chain],
        [...wallet(address)],
        ["--funding-wallet-chain", "moon", ...wallet(address)],
        ["--funding-wallet-chain", "solana", ...wallet(address)],
        [...chain, ...wallet("4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T")],
        [...chain, ...wallet(address.replace("bD", "Bd"))],
        [...chain, ...wallet(address.slice(0, -1))],
        [...chain, ...wallet(`0x${"0".repeat(40)}`)]
      ]
      for (const words of wrong) {
        const { exitCode, stderr } = yield* open("--kind", "agent", ...words)
        assert.deepStrictEqual([exitCode, stderr.includes("--funding-wallet-")], [2, true])
      }
      const person = yield* open("--kind", "developer", ...chain, ...wallet(address))
      assert.deepStrictEqual([person.exitCode, person.stdout], [2, ""])
      assert.isFalse(existsSync(environment.BURSAR_DATA_DIR))

      const words = [...chain, ...wallet(address.toLowerCase()), "--json"]
      const opened = yield* open("--kind", "agent", ...words)
      assert.deepStrictEqual(JSON.parse(opened.stdout).fundingWallet, { chainId: "base", address })
      assert.strictEqual(opened.stderr, "")
      const stores = office(Configuration.read(environment))
      const funded = Effect.flatMap(Accounts, (accounts) =>
        accounts.fundedBy({ chainId: "base", address: Value.address(address) }, { limit: 9 })
      )
      const { rows } = yield* Effect.provide(funded, stores)
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        [JSON.parse(opened.stdout).id]
      )
      const ungoverned = yield* open("--kind", "agent")
      assert.match(ungoverned.stderr, /no funding wallet/u)
    })
  )

  it.live("open accounts of the sandbox in a sandbox's database", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* FreshDatabase.url()
      const environment = { BURSAR_DATA_DIR: yield* directory, DATABASE_URL }
      yield* Effect.provide(
        KeyMaterial.keep("mode", "sandbox"),
        FreshDatabase.engineAt(DATABASE_URL)
      )
      const opened = yield* ran(
        ["accounts", "open", "--name", "Shop", "--kind", "agent", "--json"],
        environment
      )
      const { livemode, tier } = JSON.parse(opened.stdout)
      assert.deepStrictEqual([livemode, tier], [false, "personal"])
    })
  )
})
