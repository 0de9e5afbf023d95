/**
 * From a request to its caller. The bearer key is the only credential: cookies are never looked at.
 * A key in force always passes; a client whose keys keep being refused is only told to wait with the next.
 */
import { Context, Effect } from "effect"
import { authenticateIn, type Needs } from "../../core/accounts/authenticate.ts"
import { rateLimited } from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import type { Unauthenticated } from "../../core/operation/refusal.ts"
import { foldedOf } from "./client-address.ts"
import { keyIn } from "./edge/admission.ts"
import { Visit } from "./edge/visit.ts"
import type { Request } from "./surface/exchange.ts"

type Asking = Pick<Request, "headers">

/** Counts against what a client may get wrong; once that is spent, it hears so instead of what was wrong. */
const counted = Effect.fnUntraced(function* (address: string, refused: Unauthenticated) {
  const client = foldedOf(address)
  const allowance = yield* (yield* RateLimits).consumeClient(client, "failed_keys")
  if (allowance.allowed) return yield* refused
  return yield* rateLimited(
    "failed_keys",
    allowance,
    "Too many invalid keys from this address. A valid key is always accepted."
  )
})

/** The caller behind the key of a request, in that key's turn from then on; known at once where the key is. */
export const callerIn = (context: Context.Context<Visit | Needs>, { headers }: Asking) => {
  const visit = Context.get(context, Visit)
  const given = headers.authorization
  // What it waited for at the door need not be cut out of the header again.
  const text = visit.key ?? keyIn(given)
  const known = Effect.catchEager(authenticateIn(context, text, visit.address()), (refused) => {
    visit.end()
    // A request without a key guesses nothing, so it costs nothing.
    return given === undefined ? Effect.fail(refused) : counted(visit.address(), refused)
  })
  return visit.isKeyed() ? known : Effect.tap(known, () => visit.inTurnOfKey(text))
}

/** The same where no context is at hand. */
export const caller = (request: Asking) =>
  Effect.contextWith((context: Context.Context<Visit | Needs>) => callerIn(context, request))
