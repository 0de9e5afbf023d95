/** How values are written in cells: amounts with separators, states with a tone, ids as links. */
import { transactionUrl } from "../../../../core/chains/chain.ts"
import * as Usdc from "../../../../core/money/usdc.ts"
import { grouped } from "../../checkout/shown.ts"
import { shortened } from "./names.ts"
import { separated } from "./separated.ts"
import type { Cell } from "./table.tsx"

/** Millionths of a USDC, as `1,250.50 USDC`. */
export const usdc = (smallestUnit: string): Cell => ({
  text: `${grouped(Usdc.make(BigInt(smallestUnit)))} USDC`,
  isAmount: true
})

export const usd = (decimal: string | null): Cell => ({
  text: decimal === null ? "" : `$${separated(decimal)}`,
  isAmount: true
})

/** To the cent, cut and not rounded; a file has all digits. */
export const usdToCent = (decimal: string | null): Cell => {
  const { text: whole, ...cell } = usd(decimal)
  return { ...cell, text: whole.replace(/(\.\d\d)\d+$/u, "$1"), whole }
}

export const time = (at: string | null): Cell => ({ text: at ?? "", isTime: true })

export const code = (text: string | null): Cell => ({ text: text ?? "", code: true })

/** A transaction; it leads to its page where its chain has an explorer. */
export const transaction = (chainId: string, txHash: string | null): Cell => {
  const href = txHash === null ? null : transactionUrl(chainId, txHash)
  return href === null ? code(txHash) : { ...code(txHash), href }
}

const good = new Set([
  "paid",
  "completed",
  "approved",
  "delivered",
  "active",
  "applied",
  "done",
  "succeeded"
])
const bad = new Set(["failed", "rejected", "failing", "gone", "revoked", "disabled"])
const wait = new Set([
  "pending",
  "pending_confirm",
  "requires_action",
  "executing",
  "processing",
  "partially_paid",
  "retrying"
])

/** `requires_action` as "requires action", in the colour of what it means. */
export const state = (status: string): Cell => ({
  text: status.replaceAll("_", " "),
  ...(good.has(status) ? { tone: "good" } : {}),
  ...(bad.has(status) ? { tone: "bad" } : {}),
  ...(wait.has(status) ? { tone: "wait" } : {})
})

/** A link to the page of a thing; its id in short, unless it has another name. */
export const link = (href: string, text: string, isCode = false): Cell => ({
  href,
  text: isCode ? shortened(text) : text,
  whole: text,
  code: isCode
})
