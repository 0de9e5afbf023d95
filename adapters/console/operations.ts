/**
 * What people do in the console by the catalogue itself, as with a developer key of their account: nothing
 * here moves money or governs without the passkey that is asked for elsewhere. Pausing is the one thing
 * beside it, since whoever sees something wrong must be able to stop it at once.
 */
import { Effect, Schema } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import * as Account from "../../core/accounts/account.ts"
import { pauseAccount } from "../../core/accounts/pause.ts"
import { callerOf } from "../../core/humans/authenticate.ts"
import { actorOf } from "../../core/humans/human.ts"
import type { Name } from "../../core/operations.ts"
import { operations as catalogue } from "../../core/operations.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { NotFound } from "../../core/refusal.ts"
import { RequestId } from "../http/edge/request-id.ts"
import { call } from "../http/invocation.ts"
import * as Browser from "./browser.ts"
import { answered, post, written } from "./post.ts"

type Request = HttpServerRequest.HttpServerRequest

/** What the pages have buttons for; the rest of the catalogue is for keys. */
const offered: ReadonlyArray<Name> = [
  "confirm_proposal",
  "cancel_proposal",
  "cancel_governance_request",
  "approve_cosigner_action",
  "reject_cosigner_action",
  "create_api_key",
  "revoke_api_key"
]

const found = Effect.fnUntraced(function* () {
  const { operation: name } = yield* HttpRouter.params
  const operation = catalogue.find((each) => each.name === name)
  if (operation !== undefined && offered.includes(operation.name)) return operation
  return yield* new NotFound({ message: "The console offers no operation of this name." })
})

export const operations = [
  ...post(
    "/console/do/:operation",
    { input: Schema.Record(Schema.String, Schema.Unknown) },
    Effect.fnUntraced(function* ({ input }, request: Request) {
      const caller = callerOf(yield* Browser.signedIn(request))
      const operation = yield* found()
      const answer = yield* call(operation, { caller, input, requestId: yield* RequestId })
      return answer.ok ? answered(answer.output) : yield* answer.refusal
    })
  ),
  ...post(
    "/console/pause",
    {},
    Effect.fnUntraced(function* (_, request: Request) {
      const { human } = yield* Browser.signedIn(request)
      const pausing = pauseAccount(human.accountId, actorOf(human.id))
      const account = yield* (yield* Atomically).run(pausing)
      return answered(yield* written(Account.fields, account))
    })
  )
]
