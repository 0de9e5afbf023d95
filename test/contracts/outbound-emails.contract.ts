/** What every store of emails must do: an email ends once, and says nothing afterwards. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Email } from "../../core/mail/email.ts"
import { OutboundEmails } from "../../core/mail/email-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const anEmail = (accountId: string, over: Partial<Email> = {}): Email => ({
  id: Rows.anId(),
  accountId,
  purpose: "claim_link",
  to: "ada@example.com",
  subject: "Claim “Söhne” ✓",
  sealedText: "sealed-words",
  status: "queued",
  attempts: 0,
  lastError: null,
  createdAt: Rows.at(0.123),
  expiresAt: Rows.at(600.123),
  endedAt: null,
  ...over
})

const planted = Effect.gen(function* () {
  const email = anEmail((yield* Stored.account()).id)
  yield* (yield* OutboundEmails).write(email)
  return email
})

export const suite = (name: string, stores: Layer.Layer<OutboundEmails | Accounts | Atomically>) =>
  layer(stores)(`${name}: emails`, (it) => {
    it.effect("an email is read back as it was written, and its attempts are counted", () =>
      Effect.gen(function* () {
        const emails = yield* OutboundEmails
        const email = yield* planted
        assert.deepStrictEqual(yield* emails.find(email.id), email)
        yield* emails.attempt(email.id)
        yield* emails.recordFailure(email.id, "nobody listens")
        assert.deepStrictEqual(yield* emails.attempt(email.id), {
          ...email,
          attempts: 2,
          lastError: "nobody listens"
        })
        assert.isUndefined(yield* emails.attempt(Rows.anId()))
      })
    )

    it.effect("of two ends one counts, and its text is erased with it", () =>
      Effect.gen(function* () {
        const emails = yield* OutboundEmails
        const email = yield* planted
        const sent = { status: "sent", at: Rows.at(1.5), error: null } as const
        const failed = { status: "failed", at: Rows.at(2), error: "too late" } as const
        assert.isTrue(yield* emails.end(email.id, sent))
        assert.isFalse(yield* emails.end(email.id, failed))
        yield* emails.recordFailure(email.id, "too late")
        assert.isUndefined(yield* emails.attempt(email.id))
        assert.deepStrictEqual(yield* emails.find(email.id), {
          ...email,
          status: "sent",
          sealedText: null,
          endedAt: Rows.at(1.5)
        })
      })
    )

    it.effect("a later email supersedes those that wait, of its account and address alone", () =>
      Effect.gen(function* () {
        const emails = yield* OutboundEmails
        const [mine, others] = [yield* planted, yield* planted]
        const sent = anEmail(mine.accountId)
        yield* emails.write(sent)
        yield* emails.end(sent.id, { status: "sent", at: Rows.at(1), error: null })
        const otherAddress = { ...anEmail(mine.accountId), to: "ben@example.com" }
        yield* emails.write(otherAddress)
        yield* emails.supersede(mine, Rows.at(3))
        assert.include(yield* emails.find(mine.id), { status: "superseded", sealedText: null })
        assert.include(yield* emails.find(sent.id), { status: "sent" })
        assert.deepStrictEqual(yield* emails.find(otherAddress.id), otherAddress)
        assert.deepStrictEqual(yield* emails.find(others.id), others)
      })
    )

    it.effect("emails are listed page by page, newest first, all or those that stand so", () =>
      Effect.gen(function* () {
        const emails = yield* OutboundEmails
        const { id } = yield* Stored.account()
        const rows = [5, 1, 3, 3, 2].map((seconds) =>
          anEmail(id, { createdAt: Rows.at(seconds), expiresAt: Rows.at(9e6) })
        )
        yield* Effect.forEach(rows, emails.write)
        const ended = rows[2]?.id ?? ""
        yield* emails.end(ended, { status: "failed", at: Rows.at(9), error: "no such address" })
        // Other tests write emails into the same store.
        const read = Effect.fnUntraced(function* (status?: Email["status"]) {
          const all = yield* PageWalk.readAll(2, (request) => emails.list(status, request))
          return PageWalk.ids(all.filter(({ accountId }) => accountId === id))
        })
        const inOrder = PageWalk.newestFirst(rows)
        assert.deepStrictEqual(yield* read(), inOrder)
        assert.deepStrictEqual(yield* read("failed"), [ended])
        assert.deepStrictEqual(
          yield* read("queued"),
          inOrder.filter((emailId) => emailId !== ended)
        )
      })
    )

    it.effect("an email of a transaction that is rolled back was never written", () =>
      Effect.gen(function* () {
        const emails = yield* OutboundEmails
        const email = anEmail((yield* Stored.account()).id)
        const { run } = yield* Atomically
        yield* Effect.exit(run(Effect.andThen(emails.write(email), Effect.fail("no"))))
        assert.isUndefined(yield* emails.find(email.id))
      })
    )
  })
