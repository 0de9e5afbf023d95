/** Writes a letter in the running transaction and queues its carriage; an earlier one of its purpose is void. Gives its id. */
import { DateTime, Effect } from "effect"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { Tasks } from "../ports/tasks.ts"
import { type Letter, placeOf } from "./letter.ts"
import { Letters } from "./letter-store.ts"

export interface Wanted extends Pick<Letter, "accountId" | "purpose" | "to" | "subject"> {
  readonly text: string
  readonly expiresAt: DateTime.Utc
}

export const writeLetter = Effect.fnUntraced(function* ({ text, ...wanted }: Wanted) {
  const letters = yield* Letters
  const id = yield* (yield* Ids).uuid
  const now = yield* DateTime.now
  yield* letters.revoke(wanted.accountId, wanted.purpose, now)
  yield* letters.write({
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
