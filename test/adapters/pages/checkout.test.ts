/** The checkout page as the server writes it: what a payer must see in every status, and nothing a merchant wrote run as markup. */

import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import fc from "fast-check"
import { checkoutPage, missingPage } from "../../../adapters/pages/checkout/page.ts"
import * as TrialPayer from "../../../adapters/pages/checkout/trial-payer.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import type { CameLate } from "../../../core/payments/came-late.ts"
import type { PublicRequest } from "../../../core/payments/public.ts"
import { Status } from "../../../core/payments/status.ts"
import * as Value from "../../support/chain-values.ts"
import { png } from "../../support/pictures.ts"
import { aClosedRequest, address, aPublicRequest } from "../../support/public-requests.ts"

const textOf = (answer: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
  Effect.runPromise(
    Effect.flatMap(answer, (response) =>
      Effect.promise(() => HttpServerResponse.toWeb(response).text())
    )
  )

const written = (request: PublicRequest) => textOf(checkoutPage(request, "en"))

const seen = (confirmations: number): PublicRequest["attempts"][number] => ({
  id: "a",
  method: "direct",
  status: "confirmed",
  txHash: Value.transaction(`0x${"cd".repeat(32)}`),
  logIndex: 0,
  amountSmallestUnit: 1_250_500_000n,
  payerAddress: Value.address("0x11"),
  blockNumber: 1,
  confirmations,
  seenAt: DateTime.makeUnsafe(0),
  settledAt: null,
  reason: null
})

describe("The checkout page", () => {
  it("shows amount, address, network, QR code and expiry while it can be paid", async () => {
    const page = await written(aPublicRequest())
    for (const text of ["1,250.50", address, "Base", "<svg", "2026-11-21 01:54 UTC"]) {
      assert.include(page, text)
    }
    assert.include(page, '<noscript><meta http-equiv="refresh"')
    assert.include(page, "Send only USDC on Base; anything else sent here is not credited.")
    assert.include(page, "https://shop.example.com/cart")
    assert.notInclude(page, "https://shop.example.com/thanks")
  })

  it("is written in the language that the browser asks for, and says which", async () => {
    const page = await textOf(checkoutPage(aPublicRequest(), "de"))
    assert.include(page, '<html lang="de">')
    assert.include(page, "Warten auf Zahlung")
    assert.include(page, "Senden Sie nur USDC auf Base;")
    assert.include(page, "Zurück zu <bdi>Northwind Supply</bdi>")
    assert.include(page, "<title>1\u202f250.50 USDC an \u2068Northwind Supply\u2069</title>")
    assert.include(await textOf(missingPage("fr")), "Il n’y a rien ici")
  })

  it("carries the merchant's logo and colour, whose rules alone its policy lets in", async () => {
    const logoUrl = png(300, 60).dataUrl
    const answer = await Effect.runPromise(
      checkoutPage(aPublicRequest({ brandColor: "#ffd400", logoUrl }), "en")
    )
    const page = await HttpServerResponse.toWeb(answer).text()
    assert.match(
      page,
      /<img class="logo" src="\/pay\/pr_\d+\/logo\?[\w-]{16}" alt(="")? width="300" height="60"/u
    )
    assert.notInclude(page, logoUrl)
    const [, rules = ""] = /<style>(.*?)<\/style>/u.exec(page) ?? []
    assert.include(rules, "background:#ffd400;color:#000000")
    const hash = createHash("sha256").update(rules).digest("base64")
    assert.include(answer.headers["content-security-policy"], `style-src 'self' 'sha256-${hash}';`)
    const plain = await Effect.runPromise(checkoutPage(aPublicRequest(), "en"))
    assert.include(plain.headers["content-security-policy"], "style-src 'self';")
    assert.notMatch(await HttpServerResponse.toWeb(plain).text(), /<style|class="logo"/u)
  })

  it("says in the tab when it is paid, and of test money that it is not real", async () => {
    const open = await written(aPublicRequest())
    const paid = await written(aClosedRequest("paid", { livemode: false }))
    assert.include(paid, "<title>Paid · 1,250.50 USDC to")
    const iconIn = (page: string) => /rel="icon" href="([^"]+)"/u.exec(page)?.[1]
    assert.notStrictEqual(iconIn(open), iconIn(paid))
    assert.include(paid, "Test mode: this money is not real")
    assert.notInclude(open, 'class="badge"')
  })

  it("tells what is missing while a part is on its way, and no time once all is", async () => {
    const part = await written(
      aPublicRequest({ status: "processing", amountReceivedSmallestUnit: 1_000_000_000n })
    )
    assert.include(part, "1,000.00 USDC received, 1,250.50 USDC missing")
    const whole = await written(
      aPublicRequest({ status: "processing", dueMicro: Usdc.make(0n), dueUri: null })
    )
    assert.notInclude(whole, "soft expiry")
  })

  it("has a button that pays where somebody pays with test money, and nowhere else", async () => {
    const payer = { chainIds: ["base"], pay: () => Promise.resolve() }
    const paying = (chainId: string) =>
      textOf(
        Effect.provideService(
          checkoutPage(aPublicRequest({ chainId }), "en"),
          TrialPayer.TrialPayer,
          payer
        )
      )
    assert.match(await paying("base"), /<form [^>]*action="\/pay\/pr_\w+\/trial-payment"/u)
    assert.notInclude(await paying("solana"), "trial-payment")
    assert.notInclude(await written(aPublicRequest()), "trial-payment")
  })

  it("asks for the rest of a partly paid request", async () => {
    const page = await written(
      aPublicRequest({
        status: "partially_paid",
        amountReceivedSmallestUnit: 1_000_000_000n,
        dueMicro: Usdc.make(250_500_000n)
      })
    )
    assert.include(page, "1,000.00 USDC received, 250.50 USDC missing")
  })

  it("asks for nothing more while money that suffices is on its way", async () => {
    const page = await written(
      aPublicRequest({
        status: "processing",
        dueMicro: Usdc.make(0n),
        dueUri: null,
        attempts: [seen(3)]
      })
    )
    assert.include(page, "3 of 12 confirmations")
    assert.notInclude(page, address)
    assert.notInclude(page, "https://shop.example.com/cart")
    assert.include(page, '<noscript><meta http-equiv="refresh"')
  })

  it("keeps its confirmations until the request is settled by what is final", async () => {
    const final = { ...seen(14), status: "final" as const }
    const processing = { status: "processing", dueMicro: Usdc.make(0n), dueUri: null } as const
    assert.include(
      await written(aPublicRequest({ ...processing, attempts: [final] })),
      "12 of 12 confirmations"
    )
    assert.include(
      await written(aPublicRequest({ ...processing, attempts: [final, seen(3)] })),
      "3 of 12 confirmations"
    )
  })

  it("shows no address and no QR code once nothing may be paid any more", async () => {
    for (const status of ["paid", "expired", "cancelled"] as const) {
      const page = await written(aClosedRequest(status, { mayChange: false }))
      assert.notInclude(page, address)
      assert.notInclude(page, "<svg")
      assert.notInclude(page, 'http-equiv="refresh"')
    }
  })

  it("says of money that came late what came, where it is, and what becomes of it", async () => {
    const txHash = Value.transaction(`0x${"ef".repeat(32)}`)
    const came = (over: Partial<CameLate> = {}): CameLate => ({
      id: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
      amountMicro: Usdc.make(1_250_500_000n),
      txHash,
      transactionUrl: `https://basescan.org/tx/${txHash}`,
      issue: "late",
      resolution: null,
      ...over
    })
    for (const status of ["expired", "cancelled"] as const) {
      const page = await written(aClosedRequest(status, { cameLate: [came()] }))
      assert.include(page, "1,250.50 USDC arrived after this payment request had ended.")
      assert.include(page, "<p>The merchant sees it and decides whether it counts as your payment")
      assert.include(page, '<p class="detail">Do not send anything more to this address.</p>')
      assert.include(page, `href="https://basescan.org/tx/${txHash}"`)
      assert.notInclude(page, address)
      assert.match(page, /<noscript><meta http-equiv="refresh" content="60"/u)
    }
    const part = came({ issue: "underpaid", amountMicro: Usdc.make(5_000_000n) })
    const half = await written(aClosedRequest("expired", { cameLate: [part], txHash }))
    assert.include(half, "5.00 USDC arrived in time, less than the requested amount.")
    assert.strictEqual(half.split("<dt>Transaction</dt>").length, 2, "It is told once.")
    const twice = [came({ issue: "duplicate" })]
    const again = await written(aClosedRequest("paid", { cameLate: twice, txHash }))
    assert.include(again, "1,250.50 USDC arrived after this payment request was already paid.")
    assert.include(again, '<p class="detail">Do not send anything more to this address.</p>')
    assert.strictEqual(again.split("<dt>Transaction</dt>").length, 3, "It has its receipt too.")
    const told = (resolution: CameLate["resolution"]) =>
      written(aClosedRequest("expired", { cameLate: [came({ resolution })] }))
    assert.include(await told("refunded"), "<p>The merchant has sent it back.</p>")
    assert.include(await told("ignored"), "<p>The merchant has closed this without counting it.")
    assert.include(await told("accepted"), "<p>The merchant has counted it as a payment.</p>")
  })

  it("gives a receipt, and the way back to the merchant", async () => {
    const page = await written(
      aClosedRequest("paid", {
        txHash: Value.transaction(`0x${"cd".repeat(32)}`),
        transactionUrl: `https://basescan.org/tx/0x${"cd".repeat(32)}`,
        paidAt: DateTime.makeUnsafe("2026-11-21T01:40:00Z")
      })
    )
    assert.include(page, `href="https://basescan.org/tx/0x${"cd".repeat(32)}"`)
    assert.include(page, "2026-11-21 01:40 UTC")
    assert.include(page, "<dt>Network</dt><dd>Base</dd>")
    assert.include(page, 'href="https://shop.example.com/thanks"')
  })

  it("tells a link that leads nowhere from one that does", async () => {
    assert.strictEqual((await Effect.runPromise(missingPage("en"))).status, 404)
    assert.include(await textOf(missingPage("en")), "There is no payment request at this link")
  })

  it("runs none of what a merchant wrote, whatever it is", async () => {
    const hostile = fc.constantFrom(
      "</script><script>alert(1)</script>",
      "</title><img src=x onerror=alert(1)>",
      '"><svg onload=alert(1)>',
      "<!--<script>",
      "\u202egnp.exe",
      "'&<"
    )
    const elements = (page: string) => [...page.matchAll(/<\/?[a-z!][^\s>]*/giu)].join(" ")
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Status.literals),
        fc.oneof(fc.string({ unit: "grapheme" }), hostile),
        async (status, text) => {
          const over = { status, product: { slug: "s", externalSkuId: "e", name: "x" } }
          const plain = await written(
            aPublicRequest({ ...over, description: "x", merchant: "y", chainName: "z" })
          )
          const page = await written(
            aPublicRequest({
              ...over,
              product: { ...over.product, name: text },
              description: text,
              merchant: text,
              chainName: text
            })
          )
          assert.strictEqual(elements(page), elements(plain))
        }
      ),
      { numRuns: 60 }
    )
  })
})
