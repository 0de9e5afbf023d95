/**
 * What a proposal that waits does to the balance of the wallet that it pays or sells from. The chain is asked for a
 * moment at most: while it does not answer, the page stands and says that the balance is not known.
 */
import { Effect, Predicate } from "effect"
import { isSame } from "../../../core/chains/address.ts"
import * as Decimal from "../../../core/money/decimal.ts"
import { Chains } from "../../../core/ports/chains.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import type { Calls } from "../../../core/treasury/treasury.ts"
import type { Output } from "./parts/list.ts"
import { separated } from "./parts/separated.ts"
import type { View } from "./proposal-words.ts"

type Terms = Proposal["terms"]
type Held = Output<"get_holdings">

/** How long the page waits for the chain. */
const patience = "1 second"

interface Leaving {
  readonly units: bigint
  readonly chainId: string
  readonly tokenAddress: string
  readonly symbol: string
  readonly decimals: number
}

/** What leaves the wallet; undefined for what takes nothing from it. */
const leavingBy = Effect.fnUntraced(function* (kind: View["kind"], terms: Terms) {
  const { amountSmallestUnit, chainId, sell, sellAmount } = terms
  if ((kind === "send" || kind === "refund") && typeof amountSmallestUnit === "string") {
    const on = (yield* Chains).connected.find(({ chain }) => chain.id === chainId)
    if (on === undefined) return undefined
    const usdc = { chainId: on.chain.id, tokenAddress: on.usdc, symbol: "USDC", decimals: 6 }
    return { ...usdc, units: BigInt(amountSmallestUnit) } satisfies Leaving
  }
  if (typeof sellAmount !== "string" || !Predicate.isObject(sell)) return undefined
  // As every trade hashes what it sells.
  const token = sell as unknown as Omit<Leaving, "units">
  return { ...token, units: BigInt(sellAmount) } satisfies Leaving
})

/** Found by its contract: anybody may give a token any symbol. */
const heldOf = ({ holdings, stale }: Held, { chainId, tokenAddress }: Leaving) => {
  const found = holdings.find(
    (each) => each.tokenAddress !== null && isSame(chainId, each.tokenAddress, tokenAddress)
  )
  if (found !== undefined) return BigInt(found.balance)
  // What is not held is not listed, but neither is what could not be read.
  return stale ? undefined : 0n
}

/** What the wallet holds now and what is left of it after; nothing where nothing leaves it, or no longer waits. */
export const balanceFacts = Effect.fnUntraced(function* (
  { kind, status }: Pick<View, "kind" | "status">,
  terms: Terms,
  wallet: { readonly id: string; readonly name: string } | undefined,
  calls: Pick<Calls, "get_holdings">
) {
  if (status !== "pending_confirm" && status !== "requires_action") return []
  const leaving = yield* leavingBy(kind, terms)
  if (leaving === undefined || wallet === undefined) return []
  const held = yield* calls.get_holdings({ walletId: wallet.id, limit: 100 }).pipe(
    Effect.map((read) => heldOf(read, leaving)),
    Effect.timeout(patience),
    Effect.catch(() => Effect.undefined)
  )
  const name = `Balance of ${wallet.name}`
  if (held === undefined) {
    return [{ name, text: "not known now, as its chain has not answered" }]
  }
  const { decimals, symbol, units } = leaving
  const written = (amount: bigint) =>
    `${separated(Decimal.format({ units: amount, places: decimals }, Math.min(2, decimals)))} ${symbol}`
  if (held >= units) return [{ name, text: `${written(held)} now, ${written(held - units)} after` }]
  const text = `${written(held)} now: ${written(units - held)} too little for this`
  return [{ name, text, tone: "bad" as const }]
})
