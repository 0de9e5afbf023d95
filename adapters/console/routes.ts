/**
 * Everything the console's pages post to, under `/console`. Pages call these with `fetch`, hand the options
 * to `navigator.credentials`, and post the answer back; whoever is signed in stands in the cookie alone.
 */
import { HttpRouter } from "effect/http"
import { approvals } from "./approvals.ts"
import { operationRoutes } from "./operations.ts"
import { signIn } from "./sign-in.ts"

export interface Options {
  /** How many proxies of ours stand in front and write `X-Forwarded-For`; 0 when clients connect directly. */
  readonly proxies?: number
}

export const layer = ({ proxies = 0 }: Options = {}) =>
  HttpRouter.addAll([...signIn(proxies), ...approvals, ...operationRoutes])
