/**
 * The passkey challenges by which people approve: a proposal's intent, or a governance request's payload. Beside
 * each question stands what is to be shown; what is signed is read from the records again when the answer comes.
 */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { approveProposal, beginApproval } from "../../core/approvals/sign-proposal.ts"
import { beginSigning, signGovernance } from "../../core/approvals/sign-request.ts"
import * as Request from "../../core/governance/request.ts"
import { cancelGovernanceRequest } from "../../core/governance/waiting.ts"
import { callerOf } from "../../core/humans/authenticate.ts"
import { Deployment } from "../../core/operation/deployment.ts"
import { invoke } from "../../core/operation/invoke.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { cancelProposal } from "../../core/proposals/cancel.ts"
import * as View from "../../core/proposals/view.ts"
import * as Answer from "../http/answer.ts"
import { RequestId } from "../http/edge/request-id.ts"
import type { Path } from "../http/routes.ts"
import * as Browser from "./browser.ts"
import { encode, post, success } from "./post.ts"
import { answerFields, assertionOf } from "./sign-in.ts"

type Incoming = HttpServerRequest.HttpServerRequest

const idOf = Effect.map(HttpRouter.params, ({ id }) => id ?? "")

const encoders = {
  proposal: (proposal: View.View) => encode(View.fields, proposal),
  request: (request: Effect.Success<ReturnType<typeof Request.view>>) =>
    encode(Request.fields, request)
}

const onProposal = (what: string): Path => `/console/proposals/:id/${what}`
const onRequest = (what: string): Path => `/console/governance/:id/${what}`

/** An operation as the human who is signed in, with the answer that REST would give. */
const invoking = <const Op extends Operation.Any>(path: Path, operation: Op, field: string) =>
  post(
    path,
    {},
    Effect.fnUntraced(function* (_, incoming: Incoming) {
      const caller = callerOf(yield* Browser.signedIn(incoming))
      const requestId = yield* RequestId
      const input = { [field]: yield* idOf }
      const answer = yield* invoke(operation, { caller, input, requestId })
      const { siteUrl } = yield* Deployment
      return Answer.of(incoming, operation, answer, { requestId, siteUrl })
    })
  )

export const approvals = [
  ...invoking(onProposal("cancel"), cancelProposal, "proposalId"),
  ...invoking(onRequest("cancel"), cancelGovernanceRequest, "requestId"),
  ...post(
    onProposal("options"),
    {},
    Effect.fnUntraced(function* (_, incoming: Incoming) {
      const signedIn = yield* Browser.signedIn(incoming)
      const { proposal, ...question } = yield* beginApproval(signedIn, yield* idOf)
      return success({ ...question, proposal: yield* encoders.proposal(proposal) })
    })
  ),
  ...post(
    onProposal("approve"),
    answerFields,
    Effect.fnUntraced(function* (input, incoming: Incoming) {
      const signedIn = yield* Browser.signedIn(incoming)
      const given = {
        passkeyChallengeId: input.passkeyChallengeId,
        answer: yield* assertionOf(input.answer)
      }
      const { durable, proposal } = yield* approveProposal(signedIn, yield* idOf, given)
      return success({ proposal: yield* encoders.proposal(proposal), durable })
    })
  ),
  ...post(
    onRequest("options"),
    {},
    Effect.fnUntraced(function* (_, incoming: Incoming) {
      const signedIn = yield* Browser.signedIn(incoming)
      const { request, ...question } = yield* beginSigning(signedIn, yield* idOf)
      return success({ ...question, request: yield* encoders.request(request) })
    })
  ),
  ...post(
    onRequest("sign"),
    answerFields,
    Effect.fnUntraced(function* (input, incoming: Incoming) {
      const signedIn = yield* Browser.signedIn(incoming)
      const given = {
        passkeyChallengeId: input.passkeyChallengeId,
        answer: yield* assertionOf(input.answer)
      }
      const { durable, request } = yield* signGovernance(signedIn, yield* idOf, given)
      return success({ request: yield* encoders.request(request), durable })
    })
  )
]
