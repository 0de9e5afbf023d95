/**
 * Issues a one-time link by which a human gets a passkey. The token is given back once, to be handed to
 * that human and nobody else; neither stores nor logs ever hold it.
 */
import { DateTime, Effect } from "effect"
import { noSuchAccount } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { record } from "../audit/record.ts"
import { Deployment } from "../operation/deployment.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import type { Role } from "../operation/role.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { defaultHours, type Enrolment, linkOf, type Purpose, tokenLength } from "./enrolment.ts"
import { type Human, maxHumans } from "./human.ts"
import { Enrolments, Humans } from "./human-store.ts"

export interface EnrolmentInput {
  readonly accountId: string
  readonly purpose: Purpose
  /** What the human is called: shown in the console and in the list of passkeys of their device. */
  readonly name: string
  /** What a new human will be; an owner when left out. */
  readonly role?: Role
  readonly email?: string | null
  /** Whose passkey it is; a new human's first when left out. */
  readonly humanId?: string
  /** How long it works; `defaultHours` of its purpose when left out. */
  readonly hours?: number
}

/**
 * The link and its token; an earlier one is still good, unless `withdrawEnrolments` ends it. Call it inside
 * a transaction.
 */
export const issueEnrolment = Effect.fnUntraced(function* (wanted: EnrolmentInput, actor: string) {
  const { accountId, name, purpose } = wanted
  if ((yield* (yield* Accounts).find(accountId)) === undefined) return yield* noSuchAccount()
  const known = yield* (yield* Humans).of(accountId)
  if (wanted.humanId === undefined && known.length >= maxHumans) {
    return yield* new InvalidRequest({
      message: `An account can have at most ${maxHumans} people.`
    })
  }
  const ids = yield* Ids
  const createdAt = yield* DateTime.now
  const token = yield* ids.base62(tokenLength)
  const enrolment: Enrolment = {
    id: yield* ids.uuid,
    accountId,
    purpose,
    humanId: wanted.humanId ?? (yield* ids.uuid),
    name,
    role: wanted.role ?? "owner",
    email: wanted.email ?? null,
    createdAt,
    expiresAt: DateTime.add(createdAt, { hours: wanted.hours ?? defaultHours[purpose] }),
    endedAt: null
  }
  yield* (yield* Enrolments).issue(enrolment, (yield* Secrets).digest(token))
  yield* record({
    accountId,
    actor,
    action: "enrolment.issued",
    subjectType: "enrolment",
    subjectId: enrolment.id,
    facts: { purpose, humanId: enrolment.humanId }
  })
  return { enrolment, token, url: linkOf((yield* Deployment).siteUrl, token) }
})

/** Ends all open links of one human, or those for one purpose; how many there were. Call it inside a transaction. */
export const withdrawEnrolmentsOf = Effect.fnUntraced(function* (
  { accountId, id: humanId }: Pick<Human, "accountId" | "id">,
  actor: string,
  purpose?: Purpose
) {
  const at = yield* DateTime.now
  const withdrawn = yield* (yield* Enrolments).withdrawOf(accountId, humanId, at, purpose)
  if (withdrawn > 0) {
    yield* record({
      accountId,
      actor,
      action: "enrolment.withdrawn",
      subjectType: "human",
      subjectId: humanId,
      facts: { ...(purpose === undefined ? {} : { purpose }), count: String(withdrawn) }
    })
  }
  return withdrawn
})

/** Ends all open links of an account for one purpose, before a new one takes their place; how many there were. */
export const withdrawEnrolments = Effect.fnUntraced(function* (
  accountId: string,
  purpose: Purpose,
  actor: string
) {
  const withdrawn = yield* (yield* Enrolments).withdraw(accountId, purpose, yield* DateTime.now)
  if (withdrawn > 0) {
    yield* record({
      accountId,
      actor,
      action: "enrolment.withdrawn",
      subjectType: "account",
      subjectId: accountId,
      facts: { purpose, count: String(withdrawn) }
    })
  }
  return withdrawn
})
