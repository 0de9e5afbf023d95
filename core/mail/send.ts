/**
 * Queues an email and sends it: outside of any transaction, and at least once, because a process may die between the
 * mail server's answer and our record of it. An email that cannot be delivered ends as failed, in its row and the log.
 */
import { DateTime, Effect } from "effect"
import * as Text from "../encoding/text.ts"
import { Ids } from "../ports/ids.ts"
import { Mail, MailNotSent, type Message } from "../ports/mail.ts"
import { Secrets } from "../ports/secrets.ts"
import { Tasks } from "../ports/tasks.ts"
import { type Email, maxAttempts, placeOf, supersedes } from "./email.ts"
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
  const violation = hopeless(email, yield* DateTime.now)
  if (violation !== undefined) return yield* endFailed(email, email.lastError ?? violation)
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

export interface EmailInput extends Pick<Email, "accountId" | "purpose" | "to" | "subject"> {
  readonly text: string
  readonly expiresAt: DateTime.Utc
}

/**
 * Writes an email in the running transaction and queues it for sending; one with a link supersedes earlier ones
 * of its purpose to the same address, whose links have ended. Returns its id.
 */
export const queueEmail = Effect.fnUntraced(function* ({ text, ...wanted }: EmailInput) {
  const emails = yield* OutboundEmails
  const id = yield* (yield* Ids).uuid
  const now = yield* DateTime.now
  if (supersedes[wanted.purpose]) yield* emails.supersede(wanted, now)
  yield* emails.write({
    ...wanted,
    id,
    sealedText: yield* (yield* Secrets).seal(placeOf({ id, accountId: wanted.accountId }), text),
    status: "queued",
    attempts: 0,
    lastError: null,
    createdAt: now,
    endedAt: null
  })
  yield* (yield* Tasks).offer({ kind: "send_mail", row: id })
  return id
})

/** A line break or another control character would begin a header of the writer's choice. */
const breaksOut = /\p{Cc}|[\u2028\u2029]/u
const address = /^[\x21-\x7e]+@[\x21-\x7e]+$/u

const maxSubject = 200
const maxText = 20_000

/** What every way of sending refuses: a header that could become two, and text that is not bounded. */
export const violation = ({ subject, text, to }: Message): MailNotSent | undefined => {
  const refuse = (message: string) => new MailNotSent({ message, isFinal: true })
  if (!address.test(to) || /[<>(),;:\\"[\]]/u.test(to))
    return refuse("it has more than one recipient")
  if (breaksOut.test(subject) || subject.length > maxSubject)
    return refuse("its subject is not a single short line")
  return text.length > maxText ? refuse("it is too long") : undefined
}
