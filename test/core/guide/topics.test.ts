/** The guide is the first thing an agent reads: it names no operation that is not there, and tells how each errand is run. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Address } from "../../../core/chains/address.ts"
import { limitsOf, pricingOf } from "../../../core/guide/figures.ts"
import { guideOver } from "../../../core/guide/guide.ts"
import { missingFrom, topics } from "../../../core/guide/topics.ts"
import * as Usd from "../../../core/money/usd.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import * as RateLimit from "../../../core/operation/rate-limit.ts"
import { operations } from "../../../core/treasury/operations.ts"
import * as Settings from "../../../core/treasury/settings.ts"
import * as Value from "../../support/chain-values.ts"

const names: ReadonlySet<string> = new Set(operations.map(({ name }) => name))
/** Statuses and outcomes, which are written like operations. */
const states = new Set(["not_executed", "partially_paid", "requires_action", "personal_sign"])

const trades = ["propose_swap", "propose_solana_swap", "propose_bridge", "list_yield_markets"]

const getGuide = guideOver(operations)

const cap = (perTransfer: bigint, daily: bigint, monthly: bigint) => ({
  perTransferMicro: Usd.make(perTransfer * 1_000_000n),
  dailyMicro: Usd.make(daily * 1_000_000n),
  monthlyMicro: Usd.make(monthly * 1_000_000n),
  hardCapMicro: Usd.make(9_999_000_000n)
})

const namedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?<![\w.])[a-z]+(?:_[a-z]+)+(?![\w]|\.\w)/gu)].map(([name]) => name)

/** An installation of its own, no figure of which is a default. */
const installation = {
  ...Settings.defaults,
  siteUrl: "https://pay.example.com",
  livemode: true,
  rateLimits: { ...RateLimit.defaults, reads: 601, writes: 121, quotes: 61, confirms: 31 },
  tiers: {
    personal: cap(1_111n, 2_222n, 3_333n),
    startup: cap(4_444n, 5_555n, 6_666n)
  },
  plans: {
    personal: { name: "Small", priceMicro: Usdc.make(7_770_000n), days: 29, maxWallets: 11 },
    startup: { name: "Large", priceMicro: Usdc.make(88_000_000n), days: 59, maxWallets: 101 }
  },
  plansPayTo: [Value.address("0x8ba1f109551bD432803012645Ac136ddd64DBA72")]
}

describe("the guide", () => {
  const bodies = [
    ...Object.values(topics),
    limitsOf(installation, operations),
    pricingOf(installation)
  ]
    .flat()
    .map(({ body }) => body)

  it.effect("has the figures of the running installation, by every topic that has any", () =>
    Effect.gen(function* () {
      const told = (topic: "limits" | "pricing" | "all" | "overview") =>
        getGuide.handle({ topic }, undefined, undefined).pipe(
          Effect.provide(Settings.layer(installation)),
          Effect.map(({ sections }) => sections.map(({ body }) => body).join(" "))
        )
      const limits = ["601 reads", "121 writes", "61 quotes", "31 confirms", "1280 KiB"]
      const caps = ["1111.00", "2222.00", "3333.00", "4444.00", "5555.00", "6666.00", "9999.00"]
      for (const figure of [...limits, ...caps]) assert.include(yield* told("limits"), figure)
      const prices = [
        "7.77 USDC for 29 days",
        "11 wallets",
        "88.00 USDC for 59 days",
        "101 wallets"
      ]
      for (const figure of prices) assert.include(yield* told("pricing"), figure)
      for (const figure of [...limits, ...prices]) assert.include(yield* told("all"), figure)
    })
  )

  it("says whether plans are sold here", () => {
    const text = (plansPayTo: ReadonlyArray<Address>) =>
      JSON.stringify(pricingOf({ ...installation, plansPayTo }))
    assert.include(text(installation.plansPayTo), "Plans are sold by x402")
    assert.include(text([]), "not sold here")
  })

  it("tells how accounts and keys are come by, and what is not there yet", () => {
    for (const said of [
      "POST /api/agents",
      "402",
      "claim link",
      "Get an API key as a developer",
      "create_api_key"
    ]) {
      assert.include(JSON.stringify(topics.overview), said)
    }
    const said = (missing: ReadonlyArray<string>) =>
      missingFrom(new Set([...names, ...trades].filter((name) => !missing.includes(name))))
        .map(({ body }) => body)
        .join()
    assert.strictEqual(said([]), "")
    assert.strictEqual(said(["discover_tokens"]), "Not in this version: token discovery.")
    assert.include(said(["propose_swap", "propose_bridge"]), "swaps, bridges. Co-signer rules")
  })

  it("names only operations that there are", () => {
    const unknown = bodies.flatMap(namedIn).filter((name) => !names.has(name) && !states.has(name))
    assert.deepStrictEqual(unknown, [])
  })

  it("tells how to get paid, to send, to add a recipient, to co-sign and to prove", () => {
    const told = new Set(topics.workflows.flatMap(({ body }) => namedIn(body)))
    for (const name of [
      ...["create_checkout_session", "propose_transfer", "confirm_proposal", "add_recipient"],
      ...["invite_cosigner", "approve_cosigner_action", "get_audit_checkpoint"]
    ]) {
      assert.isTrue(told.has(name), name)
    }
  })
})
