/** Serves what describes the service: `/openapi.json` for machines, `/docs` for people, where the site itself leads. Written once at start. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Deployment } from "../../../core/operation/deployment.ts"
import * as SharedAnswer from "../guards/shared-answer.ts"
import * as Method from "../method.ts"
import { document } from "./openapi.ts"
import * as Page from "./page.ts"
import { style } from "./style.ts"

const cacheControl = "public, max-age=300"

const styleHash = createHash("sha256").update(style).digest("base64")

/** No script runs on these pages, whatever gets into them. */
const pageHeaders = {
  "cache-control": cacheControl,
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer"
}

const htmlPage = (text: string) =>
  SharedAnswer.make(text, { contentType: "text/html; charset=utf-8", headers: pageHeaders })

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { siteUrl } = yield* Deployment
    const openapi = SharedAnswer.make(JSON.stringify(document(siteUrl)), {
      contentType: "application/json",
      headers: { "cache-control": cacheControl, "access-control-allow-origin": "*" }
    })
    const pages = [
      ["/openapi.json", openapi],
      ["/docs", htmlPage(Page.reference(siteUrl))],
      ["/docs/errors", htmlPage(Page.errors())]
    ] as const
    const toReference = HttpServerResponse.redirect("/docs", { status: 302 })
    yield* router.addAll(Method.exactly("/", [["GET", () => Effect.succeed(toReference)]]))
    yield* router.addAll(
      pages.flatMap(([path, answer]) =>
        Method.exactly(path, [["GET", (request) => Effect.succeed(answer(request))]])
      )
    )
  })
)
