/** A POST of the console: from our own page, strict JSON in, the envelope of every answer out. */
import { Effect, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Problems from "../../core/operation/problems.ts"
import { InvalidRequest } from "../../core/operation/refusal.ts"
import * as Method from "../http/method.ts"
import * as Body from "../http/reading/body.ts"
import type { Path } from "../http/routes.ts"
import * as Browser from "./browser.ts"

/** Decodes what a page sent, and names the first field that is wrong. */
export const decode = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  body: unknown,
  { within = "", letsGo = false }: { readonly within?: string; readonly letsGo?: boolean } = {}
): Effect.Effect<Schema.Struct<Fields>["Type"], InvalidRequest> => {
  const read = Schema.decodeUnknownEffect(schema, {
    onExcessProperty: letsGo ? "ignore" : "error"
  })(body) as Effect.Effect<Schema.Struct<Fields>["Type"], Schema.SchemaError>
  return Effect.mapError(read, ({ issue }) => {
    const { message, param } = Problems.of(issue, body)[0] ?? { param: "", message: "" }
    const path = [within, param].filter((part) => part !== "").join(".")
    return new InvalidRequest({
      ...(path === "" ? {} : { param: path }),
      message: `The page sent an invalid request: ${message}`
    })
  })
}

export const success = (data: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify({ ok: true, data }), { contentType: "application/json" })

/** A value as its fields say it is written. */
export const encode = <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  value: NoInfer<Schema.Struct<Fields>["Type"]>
) => {
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(Schema.Struct(fields)))
  // The value is of the schema's own type.
  return Effect.orDie(encode(value) as Effect.Effect<Schema.Json, unknown>)
}

type Request = HttpServerRequest.HttpServerRequest

/** A route that a script of our own pages posts to. */
export const post = <Fields extends Schema.Struct.Fields, E, R>(
  path: Path,
  fields: Fields,
  work: (
    input: Schema.Struct<Fields>["Type"],
    request: Request
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Method.exactly(path, [
    [
      "POST",
      Effect.fnUntraced(function* (request: Request) {
        yield* Browser.ownPage(request)
        const input = yield* decode(Schema.Struct(fields), yield* Body.readRouted(request))
        return yield* work(input, request)
      })
    ]
  ])
