/**
 * The browser at the other side: its cookies, and whether it speaks for a page of ours. The session's
 * cookie is read under `/console` and nowhere else; every POST must come from our own origin.
 */
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { authenticate } from "../../core/humans/authenticate.ts"
import { isToken, tokenLength } from "../../core/humans/enrolment.ts"
import { relyingPartyOf } from "../../core/humans/passkey.ts"
import { lastsSeconds, PasskeyChallengeExpired } from "../../core/humans/passkey-challenge.ts"
import { lastsHours } from "../../core/humans/session.ts"
import { Deployment } from "../../core/operation/deployment.ts"
import { rateLimited } from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import { Ids } from "../../core/ports/ids.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import { CrossSiteRequest } from "../http/refusals.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Who is signed in. */
export const sessionCookie = "__Host-bursar_session"
/** Which browser asked for a passkey, while nobody is. */
export const visitCookie = "__Host-bursar_visit"

const bound = { secure: true, httpOnly: true, sameSite: "strict", path: "/" } as const

const set = (name: string, maxAgeSeconds: number) => (response: Response, token: string) =>
  HttpServerResponse.setCookieUnsafe(response, name, token, {
    ...bound,
    maxAge: `${maxAgeSeconds} seconds`
  })

const unset = (name: string) => (response: Response) =>
  HttpServerResponse.setCookieUnsafe(response, name, "", { ...bound, maxAge: "0 seconds" })

export const remember = set(sessionCookie, lastsHours * 3600)
export const forget = unset(sessionCookie)
const visiting = set(visitCookie, lastsSeconds)
export const endVisit = unset(visitCookie)

/** Refuses what a page of another site, or an address that is not the public one, makes a browser send. */
export const ownPage = Effect.fnUntraced(function* ({ headers }: Request) {
  const { origin } = relyingPartyOf(yield* Deployment)
  const isOwn =
    headers["sec-fetch-site"] === "same-origin" &&
    (headers.origin === undefined || headers.origin === origin)
  if (isOwn) return
  return yield* new CrossSiteRequest({
    message: `Only the console's own pages may call this; open ${origin}/console.`
  })
})

/**
 * Whether a person does this. A page that follows what it shows asks for its stream, and then for itself by a script
 * that says so; one without scripts is loaded again by its browser, which names no user then (Sec-Fetch-User).
 */
const isUse = ({ headers }: Request): boolean =>
  headers.accept !== "text/event-stream" &&
  headers["bursar-follow"] === undefined &&
  (headers["sec-fetch-mode"] !== "navigate" || headers["sec-fetch-user"] !== undefined)

/**
 * Who is signed in at the browser that asks, for pages too; `callerOf` makes a caller of it. Fails with
 * SIGN_IN_REQUIRED, upon which a page leads to `/console/login`.
 */
export const signedIn = (request: Request) =>
  authenticate(request.cookies[sessionCookie], { isUse: isUse(request) })

/** What passkey challenges of this browser are held by while nobody is signed in, and its cookie. */
export const visit = Effect.fnUntraced(function* (request: Request) {
  const known = request.cookies[visitCookie]
  const token =
    known !== undefined && isToken(known) ? known : yield* (yield* Ids).base62(tokenLength)
  return {
    browserId: (yield* Secrets).digest(token),
    keep: (response: Response) => visiting(response, token)
  }
})

/** The same of a browser that must have been here before. */
export const visited = Effect.fnUntraced(function* (request: Request) {
  const token = request.cookies[visitCookie]
  if (token !== undefined && isToken(token)) return (yield* Secrets).digest(token)
  return yield* new PasskeyChallengeExpired({
    message: "This browser has no open passkey challenge; start again."
  })
})

const tooMany = "Too many attempts from this address."

/** Counts against what a client may ask for while nobody is signed in there. */
export const unhurried = Effect.fnUntraced(function* (client: string) {
  const limits = yield* RateLimits
  const standing = yield* limits.allowanceOf(client, "failed_sign_ins")
  if (!standing.allowed) return yield* rateLimited("failed_sign_ins", standing, tooMany)
  const asked = yield* limits.consumeClient(client, "sign_ins")
  if (!asked.allowed) return yield* rateLimited("sign_ins", asked, tooMany)
})

/** Counts what was refused as a failed attempt of the client. */
export const counting =
  (client: string) =>
  <A, E, R>(attempt: Effect.Effect<A, E, R>) =>
    Effect.tapError(attempt, () =>
      Effect.flatMap(RateLimits, (limits) => limits.consumeClient(client, "failed_sign_ins"))
    )
