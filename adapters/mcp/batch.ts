/**
 * A batch: messages one after another, as their sender wrote them, each for its own price. What they are
 * answered with is bounded, and what no room is left for is refused before it is done.
 */
import { Effect } from "effect"
import type { Facts as Caller } from "../../core/operation/caller.ts"
import { InvalidRequest } from "../../core/operation/refusal.ts"
import { Visit } from "../http/edge/visit.ts"
import * as Refusals from "../http/refusals.ts"
import * as JsonRpc from "./json-rpc.ts"
import { charged } from "./rate-limit.ts"
import { bare, bytesOf, joined, type Reply } from "./reply.ts"

export const maxMessages = 50

/** Past this, the rest of a batch is refused; the reply that passes it is still sent. */
export const maxBytes = 1024 * 1024

const full = `The replies to this batch have reached ${maxBytes / 1024 / 1024} MiB. This message was not processed; send it in another batch.`
const listedOnce = "tools/list is allowed once per batch. Send it once."

const refused = (id: JsonRpc.Id, message: string, surroundings: Refusals.Surroundings): Reply => {
  const refusal = new InvalidRequest({ message })
  const data = Refusals.body(refusal, surroundings).error
  return bare(JsonRpc.fault(id, JsonRpc.codes.invalidRequest, message, data))
}

/** The replies to a batch as one text; undefined when none of its messages asks for one. */
export const answered = Effect.fnUntraced(function* <R>(
  batch: ReadonlyArray<unknown>,
  caller: Caller,
  surroundings: Refusals.Surroundings,
  dispatch: (message: JsonRpc.Message) => Effect.Effect<Reply | undefined, never, R>
) {
  const replies: Array<Reply> = []
  let bytes = 0
  let hasListed = false
  const { nextTurn } = yield* Visit
  for (const [at, value] of batch.entries()) {
    if (at > 0) yield* nextTurn
    const message = JsonRpc.read(value)
    const lists = message._tag === "request" && message.method === "tools/list"
    const violation = bytes >= maxBytes ? full : lists && hasListed ? listedOnce : undefined
    const reply = yield* message._tag === "request" && violation !== undefined
      ? charged(caller, message.id, surroundings, refused(message.id, violation, surroundings))
      : dispatch(message)
    hasListed ||= lists
    if (reply === undefined || message._tag === "notification") continue
    bytes += bytesOf(reply)
    replies.push(reply)
  }
  return replies.length === 0 ? undefined : joined(replies)
})
