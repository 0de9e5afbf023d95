/** Signs a human in with any passkey of this treasury, and out: a session opens and ends on every replica at once. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Deployment } from "../operation/deployment.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import type { AssertionAnswer } from "../ports/passkeys.ts"
import { Secrets } from "../ports/secrets.ts"
import { take } from "./begin-passkey-challenge.ts"
import { askToSign } from "./credential-options.ts"
import { tokenLength } from "./enrolment.ts"
import { actorOf, type Human } from "./human.ts"
import { Humans, Sessions } from "./human-store.ts"
import type { Passkey } from "./passkey.ts"
import { lastsHours, type Session } from "./session.ts"
import { using, verify } from "./verify.ts"

const content = Effect.map(Deployment, ({ siteUrl }) => ({ siteUrl }))

/** Asks the browser for any passkey it has for this site. */
export const beginLogin = Effect.fnUntraced(function* (browserId: string) {
  return yield* askToSign(
    { purpose: "login", subject: null, humanId: null, browserId },
    yield* content,
    []
  )
})

export const logIn = Effect.fnUntraced(function* (
  passkeyChallengeId: string,
  answer: AssertionAnswer,
  browserId: string
) {
  const passkeyChallenge = yield* take(passkeyChallengeId, { purpose: "login", browserId })
  const proof = yield* verify(passkeyChallenge, yield* content, answer)
  const { accountId, humanId } = proof.passkey
  const opened = yield* using(proof, openSession(proof.passkey))
  // A passkey and its human are tied by a foreign key.
  const human = (yield* (yield* Humans).find(accountId, humanId)) as Human
  return { ...opened, human, passkey: proof.passkey }
})

/** The session with its token, which goes into the browser's cookie and nowhere else. */
export const openSession = Effect.fnUntraced(function* (
  passkey: Pick<Passkey, "id" | "accountId" | "humanId">
) {
  const { accountId, humanId, id: passkeyId } = passkey
  const ids = yield* Ids
  const token = yield* ids.base62(tokenLength)
  const createdAt = yield* DateTime.now
  const session: Session = {
    id: yield* ids.uuid,
    accountId,
    humanId,
    passkeyId,
    createdAt,
    lastSeenAt: createdAt,
    expiresAt: DateTime.add(createdAt, { hours: lastsHours })
  }
  yield* (yield* Sessions).open(session, (yield* Secrets).digest(token))
  yield* record({
    accountId,
    actor: actorOf(humanId),
    action: "session.opened",
    subjectType: "human",
    subjectId: humanId,
    facts: { passkeyId }
  })
  return { session, token }
})

/** Signs a human out: the session ends at once, on every replica. */
export const signOut = Effect.fnUntraced(function* ({ accountId, humanId, id }: Session) {
  const ended = Effect.gen(function* () {
    if (!(yield* (yield* Sessions).end(id))) return
    yield* record({
      accountId,
      actor: actorOf(humanId),
      action: "session.ended",
      subjectType: "human",
      subjectId: humanId
    })
  })
  yield* (yield* Atomically).run(ended)
})
