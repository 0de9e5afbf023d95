/**
 * The id that one request carries through logs and answers. A caller's own `X-Request-Id` is kept when
 * it is short and printable, so that a line in their log finds the line in ours.
 */
import { Context, Effect } from "effect"
import type { Ids } from "../../core/ports/ids.ts"

export class RequestId extends Context.Service<RequestId, string>()("bursar/http/RequestId") {}

const sane = /^[\x21-\x7e]{1,128}$/u

export const choose = (ids: Ids["Service"], given: string | undefined): Effect.Effect<string> =>
  given !== undefined && sane.test(given)
    ? Effect.succeed(given)
    : Effect.map(ids.base62(20), (random) => `req_${random}`)
