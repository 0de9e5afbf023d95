/**
 * The terms of a swap or a bridge in words: what is sold, the least that is got for it, and what it may cost. They
 * are read as they were hashed; a term that is not told here is shown by its own name.
 */
import { Predicate } from "effect"
import * as Decimal from "../../../core/money/decimal.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { separated } from "./parts/separated.ts"

type Terms = Proposal["terms"]

/** What `Facts` shows, without the page that it is shown on. */
interface Fact {
  readonly name: string
  readonly text: string
  readonly code: boolean
  readonly isTime?: boolean
}

/** Terms that are told here. */
export const tradeTerms: ReadonlySet<string> = new Set([
  "sell",
  "sellAmount",
  "buy",
  "minBuyAmount",
  "toWalletId",
  "receiver",
  "protocol",
  "slippagePercent",
  "worthUsd",
  "valueAtRiskUsd",
  "feesUsd",
  "maxCostUsd",
  "notAfter"
])

/** Whether these are the terms of a trade. */
export const isTrade = (terms: Terms): boolean =>
  Predicate.isObject(terms.sell) && Predicate.isObject(terms.buy)

/** `1500000` of a token as `1.50 USDC on base`. */
const amountOf = (units: unknown, token: unknown): string | undefined => {
  if (typeof units !== "string" || !/^\d+$/u.test(units) || !Predicate.isObject(token)) {
    return undefined
  }
  const { chainId, decimals, symbol } = token as Readonly<Record<string, unknown>>
  if (typeof decimals !== "number") return undefined
  const written = Decimal.format({ units: BigInt(units), places: decimals }, Math.min(2, decimals))
  return `${separated(written)} ${String(symbol)} on ${String(chainId)}`
}

const contractOf = (token: unknown): string | undefined =>
  Predicate.hasProperty(token, "tokenAddress") ? String(token.tokenAddress) : undefined

const fact = (name: string, text: unknown, code = false): ReadonlyArray<Fact> =>
  typeof text === "string" || typeof text === "number" ? [{ name, text: String(text), code }] : []

const usd = (text: unknown): string | undefined =>
  typeof text === "string" ? `$${separated(text)}` : undefined

/** What is approved of a trade; nothing of any other proposal. */
export const tradeFacts = (terms: Terms): ReadonlyArray<Fact> =>
  !isTrade(terms)
    ? []
    : [
        ...fact("Sells", amountOf(terms.sellAmount, terms.sell)),
        ...fact("Sold token", contractOf(terms.sell), true),
        ...fact("For at least", amountOf(terms.minBuyAmount, terms.buy)),
        ...fact("Bought token", contractOf(terms.buy), true),
        ...fact("Received by", terms.receiver, true),
        ...fact("Worth", usd(terms.worthUsd)),
        ...fact("Value at risk now", usd(terms.valueAtRiskUsd)),
        ...fact("Fees", usd(terms.feesUsd)),
        ...fact("Costs at most", usd(terms.maxCostUsd)),
        ...fact(
          "Slippage",
          terms.slippagePercent === undefined ? undefined : `${String(terms.slippagePercent)} %`
        ),
        ...fact("Protocol", terms.protocol),
        ...fact("Not signed after", terms.notAfter).map((one) => ({ ...one, isTime: true }))
      ]

/** What came of a trade that has ended. */
export const tradeResult = (
  view: {
    readonly soldAmount?: string
    readonly boughtAmount?: string
    readonly refundedAmount?: string
  },
  terms: Terms
): ReadonlyArray<Fact> =>
  !isTrade(terms)
    ? []
    : [
        ...fact("Sold", amountOf(view.soldAmount, terms.sell)),
        ...fact("Bought", amountOf(view.boughtAmount, terms.buy)),
        ...fact("Came back", amountOf(view.refundedAmount, terms.sell))
      ]
