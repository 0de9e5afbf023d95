/**
 * Tells people of notices, by an e-mail each or by one a day, and programs by webhooks. A notice is marked told in the
 * transaction that queues its e-mails and deliveries, so that whoever repeats it, after a crash or on another replica, queues none.
 */
import { DateTime, Effect } from "effect"
import type { Account } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { settingsOf } from "../accounts/read-settings.ts"
import * as Text from "../encoding/text.ts"
import type { Human } from "../humans/human.ts"
import { Humans } from "../humans/human-store.ts"
import type { Purpose } from "../mail/email.ts"
import { queueEmail } from "../mail/send.ts"
import { maxEmailsADay, type Notice, nextDigestAt } from "../notices/notice.ts"
import { Notices } from "../notices/notice-store.ts"
import { Deployment } from "../operation/deployment.ts"
import { roleRefusal } from "../operation/role.ts"
import { Atomically } from "../ports/atomically.ts"
import { emitNotice } from "../webhooks/emit.ts"
import { digestEmail, noticeEmail } from "./notice-email.ts"

/** Whether a person can see to a notice, and can be reached. */
const isFor =
  ({ role }: Pick<Notice, "role">) =>
  (human: Human): human is Human & { readonly email: string } =>
    human.email !== null && human.joinedAt !== null && roleRefusal(human.role, role) === undefined

/** E-mail that nobody could send by then is of no use. */
const usefulDays = 3

const mail = Effect.fnUntraced(function* (
  human: Human & { readonly email: string },
  purpose: Purpose,
  email: { readonly subject: string; readonly text: string }
) {
  const expiresAt = DateTime.add(yield* DateTime.now, { days: usefulDays })
  yield* queueEmail({ accountId: human.accountId, purpose, to: human.email, ...email, expiresAt })
})

const fromOf = Effect.fnUntraced(function* (accountId: string) {
  // A notice and its account are tied by a foreign key.
  const account = (yield* (yield* Accounts).find(accountId)) as Account
  return { siteUrl: (yield* Deployment).siteUrl, account: Text.tamed(account.name, 64) }
})

const pass = Effect.fnUntraced(function* (noticeId: string) {
  const notices = yield* Notices
  const now = yield* DateTime.now
  const notice = yield* notices.tell(noticeId, now)
  if (notice === undefined) return
  const { accountId, type } = notice
  yield* emitNotice(notice)
  const { emailDelivery, emailNotices } = yield* settingsOf(accountId)
  if (!emailNotices.includes(type)) return
  const told = yield* notices.countTold(accountId, type, DateTime.subtract(now, { days: 1 }))
  if (emailDelivery === "daily" || told > maxEmailsADay) {
    return yield* notices.defer(noticeId, nextDigestAt(now))
  }
  const email = noticeEmail(notice, yield* fromOf(accountId))
  const people = yield* (yield* Humans).of(accountId)
  yield* Effect.forEach(people.filter(isFor(notice)), (human) => mail(human, "notice", email))
})

/** Tells people of one notice, once. */
export const tellNotice = (noticeId: string) =>
  Effect.flatMap(Atomically, ({ run }) => run(pass(noticeId)))

const digest = Effect.fnUntraced(function* (accountId: string, due: ReadonlyArray<Notice>) {
  const from = yield* fromOf(accountId)
  for (const human of yield* (yield* Humans).of(accountId)) {
    const theirs = due.filter((notice) => isFor(notice)(human))
    if (theirs.length === 0 || human.email === null) continue
    yield* mail({ ...human, email: human.email }, "digest", digestEmail(theirs, from))
  }
})

/** Sends the digests that are due, of at most so many notices; how many there were. */
export const sendDigests = Effect.fnUntraced(function* (max: number) {
  const sending = Effect.gen(function* () {
    const due = yield* (yield* Notices).takeDigest(yield* DateTime.now, max)
    const accounts = new Set(due.map(({ accountId }) => accountId))
    for (const accountId of accounts) {
      yield* digest(
        accountId,
        due.filter((notice) => notice.accountId === accountId)
      )
    }
    return due.length
  })
  return yield* (yield* Atomically).run(sending)
})
