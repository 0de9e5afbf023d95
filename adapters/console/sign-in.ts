/**
 * The passkey challenges by which people come and go: enrolling by a one-time link, signing in, out, and asking for
 * a second passkey. Each is two posts: options, which ask the browser, and verify, which takes its answer.
 */
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Account from "../../core/accounts/account.ts"
import { Accounts } from "../../core/accounts/account-store.ts"
import * as Text from "../../core/encoding/text.ts"
import {
  allowAnotherPasskey,
  beginAddingPasskey,
  beginRemovingPasskey,
  removePasskey
} from "../../core/humans/change-passkeys.ts"
import { beginEnrolment, enrol } from "../../core/humans/enrol.ts"
import * as Human from "../../core/humans/human.ts"
import * as Passkey from "../../core/humans/passkey.ts"
import { beginLogin, logIn, signOut } from "../../core/humans/sign-in.ts"
import { durableField } from "../../core/operation/taking-authority.ts"
import { AssertionAnswer, RegistrationAnswer } from "../../core/ports/passkeys.ts"
import { routedClientOf } from "../http/client-address.ts"
import * as Browser from "./browser.ts"
import { decode, encode, post, success } from "./post.ts"

type Request = HttpServerRequest.HttpServerRequest

const PasskeyChallengeId = Text.Line(64)

const PasskeyId = Text.Line(64)

/** What every verifying post carries; `answer` is `PublicKeyCredential.toJSON()`, and more than we read of it. */
export const answerFields = { passkeyChallengeId: PasskeyChallengeId, answer: Schema.Unknown }

export const assertionOf = (answer: unknown) =>
  decode(AssertionAnswer, answer, { within: "answer", letsGo: true })

const accountOf = Effect.fnUntraced(function* (accountId: string) {
  const account = (yield* (yield* Accounts).find(accountId)) as Account.Account
  return yield* encode(Account.fields, account)
})

const comeIn = Effect.fnUntraced(function* (opened: {
  readonly human: Human.Human
  readonly token: string
}) {
  const { human, token } = opened
  const data = {
    human: yield* encode(Human.fields, human),
    account: yield* accountOf(human.accountId)
  }
  return Browser.endVisit(Browser.remember(success(data), token))
})

const enrolling = (proxies: number) => [
  ...post(
    "/console/enrol/options",
    { token: Schema.String.check(Schema.isMaxLength(64)) },
    Effect.fnUntraced(function* ({ token }, request: Request) {
      const client = routedClientOf(request, proxies)
      yield* Browser.unhurried(client)
      const { browserId, keep } = yield* Browser.visit(request)
      const asked = yield* Browser.counting(client)(beginEnrolment(token, browserId))
      const { enrolment, ...question } = asked
      const { name, purpose } = enrolment
      const account = yield* accountOf(enrolment.accountId)
      return keep(success({ ...question, name, purpose, account }))
    })
  ),
  ...post(
    "/console/enrol/verify",
    { ...answerFields, label: Schema.optionalKey(Text.Line(64)) },
    Effect.fnUntraced(function* (input, request: Request) {
      const client = routedClientOf(request, proxies)
      yield* Browser.unhurried(client)
      const { passkeyChallengeId, label = "Passkey" } = input
      const answer = yield* decode(RegistrationAnswer, input.answer, {
        within: "answer",
        letsGo: true
      })
      const browserId = yield* Browser.visited(request)
      return yield* comeIn(
        yield* Browser.counting(client)(enrol({ passkeyChallengeId, answer, label }, browserId))
      )
    })
  )
]

const loggingIn = (proxies: number) => [
  ...post(
    "/console/login/options",
    {},
    Effect.fnUntraced(function* (_, request: Request) {
      yield* Browser.unhurried(routedClientOf(request, proxies))
      const { browserId, keep } = yield* Browser.visit(request)
      return keep(success(yield* beginLogin(browserId)))
    })
  ),
  ...post(
    "/console/login/verify",
    answerFields,
    Effect.fnUntraced(function* (input, request: Request) {
      const client = routedClientOf(request, proxies)
      yield* Browser.unhurried(client)
      const answer = yield* assertionOf(input.answer)
      const browserId = yield* Browser.visited(request)
      return yield* comeIn(
        yield* Browser.counting(client)(logIn(input.passkeyChallengeId, answer, browserId))
      )
    })
  ),
  ...post(
    "/console/sign-out",
    {},
    Effect.fnUntraced(function* (_, request: Request) {
      const { session } = yield* Browser.signedIn(request)
      yield* signOut(session)
      return Browser.forget(success({ signedOut: true }))
    })
  )
]

const havingSeveral = [
  ...post(
    "/console/passkeys/options",
    {},
    Effect.fnUntraced(function* (_, request: Request) {
      return success(yield* beginAddingPasskey(yield* Browser.signedIn(request)))
    })
  ),
  // The link it answers with is opened here, or on the device that is to have the passkey.
  ...post(
    "/console/passkeys/verify",
    answerFields,
    Effect.fnUntraced(function* (input, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      const answer = yield* assertionOf(input.answer)
      const { token, url } = yield* allowAnotherPasskey(signedIn, input.passkeyChallengeId, answer)
      return success({ token, url })
    })
  ),
  ...post(
    "/console/passkeys/remove/options",
    { passkeyId: PasskeyId },
    Effect.fnUntraced(function* ({ passkeyId }, request: Request) {
      return success(yield* beginRemovingPasskey(yield* Browser.signedIn(request), passkeyId))
    })
  ),
  ...post(
    "/console/passkeys/remove/verify",
    { passkeyId: PasskeyId, ...answerFields },
    Effect.fnUntraced(function* ({ answer, passkeyChallengeId, passkeyId }, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      const given = { passkeyChallengeId, answer: yield* assertionOf(answer) }
      const removed = yield* removePasskey(signedIn, passkeyId, given)
      return success(yield* encode({ ...Passkey.fields, ...durableField }, removed))
    })
  )
]

export const signIn = (proxies: number) => [
  ...enrolling(proxies),
  ...loggingIn(proxies),
  ...havingSeveral
]
