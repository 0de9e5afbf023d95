/** What is refused before any message is understood: it has REST's status, headers and facts, and its message's id. */
import { Effect } from "effect"
import type { Refusal } from "../../core/operation/refusal.ts"
import * as Answers from "../http/answer.ts"
import * as Body from "../http/reading/body.ts"
import * as Refusals from "../http/refusals.ts"
import type { Request } from "../http/surface/exchange.ts"
import * as JsonRpc from "./json-rpc.ts"
import type { Reply } from "./reply.ts"

const faultCodes: Readonly<Record<string, number>> = {
  INVALID_JSON: JsonRpc.codes.parse,
  UNAUTHENTICATED: JsonRpc.codes.unauthenticated,
  RATE_LIMITED: JsonRpc.codes.limited,
  INTERNAL: JsonRpc.codes.internal
}

export const refusedWhole = (
  id: JsonRpc.Id | null,
  refusal: Refusal,
  request: Request,
  surroundings: Refusals.Surroundings
): Reply => {
  const code = faultCodes[refusal._tag] ?? JsonRpc.codes.invalidRequest
  return {
    text: JsonRpc.fault(id, code, refusal.message, Refusals.body(refusal, surroundings).error),
    headers: Answers.refusalHeaders(request, refusal),
    status: Refusals.statusOf(refusal._tag, refusal.kind)
  }
}

/** Strangers are not read at length just to be told which message of theirs was refused. */
const maxBytesForId = 4096

/** The id of a request that is a single short message; null when it cannot be read. */
export const idIn = (request: Request): Effect.Effect<JsonRpc.Id | null> => {
  const bytes = Number(request.headers["content-length"] ?? Number.NaN)
  if (!(bytes > 0 && bytes <= maxBytesForId)) return Effect.succeed(null)
  return Body.read(request).pipe(
    Effect.map(JsonRpc.idOf),
    Effect.orElseSucceed(() => null)
  )
}
