/**
 * Writes a notice in the transaction of the change it is about, and queues its telling. Giving it again, after a
 * restart or on another replica, does nothing.
 */
import { DateTime, Effect } from "effect"
import { Ids } from "../ports/ids.ts"
import { Tasks } from "../ports/tasks.ts"
import type { Notice } from "./notice.ts"
import { Notices } from "./notice-store.ts"

export const giveNotice = Effect.fnUntraced(function* (
  wanted: Pick<Notice, "accountId" | "type" | "subject" | "role" | "summary" | "path">
) {
  const id = yield* (yield* Ids).uuid
  const createdAt = yield* DateTime.now
  const notice: Notice = { ...wanted, id, createdAt, toldAt: null, digestAt: null }
  if (!(yield* (yield* Notices).write(notice))) return
  yield* (yield* Tasks).offer({ kind: "tell_notice", row: id })
})
