/** Notices a proxy that nobody told the service of: behind one, all clients count as a single one. */
import { Effect } from "effect"
import type { Request } from "../surface/exchange.ts"

const warning =
  "A request has X-Forwarded-For, but BURSAR_PROXIES is 0. If a proxy of yours is in front, all its clients share one rate limit: set BURSAR_PROXIES to the number of proxies."

/** Warns in the log, once. */
export const warner = (proxies: number) => {
  let isSaid = proxies > 0
  return ({ headers }: Pick<Request, "headers">): Effect.Effect<void> => {
    if (isSaid || headers["x-forwarded-for"] === undefined) return Effect.void
    isSaid = true
    return Effect.logWarning(warning)
  }
}
