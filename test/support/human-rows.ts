/** Builders of valid rows about humans: fresh ids, credentials and digests each time. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import type { Enrolment } from "../../core/humans/enrolment.ts"
import type { Human } from "../../core/humans/human.ts"
import { Humans } from "../../core/humans/human-store.ts"
import type { Passkey } from "../../core/humans/passkey.ts"
import type { PasskeyChallenge } from "../../core/humans/passkey-challenge.ts"
import type { Session } from "../../core/humans/session.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

const random = (bytes: number) => randomBytes(bytes).toString("base64url")

export const aHuman = (accountId: string, over: Partial<Human> = {}): Human => ({
  id: Rows.anId(),
  accountId,
  name: "Ada ✓",
  email: null,
  role: "owner",
  createdAt: Rows.at(0.123),
  joinedAt: Rows.at(0.456),
  removedAt: null,
  ...over
})

export const aPasskey = (
  { accountId, id }: Pick<Human, "accountId" | "id">,
  over: Partial<Passkey> = {}
): Passkey => ({
  id: Rows.anId(),
  accountId,
  humanId: id,
  credentialId: random(32),
  publicKey: random(77),
  counter: 0,
  transports: ["internal", "hybrid"],
  backedUp: true,
  label: "Laptop",
  createdAt: Rows.at(1.5),
  lastUsedAt: null,
  suspendedAt: null,
  ...over
})

export const anEnrolment = (accountId: string, over: Partial<Enrolment> = {}): Enrolment => ({
  id: Rows.anId(),
  accountId,
  purpose: "operator",
  humanId: Rows.anId(),
  name: "Ada ✓",
  role: "owner",
  email: null,
  createdAt: Rows.at(0.123),
  expiresAt: Rows.at(3600.456),
  endedAt: null,
  ...over
})

export const aSession = (passkey: Passkey, over: Partial<Session> = {}): Session => ({
  id: Rows.anId(),
  accountId: passkey.accountId,
  humanId: passkey.humanId,
  passkeyId: passkey.id,
  createdAt: Rows.at(2.5),
  lastSeenAt: Rows.at(2.5),
  expiresAt: Rows.at(3600),
  ...over
})

export const aPasskeyChallenge = (over: Partial<PasskeyChallenge> = {}): PasskeyChallenge => ({
  id: random(16),
  purpose: "login",
  nonce: random(32),
  subject: null,
  humanId: null,
  browserId: Rows.aDigest(),
  createdAt: Rows.at(0.123),
  expiresAt: Rows.at(120.123),
  ...over
})

/** A human with a passkey, on a new account unless one is named. */
export const planted = Effect.fnUntraced(function* (over: Partial<Passkey> = {}) {
  const humans = yield* Humans
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const human = aHuman(accountId)
  yield* humans.add(human)
  const passkey = aPasskey(human, over)
  yield* humans.addPasskey(passkey)
  return { human, passkey }
})
