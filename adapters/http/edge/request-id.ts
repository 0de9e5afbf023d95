/**
 * The id that one request carries through logs and answers. A caller's own `X-Request-Id` is kept when
 * it is short and printable, so that a line in their log finds the line in ours.
 */
import { Context, Effect } from "effect"
import type { Ids } from "../../../core/ports/ids.ts"

export class RequestId extends Context.Service<RequestId, string>()("bursar/http/RequestId") {}

const sane = /^[\x21-\x7e]{1,128}$/u

/** Chooses ids: a random start for each process and a count, which costs a request nothing. */
export const chooser = Effect.fnUntraced(function* (ids: Ids["Service"]) {
  const start = yield* ids.base62(12)
  let count = 0
  return (given: string | undefined): string => {
    if (given !== undefined && sane.test(given)) return given
    count += 1
    return `req_${start}${count.toString(36).padStart(8, "0")}`
  }
})
