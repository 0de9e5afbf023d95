/**
 * On a server: a human's passkey, their co-signers' votes and a change of rules come at once, for many sends.
 * Each is started by one of them, once; nothing fails on our side and nobody waits in a circle. And both of a human's
 * passkeys are taken away at once, of which one stays.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Store } from "../../../adapters/memory/store.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Terse from "../../../adapters/postgres/terse.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { beginRemovingPasskey, removePasskey } from "../../../core/humans/change-passkeys.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { type AHuman, aHuman, enrolledBy } from "../../support/enrolled-human.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { cosigner, humanAccount, sendsTake } from "../../support/human-account.ts"

const treasuryAt = (address: string) =>
  Layer.merge(
    Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1),
    Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engineAt(address, 16)))
  )

const sends = 12

it.live(
  "passkeys, votes and tighter rules at once start each send once, and none unsigned",
  () =>
    Effect.gen(function* () {
      const account = yield* humanAccount
      const { accountId, call, confirmed, propose, statusOf } = account
      const others = [yield* cosigner(account, "Ben"), yield* cosigner(account, "Cleo")]
      yield* call.update_cosigner_rules(sendsTake(1))
      // Answers of a synced passkey may overtake each other; those of a counting one look like a copy.
      const human = yield* aHuman(accountId, "Dora", { synced: true })
      const ids = yield* Effect.forEach(Array.from({ length: sends }), (_, nth) =>
        nth % 3 === 2 ? propose("5") : confirmed("5")
      )
      const signs = ids.map((id) => human.approve(id))
      const again = ids.map((id) => human.approve(id))
      const votes = others.flatMap(({ vote }) => ids.map((id) => vote(id)))
      const tighten = call.update_cosigner_rules(sendsTake(2))
      const said = yield* Effect.forEach(
        [...signs, ...votes, tighten, ...again] as ReadonlyArray<typeof tighten>,
        Effect.exit,
        { concurrency: "unbounded" }
      )
      const defects = said.filter(
        (exit) => exit._tag === "Failure" && exit.cause.reasons.some(({ _tag }) => _tag === "Die")
      )
      assert.deepStrictEqual(defects, [])
      // What came too early is said again, until all that is asked for has come.
      for (const { vote } of others) yield* Effect.forEach(ids, (id) => Effect.ignore(vote(id)))
      assert.deepStrictEqual(
        yield* Effect.forEach(ids, statusOf),
        ids.map(() => "executing")
      )
      const sql = yield* SqlClient.SqlClient
      const started = yield* sql<{ readonly subject: string; readonly times: number }>`
        select encode(subject, 'hex') as subject, count(*)::integer as times from audit_entry
        where action = ${Terse.encode("proposal.executing")} group by subject`
      assert.lengthOf(started, sends)
      for (const { times } of started) assert.strictEqual(times, 1)
      const signed = yield* sql<{ readonly times: number }>`
        select count(*)::integer as times from audit_entry where action = ${Terse.encode("proposal.signed")}`
      assert.strictEqual(signed[0]?.times, sends)
      assert.strictEqual((yield* call.get_policy_limits({})).dailyUsedUsd, "60.00")
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(FreshDatabase.url(), treasuryAt)))),
  120_000
)

const people = 12

/** One more browser of a human, with a passkey of its own. */
const another = Effect.fnUntraced(function* ({ human: { accountId, id: humanId, name } }: AHuman) {
  const wanted = { accountId, purpose: "second_passkey", humanId, name } as const
  const { token } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  return yield* enrolledBy(token)
})

/** Asked already, so that nothing but the removal is left to do. */
const removing = Effect.fnUntraced(function* ({ authenticator, passkey, signedIn }: AHuman) {
  const { options, passkeyChallengeId } = yield* beginRemovingPasskey(signedIn, passkey.id)
  const answer = authenticator.sign(options)
  return removePasskey(signedIn, passkey.id, { passkeyChallengeId, answer })
})

it.live(
  "of the last two passkeys of a human, each taken away by itself at once, one stays",
  () =>
    Effect.gen(function* () {
      const { accountId } = yield* humanAccount
      const humans = yield* Humans
      for (let nth = 0; nth < people; nth++) {
        const one = yield* aHuman(accountId, `Dora ${nth}`)
        const other = yield* another(one)
        const both = [yield* removing(one), yield* removing(other)]
        const said = yield* Effect.forEach(both, Effect.result, { concurrency: "unbounded" })
        const left = (yield* humans.passkeysOf(one.human.id)).filter(
          ({ suspendedAt }) => suspendedAt === null
        )
        assert.lengthOf(left, 1)
        const refused = said.flatMap((each) => (each._tag === "Failure" ? [each.failure._tag] : []))
        assert.deepStrictEqual(refused, ["INVALID_REQUEST"])
      }
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(FreshDatabase.url(), treasuryAt)))),
  120_000
)
