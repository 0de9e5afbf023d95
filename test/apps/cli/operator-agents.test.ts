/** What an operator does for agents' accounts: the wallet that governs one, its plan, and the emails about it. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { queueEmail } from "../../../core/mail/send.ts"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-operator-")

const address = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
const wallet = ["--funding-wallet-chain", "base", "--funding-wallet-address", address]

const anEmail = (accountId: string) =>
  Effect.gen(function* () {
    const expiresAt = DateTime.add(yield* DateTime.now, { hours: 1 })
    const email = { accountId, purpose: "claim_link", to: "ada@example.com" } as const
    return yield* queueEmail({ ...email, subject: "Claim it", text: "s3cret", expiresAt })
  })

it.live(
  "an agent's account is given its wallet once, its plan as often as its operator likes",
  () =>
    Effect.gen(function* () {
      const environment = {
        BURSAR_DATA_DIR: yield* directory,
        DATABASE_URL: yield* FreshDatabase.url()
      }
      const bursar = (...words: ReadonlyArray<string>) => ran(words, environment)
      const stores = office(Configuration.read(environment))
      const open = (...rest: ReadonlyArray<string>) =>
        bursar("accounts", "open", "--name", "Purchasing", ...rest, "--json")
      const contact = ["--contact-email", "ada@example.com"]
      assert.strictEqual((yield* open("--kind", "developer", ...contact)).exitCode, 2)
      const misspelt = yield* open("--kind", "agent", "--contact-email", "Ada <ada@example.com>")
      assert.strictEqual(misspelt.exitCode, 2)
      const { contactEmail, id } = JSON.parse((yield* open("--kind", "agent", ...contact)).stdout)
      assert.strictEqual(contactEmail, "ada@example.com")

      const give = (...rest: ReadonlyArray<string>) =>
        bursar("accounts", "funding-wallet", id, ...rest, "--json")
      assert.deepStrictEqual(
        [(yield* give()).exitCode, (yield* give("--funding-wallet-chain", "base")).exitCode],
        [2, 2]
      )
      const given = JSON.parse((yield* give(...wallet)).stdout)
      assert.deepStrictEqual(given.fundingWallet, { chainId: "base", address })
      const again = yield* give(...wallet)
      assert.strictEqual(again.exitCode, 1)
      assert.match(again.stderr, /already has a funding wallet/u)

      const plan = (...rest: ReadonlyArray<string>) =>
        bursar("plan", "set", id, "--plan", "startup", "--json", ...rest)
      const until = "2031-01-01T00:00:00.000Z"
      const dated = JSON.parse((yield* plan("--until", until)).stdout)
      assert.deepInclude(dated, { tier: "startup", subscriptionExpiresAt: until })
      assert.strictEqual((yield* plan("--until", "soon")).exitCode, 2)
      assert.isNull(JSON.parse((yield* plan()).stdout).subscriptionExpiresAt)
      const nobody = yield* bursar("plan", "set", "nobody", "--plan", "personal")
      assert.strictEqual(nobody.exitCode, 1)

      const email = yield* Effect.provide(anEmail(id), stores)
      const listed = yield* bursar("mail", "list", "--status", "queued", "--json")
      const [shown, ...others] = JSON.parse(listed.stdout).emails
      assert.deepInclude(shown, { id: email, to: "ada@example.com", attempts: 0 })
      assert.lengthOf(others, 0)
      assert.notMatch(listed.stdout, /s3cret|sealed/iu)

      const { rows } = yield* Effect.provide(
        Effect.flatMap(Audit, (audit) => audit.list(id, { limit: 10 })),
        stores
      )
      assert.deepStrictEqual(
        rows.map(({ action, actor }) => `${action} by ${actor}`),
        [
          "account.plan_set by operator",
          "account.plan_set by operator",
          "account.funding_wallet_given by operator",
          "account.opened by operator"
        ]
      )
    }),
  60_000
)
