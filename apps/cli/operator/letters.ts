/** `bursar letters`: what the treasury owes people by mail and how that stands; never what a letter says. */
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { Letter } from "../../../core/mail/letter.ts"
import { Letters } from "../../../core/mail/letter-store.ts"
import type * as Page from "../../../core/operation/page.ts"
import * as Instant from "../../../core/time/timestamp.ts"
import { inOffice } from "./office.ts"
import { json, show } from "./show.ts"

const fields = {
  id: Schema.String,
  accountId: Schema.String,
  purpose: Schema.String,
  to: Schema.String,
  status: Schema.String,
  attempts: Schema.Int,
  lastError: Schema.NullOr(Schema.String),
  createdAt: Instant.Shown,
  endedAt: Schema.NullOr(Instant.Shown)
}

const all = Effect.fnUntraced(function* (status: Letter["status"] | undefined) {
  const letters = yield* Letters
  const found: Array<Letter> = []
  let request: Page.Request | undefined = { limit: 100 }
  while (request !== undefined) {
    const page: Page.Page<Letter> = yield* letters.list(status, request)
    found.push(...page.rows)
    request = page.next === undefined ? undefined : { limit: 100, after: page.next }
  }
  return found
})

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", ["queued", "sent", "failed", "void"]).pipe(
      Flag.withDescription("Only those that stand so."),
      Flag.withMetavar("<status>"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ json, status }) {
    const letters = yield* inOffice(all(Option.getOrUndefined(status)))
    const listed = { letters: Schema.Array(Schema.Struct(fields)), hasMore: Schema.Boolean }
    yield* show(listed, { letters, hasMore: false }, json)
  })
).pipe(
  Command.withDescription(
    "Lists letters, newest first: queued, sent, failed with the last error, or void because a later one took their place. What a letter says is never shown."
  ),
  Command.withShortDescription("Lists letters and how they stand."),
  Command.withExamples([{ command: "bursar letters list --status failed" }])
)

export const letters = Command.make("letters").pipe(
  Command.withDescription("Shows the mail the treasury owes."),
  Command.withSubcommands([list])
)
