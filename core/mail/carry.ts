/**
 * Carries a letter: outside of any transaction, and at least once, because a process may die between the
 * mail server's yes and our note of it. A letter that cannot be carried ends as failed, in its row and the log.
 */
import { DateTime, Effect } from "effect"
import * as Text from "../encoding/text.ts"
import { Mail, MailNotSent } from "../ports/mail.ts"
import { Secrets } from "../ports/secrets.ts"
import { type Letter, maxAttempts, placeOf } from "./letter.ts"
import { Letters } from "./letter-store.ts"

const endFailed = Effect.fnUntraced(function* (letter: Letter, error: string) {
  const at = yield* DateTime.now
  if (!(yield* (yield* Letters).end(letter.id, { status: "failed", at, error }))) return
  yield* Effect.logError(
    `Email ${letter.id} (${letter.purpose}) of account ${letter.accountId} failed permanently: ${error}`
  )
})

/** Why there is no use in another attempt; undefined when there is. */
const hopeless = (letter: Letter, now: DateTime.Utc): string | undefined => {
  if (DateTime.isGreaterThanOrEqualTo(now, letter.expiresAt)) return "it is no longer needed"
  return letter.attempts > maxAttempts ? `${maxAttempts} attempts failed` : undefined
}

const send = Effect.fnUntraced(function* (letter: Letter) {
  const text = yield* (yield* Secrets).open(placeOf(letter), letter.sealedText ?? "")
  yield* (yield* Mail).send({ id: letter.id, to: letter.to, subject: letter.subject, text })
  const at = yield* DateTime.now
  yield* (yield* Letters).end(letter.id, { status: "sent", at, error: null })
})

/** Tries once; fails with `MailNotSent` when it is to be tried again. */
export const carryLetter = Effect.fnUntraced(function* (letterId: string) {
  const letters = yield* Letters
  const letter = yield* letters.attempt(letterId)
  if (letter === undefined) return
  const objection = hopeless(letter, yield* DateTime.now)
  if (objection !== undefined) return yield* endFailed(letter, letter.lastError ?? objection)
  yield* Effect.catchTag(
    send(letter),
    "MailNotSent",
    Effect.fnUntraced(function* (failure) {
      // What a mail server says is a stranger's words.
      const message = Text.tamed(failure.message, 200)
      if (failure.isFinal) return yield* endFailed(letter, message)
      yield* letters.stumble(letterId, message)
      return yield* new MailNotSent({ message: `${message} (email ${letterId})`, isFinal: false })
    })
  )
})
