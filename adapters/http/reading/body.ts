/**
 * Reads a body: JSON in UTF-8 of bounded size. A call without a body is a call with `{}`.
 */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import { defaultMaxBodyBytes } from "../../../core/operation/operation.ts"
import { InvalidRequest } from "../../../core/operation/refusal.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "../refusals.ts"
import * as Json from "./json.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Whether the request says that a body follows. */
export const follows = ({ headers }: Request): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const jsonType = /^application\/(json|[\w.!#$&^+-]+\+json)$/u

const isJson = ({ headers }: Request): boolean => {
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

/** The refusal of input that is larger than the operation takes. */
export const tooLarge = (maxBytes: number) =>
  new PayloadTooLarge({
    message: `The input is larger than ${maxBytes / 1024} KiB; split it into several calls.`,
    details: { maxBytes }
  })

const unread = (maxBytes: number) => (error: HttpServerError.HttpServerError) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? tooLarge(maxBytes)
    : new InvalidRequest({ message: "The body ended early; send it again." })

export const read = Effect.fnUntraced(function* (
  request: Request,
  maxBytes: number = defaultMaxBodyBytes
) {
  if (!follows(request)) return {}
  if (!isJson(request)) {
    return yield* new UnsupportedMediaType({
      message: "Send the body as application/json in UTF-8, without a content encoding."
    })
  }
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return yield* tooLarge(maxBytes)
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
    Effect.mapError(unread(maxBytes))
  )
  return bytes.byteLength === 0 ? {} : yield* Effect.fromResult(Json.parse(new Uint8Array(bytes)))
})
