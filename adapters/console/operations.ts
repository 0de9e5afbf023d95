/**
 * What people do in the console by the catalogue itself, as with a developer key of their account. What
 * gives out power, or votes in another account's affairs, takes their passkey over that very call; the rest
 * takes something back. Pausing stands beside it: whoever sees something wrong must stop it at once.
 */
import { Effect, Schema } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import * as Account from "../../core/accounts/account.ts"
import { pauseAccount } from "../../core/accounts/pause.ts"
import { callerOf, type SignedIn } from "../../core/humans/authenticate.ts"
import { actorOf } from "../../core/humans/human.ts"
import { beginCall, signCall } from "../../core/humans/sign-call.ts"
import { NotFound } from "../../core/operation/refusal.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { operations as catalogue, type Name } from "../../core/treasury/operations.ts"
import { RequestId } from "../http/edge/request-id.ts"
import { call } from "../http/invocation.ts"
import * as Browser from "./browser.ts"
import { encode, post, success } from "./post.ts"
import { answerFields, assertionOf } from "./sign-in.ts"

type Request = HttpServerRequest.HttpServerRequest

/** What the pages have buttons for; the rest of the catalogue is for keys. */
const offered: ReadonlyArray<Name> = [
  // Money and governance go on waiting for the passkey that their own pages ask for.
  "confirm_proposal",
  "cancel_proposal",
  "cancel_governance_request",
  "reject_cosigner_action",
  "revoke_api_key"
]

const signed: ReadonlyArray<Name> = ["create_api_key", "approve_cosigner_action"]

const among = Effect.fnUntraced(function* (names: ReadonlyArray<Name>) {
  const { operation: name } = yield* HttpRouter.params
  const operation = catalogue.find((each) => each.name === name)
  if (operation !== undefined && names.includes(operation.name)) return operation
  return yield* new NotFound({ message: "The console does not offer this operation." })
})

const made = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  operation: (typeof catalogue)[number],
  input: Schema.JsonObject
) {
  const caller = callerOf(signedIn)
  const answer = yield* call(operation, { caller, input, requestId: yield* RequestId })
  return answer.ok ? success(answer.output) : yield* answer.refusal
})

const fields = { input: Schema.JsonObject }

export const operations = [
  ...post(
    "/console/do/:operation",
    fields,
    Effect.fnUntraced(function* ({ input }, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      return yield* made(signedIn, yield* among(offered), input)
    })
  ),
  ...post(
    "/console/sign/:operation/options",
    fields,
    Effect.fnUntraced(function* ({ input }, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      const { name } = yield* among(signed)
      return success(yield* beginCall(signedIn, { name, input }))
    })
  ),
  ...post(
    "/console/sign/:operation/verify",
    { ...fields, ...answerFields },
    Effect.fnUntraced(function* ({ answer, passkeyChallengeId, input }, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      const operation = yield* among(signed)
      const given = { passkeyChallengeId, answer: yield* assertionOf(answer) }
      // The call has transactions of its own; whoever gets past the signature makes it.
      yield* signCall(signedIn, { name: operation.name, input }, given, Effect.void)
      return yield* made(signedIn, operation, input)
    })
  ),
  ...post(
    "/console/pause",
    {},
    Effect.fnUntraced(function* (_, request: Request) {
      const { human } = yield* Browser.signedIn(request)
      const pausing = pauseAccount(human.accountId, actorOf(human.id))
      const account = yield* (yield* Atomically).run(pausing)
      return success(yield* encode(Account.fields, account))
    })
  )
]
