/** What a person reads of the terms that are signed: words for each, and nothing left out. */
import { assert, it } from "@effect/vitest"
import {
  amountIn,
  isTold,
  otherTerm,
  placedTerms
} from "../../../adapters/pages/console/other-terms.ts"
import { tradeTerms } from "../../../adapters/pages/console/trade-shown.ts"
import { kinds } from "../../../core/treasury/kinds.ts"

it("has words for every term of every kind", () => {
  const unnamed = Object.values(kinds).flatMap(({ kind, terms }) =>
    Object.keys(terms.fields)
      .filter((name) => !placedTerms.has(name) && !tradeTerms.has(name) && !isTold(name))
      .map((name) => `${kind}: ${name}`)
  )
  assert.deepStrictEqual(unnamed, [])
})

it("says of a refund what it pays back, whom, and what the money counted for", () => {
  const id = "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d"
  assert.deepStrictEqual(otherTerm("paymentRequestId", id), {
    name: "Pays back the payment request",
    text: id,
    code: true,
    href: `/console/payments/${id}`
  })
  assert.deepStrictEqual(otherTerm("isToPayer", true), {
    name: "Goes to",
    text: "the address that paid"
  })
  assert.strictEqual(otherTerm("isToPayer", false).tone, "bad")
  const counted = (paymentRequestId: string | null, resolution: string | null) =>
    otherTerm("countedFor", {
      paymentRequestId,
      paymentRequestStatus: paymentRequestId && "partially_paid",
      resolution
    }).text
  assert.strictEqual(counted(id, null), `the payment request ${id}, which is partially paid`)
  assert.strictEqual(counted(null, "ignored"), "no payment request; decided: ignored")
})

it("says an amount in its own token, which is USDC only where no other is named", () => {
  const amountSmallestUnit = "1500000000000000000"
  assert.strictEqual(amountIn({ amountSmallestUnit, symbol: "WETH", decimals: 18 }), "1.50 WETH")
  assert.strictEqual(amountIn({ amountSmallestUnit: "12500000" }), "12.50 USDC")
  assert.match(amountIn({ amountSmallestUnit, symbol: "ODD" }) ?? "", /smallest unit of ODD$/u)
  assert.isUndefined(amountIn({ chainId: "local" }))
})

it("keeps all of what it does not know", () => {
  const unknown = { paymentRequestId: null, resolution: null, more: 1 }
  assert.strictEqual(otherTerm("countedFor", unknown).text, JSON.stringify(unknown))
  assert.deepStrictEqual(otherTerm("shape", { of: 1 }), { name: "shape", text: '{"of":1}' })
})
