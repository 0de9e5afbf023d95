/** Serves `/pay/:pid`, the page behind a payment link, and what its script asks for. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Logo from "../../../core/accounts/logo.ts"
import { publicRequest } from "../../../core/payments/public.ts"
import { RecentReads } from "../../http/recent-reads.ts"
import { takeClaim } from "./claims.ts"
import { eventStream } from "./events.ts"
import { checkoutPage, missingPage } from "./page.ts"
import { makeTransaction } from "./payer-transactions.ts"
import { pictureName } from "./shown.ts"
import { payForTrial } from "./trial-payer.ts"
import { type Language, languageFor } from "./words/languages.ts"

/** The request whose link was followed, or undefined. */
const requestAt = (pid: string) =>
  Effect.flatMap(RecentReads, ({ read }) => read(`shown ${pid}`, publicRequest(pid)))

/** What a browser is answered with at `/pay/:pid`. */
const payPage = (pid: string, language: Language) =>
  Effect.flatMap(requestAt(pid), (request) =>
    request === undefined ? missingPage(language) : checkoutPage(request, language)
  )

/** The call to hand to a wallet, for what is due at this moment. */
const call = (pid: string) =>
  Effect.map(requestAt(pid), (request) =>
    request === undefined || request.call === null
      ? HttpServerResponse.empty({ status: 404 })
      : HttpServerResponse.jsonUnsafe(request.call)
  )

const pictureHeaders = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "public, max-age=86400, immutable"
} as const

/** The picture of the merchant at this moment, and how it is named. */
const logo = (pid: string) =>
  Effect.map(requestAt(pid), (request) => {
    const url = request?.logoUrl ?? null
    const found = url === null ? undefined : Logo.ofDataUrl(url)
    return found === undefined ? undefined : { ...found, name: pictureName(found) }
  })

/** The merchant's logo, as the type its own bytes say. Kept only under its own name: another may follow under this one. */
const showLogo = Effect.gen(function* () {
  const { pid = "" } = yield* HttpRouter.params
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const found = yield* (yield* RecentReads).read(`logo ${pid}`, logo(pid))
  if (found === undefined) return HttpServerResponse.empty({ status: 404 })
  const isNamed = url.endsWith(`?${found.name}`)
  return HttpServerResponse.uint8Array(found.bytes, {
    contentType: found.type,
    headers: { ...pictureHeaders, ...(isNamed ? {} : { "cache-control": "no-store" }) }
  })
})

/** Rendered once for all who look within a second. */
const sharedForASecond = (
  kind: string,
  answer: (pid: string, language: Language) => ReturnType<typeof payPage> | ReturnType<typeof call>
) =>
  Effect.gen(function* () {
    const { pid = "" } = yield* HttpRouter.params
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const language = languageFor(headers["accept-language"])
    return yield* (yield* RecentReads).read(`${kind} ${language} ${pid}`, answer(pid, language))
  })

export const payRoutes = (proxies: number) =>
  Layer.mergeAll(
    HttpRouter.add("GET", "/pay/:pid", sharedForASecond("page", payPage)),
    HttpRouter.add("GET", "/pay/:pid/call", sharedForASecond("call", call)),
    HttpRouter.add("GET", "/pay/:pid/logo", showLogo),
    HttpRouter.add("GET", "/pay/:pid/events", eventStream(proxies)),
    HttpRouter.add("POST", "/pay/:pid/claims", takeClaim(proxies)),
    HttpRouter.add("POST", "/pay/:pid/transactions", makeTransaction(proxies)),
    HttpRouter.add("POST", "/pay/:pid/trial-payment", payForTrial)
  )
