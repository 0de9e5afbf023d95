/**
 * `POST /api/agents` and `POST /api/agents/renew`: 402 with what a plan costs on each connected chain, and
 * once that is paid for good, the account. The challenge locks nothing; what is bought is bought once.
 */
import { Effect, Option } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { onboard, renew, requireEnding } from "../../core/agents/buy.ts"
import { onboardAgent, renewAgent } from "../../core/agents/plans.ts"
import { openedView, renewedView } from "../../core/agents/subscription.ts"
import { AgentKeyRequired } from "../../core/governance/challenge.ts"
import { Deployment } from "../../core/operation/deployment.ts"
import { isIdempotencyKey } from "../../core/operation/invoke.ts"
import { rateLimited } from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import {
  InsufficientScope,
  InvalidRequest,
  type Refusal,
  UpstreamUnavailable
} from "../../core/operation/refusal.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Bearer from "../http/bearer.ts"
import { RequestId } from "../http/edge/request-id.ts"
import * as Method from "../http/method.ts"
import * as Answer from "./answer.ts"
import { answered, type Call, fieldsOf, type Options, sell } from "./plan-call.ts"

type Request = HttpServerRequest.HttpServerRequest

const paths = { open: "/api/agents", renew: "/api/agents/renew" } as const

const idempotencyKeyOf = Effect.fnUntraced(function* ({ headers }: Request) {
  const key = headers["idempotency-key"]
  if (key === undefined || isIdempotencyKey(key)) return key
  return yield* new InvalidRequest({
    param: "idempotencyKey",
    message:
      "The idempotency key must be 1 to 255 printable ASCII characters, with no space at either end."
  })
})

const open = Effect.fnUntraced(function* (asking: Answer.Asking, options: Options) {
  const { request } = asking
  // Decoded by the very schema whose type this is.
  const fields = (yield* fieldsOf(request, onboardAgent)) as typeof onboardAgent.input.Type
  const key = yield* idempotencyKeyOf(request)
  const plan = fields.plan ?? "personal"
  const call: Call = { ...asking, spec: onboardAgent, path: paths.open, plan, options }
  const { contactEmail, name } = fields
  return yield* sell(
    call,
    Effect.fnUntraced(function* (signed) {
      const opening = { plan, name, contactEmail }
      const bought = yield* onboard(signed, opening, key, options.patience)
      const { buyerKey, settlement, wasGiven } = bought
      const told = openedView(settlement, buyerKey)
      return yield* answered(call, settlement, told, wasGiven ? buyerKey : undefined)
    })
  )
})

const scope = "account:read"

/** Whose plan is renewed: an agent's, by a key that may read its account. */
const agentOf = Effect.fnUntraced(function* (request: Request) {
  const caller = yield* Bearer.caller(request)
  const allowance = yield* (yield* RateLimits).consume(caller.keyId, "writes")
  if (!allowance.allowed) {
    const what = `Rate limit reached: ${allowance.limit} writes per minute for this key.`
    return yield* rateLimited("writes", allowance, what)
  }
  if (!caller.scopes.has(scope)) {
    return yield* new InsufficientScope({
      message: `renew_agent needs the scope ${scope}; use a key that has it.`,
      details: { scope, granted: [...caller.scopes] }
    })
  }
  if (caller.kind === "agent") return caller.accountId
  return yield* new AgentKeyRequired({
    message: "Only an agent's account has a plan; call this with an agent's key."
  })
})

const extend = Effect.fnUntraced(function* (asking: Answer.Asking, options: Options) {
  const { request } = asking
  const accountId = yield* agentOf(request)
  const fields = (yield* fieldsOf(request, renewAgent)) as typeof renewAgent.input.Type
  const { tier } = yield* (yield* Atomically).run(requireEnding(accountId))
  const plan = fields.plan ?? tier
  const call: Call = { ...asking, spec: renewAgent, path: paths.renew, plan, options }
  return yield* sell(
    call,
    Effect.fnUntraced(function* (signed) {
      const settlement = yield* renew(signed, accountId, plan, options.patience)
      return yield* answered(call, settlement, renewedView(settlement))
    })
  )
})

const away = (detail: string) =>
  new UpstreamUnavailable({
    message: `The chain does not respond, so payments are not possible now; try again. (${detail})`
  })

interface ChainAway {
  readonly _tag: "ChainUnavailable"
  readonly message: string
}

/** Answers a call, and every refusal of it in the treasury's own words. */
const serving =
  <R>(
    options: Options,
    answer: (
      asking: Answer.Asking,
      options: Options
    ) => Effect.Effect<Effect.Success<ReturnType<typeof open>>, Refusal | ChainAway, R>
  ) =>
  (request: Request) =>
    Effect.gen(function* () {
      const { siteUrl } = yield* Deployment
      const requestId = Option.getOrElse(yield* Effect.serviceOption(RequestId), () => "")
      const asking = { request, surroundings: { requestId, siteUrl } }
      return yield* answer(asking, options).pipe(
        Effect.catch((error) =>
          Answer.refused(
            asking,
            error._tag === "ChainUnavailable" ? away(error.message) : (error as Refusal)
          )
        )
      )
    })

/** Sells plans where the operator has named a wallet that they are paid to. */
export const plansRoutes = (options: Options = {}) =>
  HttpRouter.addAll([
    ...Method.exactly(paths.open, [["POST", serving(options, open)]]),
    ...Method.exactly(paths.renew, [["POST", serving(options, extend)]])
  ])
