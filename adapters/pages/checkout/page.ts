/** The checkout page as the server answers with it. It needs no script to be paid from; while money may still come it asks again by itself. */
import "../tsx.ts"
import { Clock, Effect } from "effect"
import type { PublicRequest } from "../../../core/payments/public.ts"
import { brandRules } from "../site/brand.ts"
import { type Page, page } from "../site/page.ts"
import { shownOf, versionOf } from "./shown.ts"
import { iconOf, titleOf } from "./tab.ts"
import { canPay } from "./trial-payer.ts"
import { type Language, languages } from "./words/languages.ts"

const { Checkout, Missing, isFinal } = await import("./checkout.tsx")

/** What has ended changes by its merchant's decision, and that takes a person. */
const refreshSeconds = { open: 10, ended: 60 }

/** The answer to a browser that follows a payment link. */
export const checkoutPage = (request: PublicRequest, language: Language) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const shown = shownOf(request, yield* canPay(request.chainId))
    const words = languages[language]
    const whole: Page = {
      title: titleOf(shown, words),
      language,
      icon: iconOf(shown),
      style: "checkout.css",
      script: "checkout.js",
      rules: brandRules(request.brandColor),
      facts: { shown, version: versionOf(shown), nowMs, language, words },
      refreshSeconds: shown.isFollowed
        ? refreshSeconds[isFinal(shown.status) ? "ended" : "open"]
        : undefined,
      children: Checkout({ shown, live: undefined, words })
    }
    return page(whole)
  })

/** The answer to a link that leads nowhere. */
export const missingPage = (language: Language) =>
  Effect.sync(() => {
    const words = languages[language]
    const children = Missing({ words })
    return page({ title: words.nothingHere, language, style: "checkout.css", children }, 404)
  })
