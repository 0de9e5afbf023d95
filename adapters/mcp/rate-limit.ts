/**
 * What a message costs: a call of a tool the rate limit of its operation, every other message a read, whatever
 * becomes of it. So no message is free, and no batch costs less than its messages.
 */
import { Effect } from "effect"
import type { Facts as Caller } from "../../core/operation/caller.ts"
import { type Allowance, rateLimited } from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import type { RateLimited } from "../../core/operation/refusal.ts"
import * as Answers from "../http/answer.ts"
import * as Refusals from "../http/refusals.ts"
import * as JsonRpc from "./json-rpc.ts"
import type { Reply } from "./reply.ts"

const spent = (allowance: Allowance) =>
  rateLimited(
    "reads",
    allowance,
    `This key has spent its reads: ${allowance.limit} a minute, and every message counts.`
  )

const refused = (
  id: JsonRpc.Id | null,
  refusal: RateLimited,
  surroundings: Refusals.Surroundings
): Reply => {
  const data = Refusals.body(refusal, surroundings).error
  return {
    text: JsonRpc.fault(id, JsonRpc.codes.limited, refusal.message, data),
    headers: { "retry-after": String(Refusals.retryAfterSeconds(refusal)) },
    status: Refusals.statusOf(refusal._tag, refusal.kind)
  }
}

/** Consumes a read for a message and gives its reply, or says that there are no reads left. */
export const charged = Effect.fnUntraced(function* (
  caller: Caller,
  id: JsonRpc.Id | null,
  surroundings: Refusals.Surroundings,
  reply: Reply | undefined
) {
  const allowance = yield* (yield* RateLimits).consume(caller.keyId, "reads")
  const headers = Answers.rateLimitHeaders({ rateLimit: "reads" }, allowance)
  if (!allowance.allowed) {
    const no = refused(id, spent(allowance), surroundings)
    return { ...no, headers: { ...headers, ...no.headers } }
  }
  return reply === undefined ? undefined : { ...reply, headers: { ...headers, ...reply.headers } }
})
