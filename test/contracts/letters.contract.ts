/** What every store of letters must do: a letter ends once, and says nothing afterwards. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Letter } from "../../core/mail/letter.ts"
import { Letters } from "../../core/mail/letter-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Paging from "../support/paging.ts"
import * as Plant from "../support/planting.ts"
import * as Rows from "../support/rows.ts"

const aLetter = (accountId: string, over: Partial<Letter> = {}): Letter => ({
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
  const letter = aLetter((yield* Plant.account()).id)
  yield* (yield* Letters).write(letter)
  return letter
})

export const suite = (name: string, books: Layer.Layer<Letters | Accounts | Atomically>) =>
  layer(books)(`${name}: letters`, (it) => {
    it.effect("a letter is read back as it was written, and its attempts are counted", () =>
      Effect.gen(function* () {
        const letters = yield* Letters
        const letter = yield* planted
        assert.deepStrictEqual(yield* letters.find(letter.id), letter)
        yield* letters.attempt(letter.id)
        yield* letters.stumble(letter.id, "nobody listens")
        assert.deepStrictEqual(yield* letters.attempt(letter.id), {
          ...letter,
          attempts: 2,
          lastError: "nobody listens"
        })
        assert.isUndefined(yield* letters.attempt(Rows.anId()))
      })
    )

    it.effect("of two ends one counts, and its text is erased with it", () =>
      Effect.gen(function* () {
        const letters = yield* Letters
        const letter = yield* planted
        const sent = { status: "sent", at: Rows.at(1.5), error: null } as const
        const failed = { status: "failed", at: Rows.at(2), error: "too late" } as const
        assert.isTrue(yield* letters.end(letter.id, sent))
        assert.isFalse(yield* letters.end(letter.id, failed))
        yield* letters.stumble(letter.id, "too late")
        assert.isUndefined(yield* letters.attempt(letter.id))
        assert.deepStrictEqual(yield* letters.find(letter.id), {
          ...letter,
          status: "sent",
          sealedText: null,
          endedAt: Rows.at(1.5)
        })
      })
    )

    it.effect("a later letter makes those that wait void, of its account alone", () =>
      Effect.gen(function* () {
        const letters = yield* Letters
        const [mine, others] = [yield* planted, yield* planted]
        const sent = aLetter(mine.accountId)
        yield* letters.write(sent)
        yield* letters.end(sent.id, { status: "sent", at: Rows.at(1), error: null })
        yield* letters.revoke(mine.accountId, "claim_link", Rows.at(3))
        assert.include(yield* letters.find(mine.id), { status: "void", sealedText: null })
        assert.include(yield* letters.find(sent.id), { status: "sent" })
        assert.deepStrictEqual(yield* letters.find(others.id), others)
      })
    )

    it.effect("letters are listed page by page, newest first, all or those that stand so", () =>
      Effect.gen(function* () {
        const letters = yield* Letters
        const { id } = yield* Plant.account()
        const rows = [5, 1, 3, 3, 2].map((seconds) =>
          aLetter(id, { createdAt: Rows.at(seconds), expiresAt: Rows.at(9e6) })
        )
        yield* Effect.forEach(rows, letters.write)
        const ended = rows[2]?.id ?? ""
        yield* letters.end(ended, { status: "failed", at: Rows.at(9), error: "no such address" })
        // Other tests write letters into the same store.
        const read = Effect.fnUntraced(function* (status?: Letter["status"]) {
          const all = yield* Paging.readAll(2, (request) => letters.list(status, request))
          return Paging.ids(all.filter(({ accountId }) => accountId === id))
        })
        const inOrder = Paging.newestFirst(rows)
        assert.deepStrictEqual(yield* read(), inOrder)
        assert.deepStrictEqual(yield* read("failed"), [ended])
        assert.deepStrictEqual(
          yield* read("queued"),
          inOrder.filter((letterId) => letterId !== ended)
        )
      })
    )

    it.effect("a letter of a transaction that is rolled back was never written", () =>
      Effect.gen(function* () {
        const letters = yield* Letters
        const letter = aLetter((yield* Plant.account()).id)
        const { run } = yield* Atomically
        yield* Effect.exit(run(Effect.andThen(letters.write(letter), Effect.fail("no"))))
        assert.isUndefined(yield* letters.find(letter.id))
      })
    )
  })
