/** `bursar mail`: lists outgoing email and its status, never its text. */
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { Email } from "../../../core/mail/email.ts"
import { OutboundEmails } from "../../../core/mail/email-store.ts"
import type * as Page from "../../../core/operation/page.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { inOfficeToRead } from "./office.ts"
import { form, show } from "./show.ts"

const fields = {
  id: Schema.String,
  accountId: Schema.String,
  purpose: Schema.String,
  to: Schema.String,
  status: Schema.String,
  attempts: Schema.Int,
  lastError: Schema.NullOr(Schema.String),
  createdAt: Timestamp.Encoded,
  endedAt: Schema.NullOr(Timestamp.Encoded)
}

const all = Effect.fnUntraced(function* (status: Email["status"] | undefined) {
  const emails = yield* OutboundEmails
  const found: Array<Email> = []
  let request: Page.Request | undefined = { limit: 100 }
  while (request !== undefined) {
    const page: Page.Page<Email> = yield* emails.list(status, request)
    found.push(...page.rows)
    request = page.next === undefined ? undefined : { limit: 100, after: page.next }
  }
  return found
})

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", ["queued", "sent", "failed", "superseded"]).pipe(
      Flag.withDescription("Only email with this status."),
      Flag.withMetavar("<status>"),
      Flag.optional
    ),
    form
  },
  Effect.fnUntraced(function* ({ form, status }) {
    const emails = yield* inOfficeToRead(all(Option.getOrUndefined(status)))
    const listed = { emails: Schema.Array(Schema.Struct(fields)), hasMore: Schema.Boolean }
    yield* show(listed, { emails, hasMore: false }, form)
  })
).pipe(
  Command.withDescription(
    "Lists outgoing email, newest first: queued, sent, failed with the last error, or superseded by a later one. The text is never shown."
  ),
  Command.withShortDescription("Lists outgoing email and its status."),
  Command.withExamples([{ command: "bursar mail list --status failed" }])
)

export const mail = Command.make("mail").pipe(
  Command.withDescription("Lists outgoing email."),
  Command.withSubcommands([list])
)
