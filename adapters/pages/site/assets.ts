/** Serves `/assets/…`. A file's name carries a hash of its content, so browsers keep it for ever. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as SharedAnswer from "../../http/guards/shared-answer.ts"
import { built } from "./built.ts"
import type { AssetName, Built } from "./islands.ts"

let known: Built | undefined

/** Built once in a process that runs from sources. */
export const assets = (): Built => {
  known ??= built()
  return known
}

/** Where a page finds a script or a style sheet. */
export const urlOf = (name: AssetName): string => `/assets/${assets().manifest[name]}`

const headers = {
  "cache-control": "public, max-age=31536000, immutable",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin"
}

const answers = () =>
  new Map(
    Object.entries(assets().files).map(([name, { text, type }]) => [
      name,
      SharedAnswer.make(text, { contentType: type, headers })
    ])
  )

/** A service whose pages have no assets does not start: it says so here, and no page is ever blank. */
export const assetRoutes = Layer.unwrap(
  Effect.sync(() => {
    const known = answers()
    return HttpRouter.add(
      "GET",
      "/assets/:name",
      Effect.gen(function* () {
        const { name } = yield* HttpRouter.params
        const request = yield* HttpServerRequest.HttpServerRequest
        const answer = known.get(name ?? "")
        return answer === undefined ? HttpServerResponse.empty({ status: 404 }) : answer(request)
      })
    )
  })
)
