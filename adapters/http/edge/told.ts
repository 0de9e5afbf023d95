/** What every answer carries, and the one uniform refusal for whatever was refused, not found or unforeseen. */
import { Cause, Effect } from "effect"
import { HttpServerError } from "effect/http"
import { InvalidRequest, type Refusal } from "../../../core/operation/refusal.ts"
import * as Method from "../method.ts"
import { methods } from "../routes.ts"
import type { Request } from "../surface/exchange.ts"
import * as Unexpected from "./unexpected.ts"

type Asked = Pick<Request, "method" | "url">

type Headers = Readonly<Record<string, string>>

/** A browser that came by https once comes by nothing else for a year. */
const transportHeaders = (siteUrl: string): Headers =>
  siteUrl.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {}

/** What is the same of every answer; one that says for how long it is kept is `kept`. */
export const constantHeaders = (
  siteUrl: string
): { readonly kept: Headers; readonly other: Headers } => {
  const kept = { ...transportHeaders(siteUrl), "x-content-type-options": "nosniff" }
  return { kept, other: { ...kept, "cache-control": "no-store" } }
}

const knownMethods: ReadonlySet<string> = new Set([...methods, "HEAD", "OPTIONS"])

const unserved = ({ method }: Asked): Refusal =>
  knownMethods.has(method) ? Method.nothingHere() : Method.refuse(methods)

/** A read that failed did nothing; of a write that failed outside its operation we cannot say. */
const unforeseen = ({ method, url }: Asked, requestId: string, cause: Cause.Cause<unknown>) =>
  Unexpected.refusalOf(`${method} ${url.split("?")[0]} failed`, cause, {
    requestId,
    outcome: method === "GET" || method === "HEAD" ? "not_executed" : "unknown"
  })

export const refusalOf = (
  asked: Asked,
  requestId: string,
  cause: Cause.Cause<unknown>
): Effect.Effect<Refusal> => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  if (Unexpected.isRefusal(error)) return Effect.succeed(error)
  if (error instanceof HttpServerError.HttpServerError) {
    if (error.reason._tag === "RouteNotFound") return Effect.succeed(unserved(asked))
    if (error.reason._tag === "RequestParseError") {
      return Effect.succeed(new InvalidRequest({ message: "The request could not be read." }))
    }
  }
  return unforeseen(asked, requestId, cause)
}
