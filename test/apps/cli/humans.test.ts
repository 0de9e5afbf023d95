/** What an operator does about people: lets them in by a link, sees them, and shuts a passkey out. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Passkeys from "../../../adapters/passkeys/passkeys.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { authenticate } from "../../../core/humans/authenticate.ts"
import { beginEnrolment, enrol } from "../../../core/humans/enrol.ts"
import { relyingPartyOf } from "../../../core/humans/passkey.ts"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { SoftAuthenticator } from "../../support/soft-authenticator.ts"

const siteUrl = "https://pay.example.com"
const browserId = "cd".repeat(32)

it.live(
  "a link lets one person in, who is listed, and is out when their passkey is suspended",
  () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "bursar-humans-"))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
      )
      const environment = {
        BURSAR_DATA_DIR: join(directory, "data"),
        DATABASE_URL: yield* FreshDatabase.url(),
        PUBLIC_URL: siteUrl
      }
      const bursar = (...words: ReadonlyArray<string>) => ran(words, environment)
      const stores = Layer.merge(office(Configuration.read(environment)), Passkeys.layer)
      yield* bursar("migrate")
      const opened = ["accounts", "open", "--name", "Shop", "--kind", "developer", "--json"]
      const { id } = JSON.parse((yield* bursar(...opened)).stdout)

      const invited = yield* bursar("humans", "enrol", id, "--name", "Ada Byron")
      const url = new URL(invited.stdout.trimEnd())
      assert.strictEqual(`${url.origin}${url.pathname}`, `${siteUrl}/console/enrol`)
      assert.match(url.hash, /^#[0-9A-Za-z]{43}$/u)
      assert.include(invited.stderr, "Ada Byron")
      assert.notInclude(invited.stderr, url.hash.slice(1))
      assert.strictEqual((yield* bursar("humans", "enrol", id)).exitCode, 2)
      const unknown = yield* bursar("humans", "enrol", id, "--human", "nobody")
      assert.strictEqual(unknown.exitCode, 1)

      const authenticator = new SoftAuthenticator(relyingPartyOf({ siteUrl }))
      const { token } = yield* Effect.gen(function* () {
        const { passkeyChallengeId, options } = yield* beginEnrolment(url.hash.slice(1), browserId)
        const answer = authenticator.register(options)
        return yield* enrol({ passkeyChallengeId, answer, label: "Laptop" }, browserId)
      }).pipe(Effect.provide(stores))

      const { humans } = JSON.parse((yield* bursar("humans", "list", id, "--json")).stdout)
      assert.strictEqual(humans[0].name, "Ada Byron")
      const [passkey] = humans[0].passkeys
      assert.deepInclude(passkey, { label: "Laptop", backedUp: false, suspendedAt: null })
      assert.notInclude(JSON.stringify(humans), "publicKey")
      assert.strictEqual(
        (yield* Effect.provide(authenticate(token), stores)).human.name,
        "Ada Byron"
      )

      const early = yield* bursar("humans", "enrol", id, "--human", humans[0].id)
      const suspended = yield* bursar("humans", "suspend", id, "--passkey", passkey.id, "--json")
      assert.isString(JSON.parse(suspended.stdout).suspendedAt)
      const out = yield* Effect.flip(Effect.provide(authenticate(token), stores))
      assert.strictEqual(out._tag, "SIGN_IN_REQUIRED")
      const back = yield* bursar("humans", "enrol", id, "--human", humans[0].id)
      // The operator's own links stand, also those from before the passkey ended.
      for (const { stdout } of [early, back]) {
        const token = new URL(stdout.trimEnd()).hash.slice(1)
        const open = yield* Effect.provide(beginEnrolment(token, browserId), stores)
        assert.strictEqual(open.enrolment.humanId, humans[0].id)
      }

      const ben = ["--name", "Ben", "--email", "ben@example.com", "--role", "viewer", "--json"]
      const asked = JSON.parse((yield* bursar("humans", "invite", id, ...ben)).stdout)
      assert.deepInclude(asked, { status: "invited", role: "viewer" })
      assert.match(asked.url, /#[0-9A-Za-z]{43}$/u)
      const { emails } = JSON.parse((yield* bursar("mail", "list", "--json")).stdout)
      assert.deepInclude(emails[0], { to: "ben@example.com", purpose: "invitation" })
      const whom = ["--human", asked.personId]
      const raised = yield* bursar("humans", "role", id, ...whom, "--role", "owner", "--json")
      assert.strictEqual(JSON.parse(raised.stdout).role, "owner")
      assert.strictEqual((yield* bursar("humans", "remove", id, ...whom)).exitCode, 0)
      const lastOwner = ["--human", humans[0].id, "--role", "viewer"]
      const lowered = yield* bursar("humans", "role", id, ...lastOwner)
      assert.strictEqual(lowered.exitCode, 1)
      assert.include(lowered.stderr, "only owner")
    }).pipe(Effect.scoped),
  180_000
)
