/** Serves `/pay/:pid` under a policy that lets the page load nothing but itself. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { publicRequest } from "../../core/payments/public.ts"
import { missingPage, payPage } from "./pay-page.ts"
import { payStyle } from "./pay-style.ts"

const styleHash = createHash("sha256").update(payStyle).digest("base64")

const contentType = "text/html; charset=utf-8"

const headers = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store"
}

export const payRoute = HttpRouter.add(
  "GET",
  "/pay/:pid",
  Effect.gen(function* () {
    const { pid } = yield* HttpRouter.params
    const request = yield* publicRequest(pid ?? "")
    return request === undefined
      ? HttpServerResponse.text(missingPage(), { status: 404, headers, contentType })
      : HttpServerResponse.text(payPage(request), { headers, contentType })
  })
)
