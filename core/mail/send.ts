/**
 * Sends an email: outside of any transaction, and at least once, because a process may die between the
 * mail server's answer and our record of it. An email that cannot be delivered ends as failed, in its row and the log.
 */
import { DateTime, Effect } from "effect"
import * as Text from "../encoding/text.ts"
import { Mail, MailNotSent } from "../ports/mail.ts"
import { Secrets } from "../ports/secrets.ts"
import { type Email, maxAttempts, placeOf } from "./email.ts"
import { OutboundEmails } from "./email-store.ts"

const endFailed = Effect.fnUntraced(function* (email: Email, error: string) {
  const at = yield* DateTime.now
  if (!(yield* (yield* OutboundEmails).end(email.id, { status: "failed", at, error }))) return
  yield* Effect.logError(
    `Email ${email.id} (${email.purpose}) of account ${email.accountId} failed permanently: ${error}`
  )
})

/** Why there is no use in another attempt; undefined when there is. */
const hopeless = (email: Email, now: DateTime.Utc): string | undefined => {
  if (DateTime.isGreaterThanOrEqualTo(now, email.expiresAt)) return "it is no longer needed"
  return email.attempts > maxAttempts ? `${maxAttempts} attempts failed` : undefined
}

const send = Effect.fnUntraced(function* (email: Email) {
  const text = yield* (yield* Secrets).open(placeOf(email), email.sealedText ?? "")
  yield* (yield* Mail).send({ id: email.id, to: email.to, subject: email.subject, text })
  const at = yield* DateTime.now
  yield* (yield* OutboundEmails).end(email.id, { status: "sent", at, error: null })
})

/** Tries once; fails with `MailNotSent` when it is to be tried again. */
export const sendEmail = Effect.fnUntraced(function* (emailId: string) {
  const emails = yield* OutboundEmails
  const email = yield* emails.attempt(emailId)
  if (email === undefined) return
  const objection = hopeless(email, yield* DateTime.now)
  if (objection !== undefined) return yield* endFailed(email, email.lastError ?? objection)
  yield* Effect.catchTag(
    send(email),
    "MailNotSent",
    Effect.fnUntraced(function* (failure) {
      // What a mail server says is a stranger's words.
      const message = Text.tamed(failure.message, 200)
      if (failure.isFinal) return yield* endFailed(email, message)
      yield* emails.recordFailure(emailId, message)
      return yield* new MailNotSent({ message: `${message} (email ${emailId})`, isFinal: false })
    })
  )
})
