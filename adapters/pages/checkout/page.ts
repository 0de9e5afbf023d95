/** The checkout page as the server answers with it. It needs no script to be paid from; while money may still come it asks again by itself. */
import "../tsx.ts"
import { Clock, Effect } from "effect"
import type { PublicRequest } from "../../../core/payments/public.ts"
import { type Page, page } from "../site/page.ts"
import { shownOf, versionOf } from "./shown.ts"

const { Checkout, Missing, isFinal } = await import("./checkout.tsx")

const refreshSeconds = 10

/** First and pop directional isolate: a merchant's name turns nothing around it in a browser's tab. */
const isolated = (text: string) => `\u2068${text}\u2069`

const pageOf = (request: PublicRequest, nowMs: number): Page => {
  const shown = shownOf(request)
  return {
    title: `${shown.amount} ${shown.symbol} to ${isolated(shown.merchant)}`,
    style: "checkout.css",
    script: "checkout.js",
    facts: { shown, version: versionOf(shown), nowMs },
    refreshSeconds: isFinal(shown.status) ? undefined : refreshSeconds,
    children: Checkout({ shown, live: undefined })
  }
}

/** The answer to a browser that follows a payment link. */
export const checkoutPage = (request: PublicRequest) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => page(pageOf(request, nowMs)))

/** The answer to a link that leads nowhere. */
export const missingPage = Effect.sync(() =>
  page({ title: "No such payment request", style: "checkout.css", children: Missing() }, 404)
)
