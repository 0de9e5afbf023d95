/**
 * What a server tells those it serves: whether there is room for more work, and how long a stream may last.
 * One that tells neither has room for everything.
 */
import type { IncomingMessage } from "node:http"
import { Context, Duration } from "effect"
import type { Overloaded } from "../refusals.ts"

/** Why a request is not begun, if it is not. */
export type Objection = (request: IncomingMessage) => Overloaded | undefined

export const Room = Context.Reference<Objection>("bursar/http/Room", {
  defaultValue: () => () => undefined
})

/** After this a stream ends, and its client comes again. */
export const StreamLife = Context.Reference<Duration.Duration>("bursar/http/StreamLife", {
  defaultValue: () => Duration.minutes(5)
})

/** Whether newcomers are being accepted, so that work is not begun now. */
export const Arriving = Context.Reference<() => boolean>("bursar/http/Arriving", {
  defaultValue: () => () => false
})
