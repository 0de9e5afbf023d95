/**
 * A swap on its way to a signature: the venue's way becomes a message of ours, the message is checked against what the
 * chain has, and tried there. The check is the guard; the trial is only a second look.
 */
import { Effect } from "effect"
import type { Address } from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Bid, Conditions, SwapTrial } from "../../core/solana/relay.ts"
import type { Route, Swap } from "../../core/solana/swap.ts"
import { accountOf, tokenIn } from "./account.ts"
import { askEach, at } from "./ask.ts"
import { failureOf } from "./failure.ts"
import * as LookupTable from "./lookup-table.ts"
import { triedUnits, withRoom } from "./network.ts"
import { accounts, maxAccounts, type Node, unavailable } from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import * as Check from "./swap-check.ts"
import { compile, ownInstructions, placesOf, type SwapDraft } from "./swap-message.ts"
import { type Compiled, wireOf } from "./transaction.ts"

/** The most that the network takes in one piece. */
const packetBytes = 1232

export const tooLittle = "The wallet holds too little of what is sold."
const tooLarge = "The venue's route does not fit into one transaction."
const notTheirs = "The receiver's token account belongs to somebody else."

export interface Asked {
  readonly swap: Swap
  readonly route: Route
  readonly relayer: Address
  readonly conditions: Conditions
}

type Judged =
  | { readonly _tag: "fits"; readonly draft: SwapDraft; readonly compiled: Compiled }
  | { readonly _tag: "refused"; readonly violation: string }

const compiledOf = (draft: SwapDraft, tables: LookupTable.Tables) =>
  Effect.try({ try: () => compile(draft, tables), catch: () => undefined }).pipe(
    Effect.catch(() => Effect.undefined)
  )

/** The message for a bid, if it is the swap and nothing else. */
export const judged = (
  node: Node,
  { conditions, relayer, route, swap }: Asked,
  bid: Bid
): Effect.Effect<Judged, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const refused = (violation: string): Judged => ({ _tag: "refused", violation })
    const places = yield* placesOf(swap)
    const draft: SwapDraft = { swap, places, route, relayer, bid, conditions }
    const tables = yield* LookupTable.read(node, route.tables)
    const compiled = yield* compiledOf(draft, tables)
    if (compiled === undefined) return refused("the route is no instruction")
    const decoded = Check.decode(Uint8Array.from(compiled.messageBytes), tables)
    if (decoded === undefined) return refused("the message cannot be read")
    const changed = Check.changedBy(decoded)
    if (changed.length > maxAccounts) return refused("it would change too many accounts")
    const held = yield* accounts(node, changed, { commitment: "confirmed" })
    const known = new Map(changed.map((address, place) => [address, held.accounts[place]]))
    const violation = Check.violation(decoded, draft, known)
    return violation === undefined ? { _tag: "fits", draft, compiled } : refused(violation)
  })

const unitsIn = (account: unknown): bigint => {
  const told = at(account, "data", 0)
  const owner = at(account, "owner")
  if (typeof told !== "string" || typeof owner !== "string") return 0n
  const held = accountOf({ owner, lamports: 0, executable: false, data: [told, "base64"] })
  return (held === undefined ? undefined : tokenIn(held))?.amount ?? 0n
}

/** Tries the message on the newest state of every node that is asked, and looks at both balances after it. */
const tried = Effect.fnUntraced(function* (
  node: Node,
  { draft, compiled }: Extract<Judged, { readonly _tag: "fits" }>,
  before: { readonly source: bigint; readonly destination: bigint }
): Effect.fn.Return<SwapTrial, ChainUnavailable | RpcFailed> {
  const { bid, places, swap } = draft
  const { destination, source } = places
  const config = {
    commitment: "confirmed",
    encoding: "base64",
    sigVerify: false,
    replaceRecentBlockhash: true,
    accounts: { encoding: "base64", addresses: [source, destination] }
  }
  const answers = yield* askEach(node, {
    method: "simulateTransaction",
    params: [wireOf(compiled), config]
  })
  const parts = [...ownInstructions(draft).map(({ part }) => part), "route" as const]
  for (const answer of answers) {
    const error = at(answer, "value", "err") ?? null
    if (error !== null) {
      const failure = failureOf(error, parts)
      switch (failure._tag) {
        case "marked":
          return { _tag: "marked" }
        case "relayer":
          return yield* unavailable(node, "inconsistent", `a trial failed: ${failure.detail}`)
        default:
          return {
            _tag: "would_fail",
            reason: failure.reason,
            isPassing: failure._tag === "passing"
          }
      }
    }
    const after = (place: number) => unitsIn(at(answer, "value", "accounts", place))
    if (before.source - after(0) > swap.amount.units) {
      return { _tag: "refused", violation: "more was sold when it was tried" }
    }
    if (after(1) - before.destination < swap.minBuyAmount) {
      return { _tag: "refused", violation: "less was bought when it was tried" }
    }
  }
  const units = Math.max(...answers.map((each) => Number(at(each, "value", "unitsConsumed"))))
  return { _tag: "would_swap", units: withRoom(units), opensAccount: bid.opensAccount }
})

export const trial = (
  node: Node,
  asked: Asked
): Effect.Effect<SwapTrial, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const { swap } = asked
    const failing = (reason: string, isPassing = false): SwapTrial => ({
      _tag: "would_fail",
      reason,
      isPassing
    })
    const { destination, source } = yield* placesOf(swap)
    const held = yield* accounts(node, [source, destination], { commitment: "confirmed" })
    const [selling, buying] = held.accounts.map((account) =>
      account === undefined ? undefined : tokenIn(account)
    )
    if (selling === undefined || selling.amount < swap.amount.units) return failing(tooLittle)
    if (buying !== undefined && buying.owner !== swap.to) return failing(notTheirs)
    const bid = { units: triedUnits, priority: 0n, opensAccount: buying === undefined }
    const fit = yield* judged(node, asked, bid)
    if (fit._tag === "refused") return fit
    if (Buffer.from(wireOf(fit.compiled), "base64").length > packetBytes) {
      return failing(tooLarge, true)
    }
    const before = { source: selling.amount, destination: buying?.amount ?? 0n }
    return yield* tried(node, fit, before)
  })
