/** Writes an email in the running transaction and queues it for sending; it supersedes earlier ones of its purpose. Returns its id. */
import { DateTime, Effect } from "effect"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { Tasks } from "../ports/tasks.ts"
import { type Email, placeOf } from "./email.ts"
import { OutboundEmails } from "./email-store.ts"

export interface EmailInput extends Pick<Email, "accountId" | "purpose" | "to" | "subject"> {
  readonly text: string
  readonly expiresAt: DateTime.Utc
}

export const queueEmail = Effect.fnUntraced(function* ({ text, ...wanted }: EmailInput) {
  const emails = yield* OutboundEmails
  const id = yield* (yield* Ids).uuid
  const now = yield* DateTime.now
  yield* emails.supersede(wanted.accountId, wanted.purpose, now)
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
