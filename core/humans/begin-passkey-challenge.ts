/** Begins a passkey challenge, takes it once when its answer comes, and computes what the authenticator signs. */
import { DateTime, Effect, type Schema } from "effect"
import { canonical } from "../encoding/canonical.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { PasskeyChallenges } from "./human-store.ts"
import {
  base64url,
  lastsSeconds,
  type PasskeyChallenge,
  PasskeyChallengeExpired
} from "./passkey-challenge.ts"

/** Stores the question. */
export const begin = Effect.fnUntraced(function* (
  asked: Pick<PasskeyChallenge, "purpose" | "subject" | "humanId" | "browserId">
) {
  const ids = yield* Ids
  const createdAt = yield* DateTime.now
  const passkeyChallenge: PasskeyChallenge = {
    ...asked,
    id: yield* ids.base62(22),
    nonce: base64url(yield* ids.bytes(32)),
    createdAt,
    expiresAt: DateTime.add(createdAt, { seconds: lastsSeconds })
  }
  yield* (yield* PasskeyChallenges).begin(passkeyChallenge)
  return passkeyChallenge
})

/** The question that is being answered: taken once, by the browser and for the purpose it was asked for. */
export const take = Effect.fnUntraced(function* (
  passkeyChallengeId: string,
  asked: Pick<PasskeyChallenge, "purpose" | "browserId"> &
    Partial<Pick<PasskeyChallenge, "subject" | "humanId">>
) {
  const passkeyChallenge = yield* (yield* PasskeyChallenges).take(
    passkeyChallengeId,
    asked.browserId
  )
  const isSame =
    passkeyChallenge?.purpose === asked.purpose &&
    (asked.subject === undefined || passkeyChallenge.subject === asked.subject) &&
    (asked.humanId === undefined || passkeyChallenge.humanId === asked.humanId)
  if (
    passkeyChallenge !== undefined &&
    isSame &&
    DateTime.isLessThan(yield* DateTime.now, passkeyChallenge.expiresAt)
  ) {
    return passkeyChallenge
  }
  return yield* new PasskeyChallengeExpired({
    param: "passkeyChallengeId",
    message: "This passkey challenge has expired or was already answered; start again."
  })
})

/**
 * What the authenticator signs, base64url: the purpose, the nonce, the human and the content as it is at
 * this moment. It is computed anew when the answer comes, so an answer over other content fits nothing.
 */
export const challengeOf = Effect.fnUntraced(function* (
  { humanId, nonce, purpose }: Pick<PasskeyChallenge, "purpose" | "nonce" | "humanId">,
  content: Schema.JsonObject
) {
  const { hash } = yield* Secrets
  const parts = [`bursar/passkey/${purpose}/v1`, nonce, humanId ?? "", canonical(content)]
  // None of the parts before the content can hold the separator.
  return base64url(hash(parts.join("\0")))
})
