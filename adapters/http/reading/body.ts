/**
 * Reads a body: JSON in UTF-8 of bounded size. A call without a body is a call with `{}`.
 */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import { defaultMaxBodyBytes } from "../../../core/operation/operation.ts"
import { InvalidRequest } from "../../../core/operation/refusal.ts"
import {
  type InvalidJson,
  type PayloadTooLarge,
  tooLarge,
  UnsupportedMediaType
} from "../refusals.ts"
import type { Readable } from "../surface/exchange.ts"
import * as Json from "./json.ts"

/** Whether the request says that a body follows. */
export const follows = ({ headers }: Pick<Readable, "headers">): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const jsonType = /^application\/(json|[\w.!#$&^+-]+\+json)$/u

const isJson = ({ headers }: Pick<Readable, "headers">): boolean => {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";")
  return (
    jsonType.test(type.trim()) &&
    parameters.every((parameter) => {
      const [name = "", value = ""] = parameter.split("=")
      return name.trim() !== "charset" || /^"?utf-?8"?$/u.test(value.trim())
    }) &&
    (headers["content-encoding"] ?? "identity") === "identity"
  )
}

const unread = (maxBytes: number) => (error: HttpServerError.HttpServerError) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? tooLarge(maxBytes)
    : new InvalidRequest({ message: "The body ended early; send it again." })

export const read = (
  request: Readable,
  maxBytes: number = defaultMaxBodyBytes
): Effect.Effect<
  unknown,
  InvalidRequest | InvalidJson | PayloadTooLarge | UnsupportedMediaType
> => {
  if (!follows(request)) return Effect.succeed({})
  if (!isJson(request)) {
    return Effect.fail(
      new UnsupportedMediaType({
        message: "Send the body as application/json in UTF-8, without a content encoding."
      })
    )
  }
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    return Effect.fail(tooLarge(maxBytes))
  }
  return Effect.flatMapEager(request.bytes(maxBytes), (bytes) =>
    bytes.byteLength === 0 ? Effect.succeed({}) : Effect.fromResult(Json.parse(bytes))
  )
}

/** The same of a request that came by the router of pages. */
export const readRouted = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number = defaultMaxBodyBytes
) =>
  read(
    {
      headers: request.headers,
      bytes: (most) =>
        request.arrayBuffer.pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(most)),
          Effect.mapBoth({ onSuccess: (all) => new Uint8Array(all), onFailure: unread(most) })
        )
    },
    maxBytes
  )
