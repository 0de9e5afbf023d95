/**
 * Terms of a proposal that have no place of their own on its page, in words. One that is not known here stands there by
 * the name it was hashed under, so that nothing is signed unseen.
 */
import { Predicate } from "effect"
import * as Decimal from "../../../core/money/decimal.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { usdc } from "./parts/cells.ts"
import { separated } from "./parts/separated.ts"

type Terms = Proposal["terms"]

/** What is paid or allowed, in its own token; USDC where the terms name none. Undefined for terms of no amount. */
export const amountIn = (terms: Terms): string | undefined => {
  const { amountSmallestUnit: units, decimals, symbol } = terms
  if (typeof units !== "string") return undefined
  if (decimals === undefined && symbol === undefined) return usdc(units).text
  return typeof decimals === "number"
    ? `${separated(Decimal.format({ units: BigInt(units), places: decimals }, Math.min(2, decimals)))} ${text(symbol)}`
    : `${units} of the smallest unit of ${text(symbol)}`
}

/** What `Facts` shows, without the page that it is shown on. */
interface Fact {
  readonly name: string
  readonly text: string
  readonly code?: boolean
  readonly href?: string
  readonly tone?: "bad"
}

type Told = (value: unknown) => Fact

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const byName =
  (name: string): Told =>
  (value) => ({ name, text: text(value) })

const pageOf =
  (name: string, path: string): Told =>
  (value) => ({ name, text: text(value), code: true, href: `${path}/${text(value)}` })

/** What the money that goes back counted for when the refund was proposed. */
const creditFact: Told = (value) => {
  const name = "The money counted for"
  if (!Predicate.isObject(value)) return { name, text: text(value) }
  const { paymentRequestId, paymentRequestStatus, resolution, ...others } = value as Readonly<
    Record<string, unknown>
  >
  if (Object.keys(others).length > 0) return { name, text: text(value) }
  const request =
    typeof paymentRequestId === "string"
      ? `the payment request ${paymentRequestId}, which is ${text(paymentRequestStatus).replaceAll("_", " ")}`
      : "no payment request"
  return { name, text: resolution === null ? request : `${request}; decided: ${text(resolution)}` }
}

const tags: Told = (value) => ({
  name: "Tags",
  text: Predicate.isObject(value)
    ? Object.entries(value)
        .map(([key, tag]) => `${key}=${text(tag)}`)
        .join(", ") || "none"
    : text(value)
})

const facts: Readonly<Record<string, Told>> = {
  paymentRequestId: pageOf("Pays back the payment request", "/console/payments"),
  depositId: pageOf("Pays back the deposit", "/console/deposits"),
  isToPayer: (value) =>
    value === true
      ? { name: "Goes to", text: "the address that paid" }
      : { name: "Goes to", text: "an address that did not pay all of it", tone: "bad" },
  countedFor: creditFact,
  label: byName("Name"),
  walletName: byName("Name"),
  nickname: byName("New name"),
  own: (value) => ({
    name: "Whose",
    text: value === true ? "an address of this account's own" : "somebody else's address"
  }),
  note: byName("Note"),
  metadata: tags,
  challengeId: byName("Challenge the funding wallet signed"),
  tokenAddress: (value) => ({ name: "Contract of the token", text: text(value), code: true }),
  flow: (value) => ({
    name: "For",
    text: value === "intent_swap" ? "swaps" : text(value).replaceAll("_", " ")
  }),
  worthMicroUsd: (value) => ({
    name: "Worth",
    text: `$${separated(Decimal.format({ units: BigInt(text(value)), places: 6 }))}`
  }),
  approvedBy: (value) => ({
    name: "Allowed by",
    text: value === "permit" ? "a signature (permit)" : "a transaction of the wallet"
  }),
  byWayOfZero: (value) => ({
    name: "What was allowed before",
    text: value === true ? "is taken back first" : "is replaced at once"
  }),
  maxCoin: (value) => ({
    name: "Coin lent for it at most, in smallest units",
    text: Predicate.isObject(value)
      ? Object.entries(value)
          .map(([step, units]) => `${step} ${text(units)}`)
          .join(", ")
      : text(value)
  })
}

/** Terms that have a place of their own, or that are ids of what has one. */
export const placedTerms: ReadonlySet<string> = new Set([
  "amountSmallestUnit",
  "symbol",
  "decimals",
  "toAddress",
  "fromAddress",
  "address",
  "spender",
  "chainId",
  "memo",
  "onChainMemo",
  "requiredMemo",
  "recipientId",
  "fromWalletId",
  "accountId",
  "walletId"
])

/** Whether a term is told in words here. */
export const isTold = (name: string): boolean => Object.hasOwn(facts, name)

/** A term as its page tells it. */
export const otherTerm = (name: string, value: unknown): Fact =>
  isTold(name) ? (facts[name] as Told)(value) : { name, text: text(value) }
