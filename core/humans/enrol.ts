/**
 * Enrols: whoever opens a one-time link in a browser makes a passkey, and is signed in with it. The link
 * is used up by the passkey it brings, never by being looked at.
 */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Passkeys, type RegistrationAnswer } from "../ports/passkeys.ts"
import { Secrets } from "../ports/secrets.ts"
import { take } from "./begin-passkey-challenge.ts"
import { askToRegister, expectedOf } from "./credential-options.ts"
import { type Enrolment, EnrolmentNotOpen, isToken } from "./enrolment.ts"
import { actorOf, isSameEmail, maxPasskeys } from "./human.ts"
import { Enrolments, Humans } from "./human-store.ts"
import { type Passkey, PasskeyRejected } from "./passkey.ts"
import { openSession } from "./sign-in.ts"

const notOpen = () =>
  new EnrolmentNotOpen({
    message: "This link is unknown, already used or expired; ask the sender for a new one."
  })

const isOpen = (enrolment: Enrolment | undefined, now: DateTime.Utc): enrolment is Enrolment =>
  enrolment !== undefined &&
  enrolment.endedAt === null &&
  DateTime.isLessThan(now, enrolment.expiresAt)

const contentOf = ({ accountId, humanId, id }: Enrolment) => ({
  enrolmentId: id,
  accountId,
  humanId
})

/** Looks the link up and asks the browser for a passkey; the link stays good. `browserId`: see `Passkey challenge`. */
export const beginEnrolment = Effect.fnUntraced(function* (token: string, browserId: string) {
  if (!isToken(token)) return yield* notOpen()
  const found = yield* (yield* Enrolments).findByDigest((yield* Secrets).digest(token))
  if (!isOpen(found, yield* DateTime.now)) return yield* notOpen()
  const passkeys = yield* (yield* Humans).passkeysOf(found.humanId)
  const { humanId, id: subject } = found
  const question = yield* askToRegister(
    { purpose: "enrol", subject, humanId, browserId },
    contentOf(found),
    found.name,
    passkeys
  )
  return { ...question, enrolment: found }
})

/** The human whose passkey it is: one there is, who joins if they were invited, or a new one. */
const addHuman = Effect.fnUntraced(function* (enrolment: Enrolment) {
  const { accountId, email, humanId: id, name, role } = enrolment
  const humans = yield* Humans
  const now = yield* DateTime.now
  const known = yield* humans.find(accountId, id)
  if (known !== undefined && known.removedAt !== null) return yield* notOpen()
  if (known !== undefined && known.joinedAt !== null) return known
  const isTaken = (yield* humans.of(accountId)).some((other) => isSameEmail(other.email, email))
  const human = known ?? {
    ...{ id, accountId, name, role },
    email: isTaken ? null : email,
    createdAt: now,
    joinedAt: now,
    removedAt: null
  }
  if (known === undefined) yield* humans.add(human)
  else yield* humans.join(accountId, id, now)
  yield* record({
    accountId,
    actor: actorOf(id),
    action: "human.enrolled",
    subjectType: "human",
    subjectId: id,
    facts: { enrolmentId: enrolment.id, purpose: enrolment.purpose, role: human.role }
  })
  return { ...human, joinedAt: human.joinedAt ?? now }
})

const addPasskey = Effect.fnUntraced(function* (passkey: Passkey) {
  const { accountId, humanId } = passkey
  const humans = yield* Humans
  // Those that were suspended are no way in, and would keep the only way back shut once there were enough of them.
  const usable = (yield* humans.passkeysOf(humanId)).filter(
    ({ suspendedAt }) => suspendedAt === null
  )
  if (usable.length >= maxPasskeys) {
    return yield* new InvalidRequest({
      message: `A person can have at most ${maxPasskeys} passkeys.`
    })
  }
  if (!(yield* humans.addPasskey(passkey))) {
    return yield* new PasskeyRejected({
      message: "This passkey is already registered; create another one."
    })
  }
  yield* record({
    accountId,
    actor: actorOf(humanId),
    action: "passkey.added",
    subjectType: "passkey",
    subjectId: passkey.id,
    facts: { label: passkey.label }
  })
})

export interface EnrolmentResponse {
  readonly passkeyChallengeId: string
  readonly answer: RegistrationAnswer
  /** What the human calls the passkey. */
  readonly label: string
}

/** Takes the passkey, uses the link up and opens a session, all or nothing. */
export const enrol = Effect.fnUntraced(function* (
  { passkeyChallengeId, answer, label }: EnrolmentResponse,
  browserId: string
) {
  const enrolments = yield* Enrolments
  const passkeyChallenge = yield* take(passkeyChallengeId, { purpose: "enrol", browserId })
  const enrolment = yield* enrolments.find(passkeyChallenge.subject ?? "")
  if (!isOpen(enrolment, yield* DateTime.now)) return yield* notOpen()
  const expected = yield* expectedOf(passkeyChallenge, contentOf(enrolment))
  const registered = yield* Effect.catchTag(
    (yield* Passkeys).register(answer, expected),
    "Unverified",
    () =>
      new PasskeyRejected({
        message: `This passkey could not be verified; open the link at ${expected.origin} and try again.`
      })
  )
  const done = Effect.gen(function* () {
    const createdAt = yield* DateTime.now
    if (!(yield* enrolments.use(enrolment.id, createdAt))) return yield* notOpen()
    const human = yield* addHuman(enrolment)
    const passkey: Passkey = {
      ...registered,
      id: yield* (yield* Ids).uuid,
      accountId: enrolment.accountId,
      humanId: human.id,
      transports: answer.response.transports ?? [],
      label,
      createdAt,
      lastUsedAt: createdAt,
      suspendedAt: null
    }
    yield* addPasskey(passkey)
    return { human, passkey, ...(yield* openSession(passkey)) }
  })
  return yield* (yield* Atomically).run(done)
})
