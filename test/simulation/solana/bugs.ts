/**
 * Mistakes with money on Solana: a mark that nobody looks for, an end that is told too early, a block of a fork that
 * counts, and a node that is believed though it is behind.
 */
import { Context, Effect, Layer } from "effect"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { type Simulation, SolanaRelay, type TransactionStatus } from "../../../core/solana/relay.ts"
import { type Bug, over } from "../bugs/bug.ts"
import { noDedupe } from "../bugs/payments.ts"
import { stateBehind } from "./nodes.ts"

const relaying = (
  name: string,
  change: (relay: SolanaRelay["Service"]) => Partial<SolanaRelay["Service"]>
): Bug => ({
  name,
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        SolanaRelay,
        Effect.map(SolanaRelay, (relay) => ({ ...relay, ...change(relay) }))
      )
    )
})

/** What was paid is made anew, and the chain refuses the second one, as it has the mark. */
export const markNotLookedFor: Bug = {
  name: "no mark is looked for before a rebuild",
  plant: (wired, world) => {
    const rebuilt = new Set<string>()
    const planted = relaying("", (relay) => ({
      findPayment: () => Effect.succeed(undefined),
      simulate: (transfer) =>
        Effect.map(
          relay.simulate(transfer),
          (tried): Simulation =>
            tried._tag === "marked" ? { _tag: "ok", units: 15_000, opensAccount: false } : tried
        ),
      trace: (transfer, attempts) =>
        Effect.map(relay.trace(transfer, attempts), (trace): TransactionStatus => {
          if (trace._tag !== "marked") return trace
          const isFirst = !rebuilt.has(transfer.identity)
          rebuilt.add(transfer.identity)
          if (isFirst) return { _tag: "dead" }
          const { isFinal, txId } = trace.found
          const reason = "An account of the transaction is in use."
          return { _tag: "failed", txId, reason, isPassing: false, isFinal }
        })
    }))
    return planted.plant(wired, world)
  }
}

export const givenUpEarly = relaying("given up before its block is dead", (relay) => ({
  trace: (transfer, attempts) =>
    Effect.map(relay.trace(transfer, attempts), (trace): TransactionStatus => {
      const newest = attempts.at(-1)
      return trace._tag === "pending" && newest !== undefined
        ? {
            _tag: "failed",
            txId: newest.txId,
            reason: "It was not seen.",
            isPassing: false,
            isFinal: true
          }
        : trace
    })
}))

/** Any block is taken for a final one. */
export const finalAtOnce = relaying("a send is final with its first block", (relay) => ({
  findPayment: (payment) =>
    Effect.map(relay.findPayment(payment), (found) =>
      found === undefined ? undefined : { ...found, isFinal: true }
    ),
  trace: (transfer, attempts) =>
    Effect.map(
      relay.trace(transfer, attempts),
      (trace): TransactionStatus =>
        trace._tag === "marked" ? { ...trace, found: { ...trace.found, isFinal: true } } : trace
    )
}))

/** Every third look is answered by a node that lacks the newest blocks, and nobody asks how far it has come. */
export const laggingTrusted: Bug = {
  name: "a lagging node's answer is trusted",
  plant: (wired, { chain }) => {
    let looks = 0
    const state = stateBehind({ chain, blocksBehind: () => 2 })
    return over(
      wired,
      Layer.effect(
        Chains,
        Effect.gen(function* () {
          const chains = yield* Chains
          const behind = Context.get(yield* Layer.build(MemoryChains.layer(state)), Chains)
          return {
            ...chains,
            look: (chainId, from) =>
              Effect.suspend(() => (looks++ % 3 === 2 ? behind : chains).look(chainId, from))
          }
        })
      )
    )
  }
}

export const forkedDepositCounts: Bug = {
  name: "a deposit of a block that a fork dropped counts",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Transfers,
        Effect.map(Transfers, (transfers) => ({
          ...transfers,
          markReorged: () => Effect.succeed([])
        }))
      )
    )
}

export const bugsOnSolana: ReadonlyArray<Bug> = [
  markNotLookedFor,
  givenUpEarly,
  finalAtOnce,
  laggingTrusted,
  { ...noDedupe, name: "no dedupe of deposits on Solana" },
  forkedDepositCounts
]
