/** The keys an operator makes and revokes: made nowhere but where the service's secrets are, revoked with or without those made from them. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Keyring from "../../../adapters/secrets/keyring.ts"
import * as WalletRoot from "../../../adapters/secrets/wallet-root.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { issue } from "../../../core/keys/create-key.ts"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-operator-")

describe("the operator's commands", () => {
  it.live("give out no key that the service could not read, for lack of its keyring", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* FreshDatabase.url()
      const [own, other] = [yield* directory, yield* directory]
      const open = ["accounts", "open", "--name", "Shop", "--kind", "agent", "--json"]
      const opened = yield* ran(open, { BURSAR_DATA_DIR: own, DATABASE_URL })
      const { id } = JSON.parse(opened.stdout)
      const create = ["keys", "create", id, "--scopes", "all"]
      const elsewhere = yield* ran(create, { BURSAR_DATA_DIR: other, DATABASE_URL })
      assert.deepStrictEqual([elsewhere.exitCode, elsewhere.stdout], [1, ""])
      assert.match(elsewhere.stderr, /BURSAR_KEY_ENCRYPTION_KEY/u)
      const here = yield* ran(create, { BURSAR_DATA_DIR: own, DATABASE_URL })
      assert.match(here.stdout, /^svc_ag_/u)
    })
  )

  it.live("make no key under a pepper the service does not have, until it is the database's", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* FreshDatabase.url()
      const keyEncryptionKey = Buffer.alloc(32, 7).toString("base64")
      const at = (place: string) => ({
        ...{ BURSAR_DATA_DIR: place, DATABASE_URL },
        BURSAR_KEY_ENCRYPTION_KEY: keyEncryptionKey
      })
      const [own, other] = [at(yield* directory), at(yield* directory)]
      const open = ["accounts", "open", "--name", "Shop", "--kind", "developer", "--json"]
      const { id } = JSON.parse((yield* ran(open, own)).stdout)
      const create = ["keys", "create", id, "--scopes", "all"]
      const before = yield* ran(create, own)
      const refused = yield* ran(create, other)
      assert.deepStrictEqual([refused.exitCode, refused.stdout], [1, ""])
      assert.match(refused.stderr, /BURSAR_PEPPER.*bursar keys adopt-pepper/u)
      assert.strictEqual((yield* ran(create, own)).exitCode, 0)

      const adopt = ["keys", "adopt-pepper"]
      assert.match((yield* ran(adopt, other)).stdout, /now uses this pepper/u)
      assert.match((yield* ran(adopt, other)).stdout, /already/u)
      assert.strictEqual((yield* ran(create, own)).exitCode, 1)
      const after = yield* ran(create, other)
      const stores = office(Configuration.read(other))
      const knows = (text: string) =>
        Effect.isSuccess(Effect.provide(authenticate(text.trimEnd()), stores))
      assert.isTrue(yield* knows(after.stdout))
      assert.isFalse(yield* knows(before.stdout))
    })
  )

  it.live("bring the wallet root into a new database, once, and never in another's place", () =>
    Effect.gen(function* () {
      const place = yield* directory
      const on = Effect.map(FreshDatabase.url(), (DATABASE_URL) => ({
        BURSAR_DATA_DIR: place,
        DATABASE_URL
      }))
      const [lost, next, other] = [yield* on, yield* on, yield* on]
      const keyring = yield* Keyring.load(Configuration.read(lost))
      const rootOf = Effect.fnUntraced(function* (environment: typeof lost) {
        const { stdout } = yield* ran(["keys", "export-root"], environment)
        return yield* WalletRoot.unwrap(keyring, stdout)
      })
      const backup = join(place, "wallet-root.backup")
      const { stdout } = yield* ran(["keys", "export-root"], lost)
      writeFileSync(backup, stdout)
      const restore = ["keys", "restore-root", backup]
      assert.match((yield* ran(restore, next)).stdout, /The wallet root is back/u)
      assert.match((yield* ran(restore, next)).stdout, /already/u)
      assert.strictEqual(yield* rootOf(next), yield* rootOf(lost))

      const standing = yield* rootOf(other)
      assert.notStrictEqual(standing, yield* rootOf(lost))
      const refused = yield* ran(restore, other)
      assert.deepStrictEqual([refused.exitCode, refused.stdout], [1, ""])
      assert.match(refused.stderr, /another identity key/u)
      assert.strictEqual(yield* rootOf(other), standing)
    })
  )

  it.live("open an account under its old id", () =>
    Effect.gen(function* () {
      const environment = {
        BURSAR_DATA_DIR: yield* directory,
        DATABASE_URL: yield* FreshDatabase.url()
      }
      const open = ["accounts", "open", "--name", "Shop", "--kind", "developer", "--json"]
      const id = "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d"
      const { stdout } = yield* ran([...open, "--id", id], environment)
      assert.propertyVal(JSON.parse(stdout), "id", id)
      assert.strictEqual((yield* ran([...open, "--id", "shop"], environment)).exitCode, 2)
    })
  )

  it.live.each([
    ["with those that stem from it", "--include-descendants", true],
    ["alone", "--keep-descendants", false]
  ] as const)("revoke a key %s when told so, and ask when not", ([, flag, endsBoth]) =>
    Effect.gen(function* () {
      const environment = {
        BURSAR_DATA_DIR: yield* directory,
        DATABASE_URL: yield* FreshDatabase.url()
      }
      const stores = office(Configuration.read(environment))
      const open = ["accounts", "open", "--name", "Shop", "--kind", "developer", "--json"]
      const { id } = JSON.parse((yield* ran(open, environment)).stdout)
      const create = ["keys", "create", id, "--scopes", "all"]
      const text = (yield* ran(create, environment)).stdout.trimEnd()
      const maker = yield* Effect.provide(authenticate(text), stores)
      const { text: child } = yield* Effect.provide(
        issue({
          accountId: id,
          kind: "developer",
          scopes: ["account:read"],
          label: null,
          expiresAt: null,
          madeBy: maker.keyId
        }),
        stores
      )
      const revoke = ["keys", "revoke", id, "--key-id", maker.keyId, "--json"]
      const asked = yield* ran(revoke, environment)
      assert.deepStrictEqual([asked.exitCode, asked.stdout], [1, ""])
      assert.match(asked.stderr, /One active key was created from this key/u)
      const both = yield* ran(
        [...revoke, "--include-descendants", "--keep-descendants"],
        environment
      )
      assert.strictEqual(both.exitCode, 1)
      const inForce = (key: string) => Effect.isSuccess(Effect.provide(authenticate(key), stores))
      assert.isTrue(yield* inForce(text))
      const revoked = yield* ran([...revoke, flag], environment)
      assert.deepInclude(JSON.parse(revoked.stdout), {
        revokedDescendants: endsBoth ? 1 : 0,
        keptDescendants: endsBoth ? 0 : 1,
        // No standby follows this database.
        durable: false
      })
      assert.isFalse(yield* inForce(text))
      assert.strictEqual(yield* inForce(child), !endsBoth)
    })
  )
})
