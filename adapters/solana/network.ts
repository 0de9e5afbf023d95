/** What is asked of the network around a send: its conditions, a trial, and handing a transaction over. */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Conditions, Simulation } from "../../core/solana/relay.ts"
import { ask, at } from "./ask.ts"
import { failureOf, tooLittle } from "./failure.ts"
import * as Mark from "./mark.ts"
import { compile, type Draft, instructions } from "./message.ts"
import { type Node, unavailable } from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import { wireOf } from "./transaction.ts"

/** A tenth of a cent for a usual send at two hundred dollars a SOL. */
export const defaultMaxPriority = 100_000n
const tokenAccountBytes = 165

/** What three of four transactions of the last blocks bid, at most. */
const priorityOf = (recent: unknown): bigint => {
  const fees = (Array.isArray(recent) ? recent : [])
    .map((entry: unknown) => Number(at(entry, "prioritizationFee")))
    .filter(Number.isSafeInteger)
    .toSorted((one, other) => one - other)
  return BigInt(fees[Math.floor((fees.length * 3) / 4)] ?? 0)
}

const lamportsOf = (answer: unknown): bigint => BigInt(Number(answer))

export const conditions = Effect.fnUntraced(function* (node: Node, relayer: string) {
  const confirmed = { commitment: "confirmed" }
  const [latest, balance, mark, account, recent] = yield* ask(node, [
    { method: "getLatestBlockhash", params: [confirmed] },
    { method: "getBalance", params: [relayer, confirmed] },
    { method: "getMinimumBalanceForRentExemption", params: [Mark.markBytes] },
    { method: "getMinimumBalanceForRentExemption", params: [tokenAccountBytes] },
    { method: "getRecentPrioritizationFees", params: [[node.connection.usdc]] }
  ])
  const told: Conditions = {
    blockhash: String(at(latest, "value", "blockhash")),
    lastValidBlockHeight: lamportsOf(at(latest, "value", "lastValidBlockHeight")),
    relayerLamports: lamportsOf(at(balance, "value")),
    markLamports: lamportsOf(mark),
    accountLamports: lamportsOf(account),
    priority: priorityOf(recent),
    maxPriority: node.connection.maxPriority ?? defaultMaxPriority
  }
  return told
})

/** Programs change, and a payee's account may be opened meanwhile: a quarter more than was used. */
export const withRoom = (units: number): number => Math.ceil((units * 5) / 4) + 5000
export const triedUnits = 400_000

const isThere = (account: unknown): boolean => (account ?? null) !== null

/** Tries a payment on the newest state the node has. */
export const simulate = (
  node: Node,
  draft: Omit<Draft, "bid">
): Effect.Effect<Simulation, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const { destination, source } = draft.places
    const asked = { commitment: "confirmed", encoding: "base64" }
    const [accounts] = yield* ask(node, [
      { method: "getMultipleAccounts", params: [[source, destination], asked] }
    ])
    if (!isThere(at(accounts, "value", 0))) {
      return { _tag: "would_fail", reason: tooLittle } as const
    }
    const opensAccount = !isThere(at(accounts, "value", 1))
    const trial: Draft = { ...draft, bid: { units: triedUnits, priority: 0n, opensAccount } }
    const config = { ...asked, sigVerify: false, replaceRecentBlockhash: true }
    const [answer] = yield* ask(node, [
      { method: "simulateTransaction", params: [wireOf(compile(trial)), config] }
    ])
    const error = at(answer, "value", "err") ?? null
    if (error === null) {
      const units = withRoom(Number(at(answer, "value", "unitsConsumed")))
      return { _tag: "ok", units, opensAccount } as const
    }
    const failure = failureOf(
      error,
      instructions(trial).map(({ part }) => part)
    )
    if (failure._tag === "marked") return { _tag: "marked" } as const
    if (failure._tag !== "relayer") return { _tag: "would_fail", reason: failure.reason } as const
    return yield* unavailable(node, "inconsistent", `a trial failed: ${failure.detail}`)
  })

/** The node tries nothing itself: what it would find is found by looking. */
export const broadcast = (node: Node, wire: string) =>
  Effect.asVoid(
    ask(node, [
      {
        method: "sendTransaction",
        params: [wire, { encoding: "base64", skipPreflight: true, maxRetries: 0 }]
      }
    ])
  )
