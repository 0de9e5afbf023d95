/**
 * What was between two chains at both ends of a period. Both ends of each bridge are asked of the chains, by the
 * transactions that the records know: what has left before a block and is not there at that block is in transit.
 */
import { DateTime, Effect, Schema } from "effect"
import { TransactionId } from "../chains/address.ts"
import { TokenHistory } from "../ports/token-history.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import type { Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Wait } from "../waits/wait.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { readBridge, sellTokenOf } from "./explain.ts"
import { type ChainEnds, type InTransit, type Period, transitKey } from "./statement.ts"

/** A bridge is confirmed within days, and on its way for minutes; one that goes on for longer is executing. */
const soughtDays = 40
const perPage = 100

/** Bridges that may have been under way at either end. */
const sought = Effect.fnUntraced(function* (accountId: string, { from, to }: Period) {
  const { list } = yield* Proposals
  const since = DateTime.subtract(from, { days: soughtDays })
  const found = new Map<string, Proposal>()
  for (const filter of [{ kind: "bridge" }, { kind: "bridge", status: "executing" }] as const) {
    let request: Parameters<typeof list>[2] | undefined = { limit: perPage }
    while (request !== undefined) {
      const page: Effect.Success<ReturnType<typeof list>> = yield* list(accountId, filter, request)
      const isDone =
        !("status" in filter) &&
        page.rows.some(({ createdAt }) => DateTime.isLessThan(createdAt, since))
      for (const each of page.rows) {
        if (DateTime.isLessThan(each.createdAt, to)) found.set(each.id, each)
      }
      request = page.next === undefined || isDone ? undefined : { limit: perPage, after: page.next }
    }
  }
  return [...found.values()]
})

const Departed = Schema.Struct({ departed: TransactionId })

/** The transaction by which it left, if it did. */
const departureOf = (
  submissions: ReadonlyArray<Submission>,
  waits: ReadonlyArray<Wait>
): string | undefined => {
  const told = waits
    .flatMap(({ journal, terms }) => [journal, terms])
    .find((each) => Schema.is(Departed)(each))
  if (told !== undefined) return String(told.departed)
  const own = submissions.find(
    ({ purpose, status }) => purpose.name === "bridge_departure" && status === "final"
  )
  return own?.txIds.at(-1)
}

/** The transaction by which it arrived or came back, and on which side. */
const arrivalOf = (waits: ReadonlyArray<Wait>) => {
  const done = waits.find(
    ({ ended, watch }) =>
      ended?.isDone === true &&
      (watch === "bridge_arrival" || watch === "bridge_fulfilment" || watch === "bridge_refund")
  )
  const evidence = done?.ended?.evidence
  return evidence?.type === "transaction" && done !== undefined
    ? { txHash: evidence.id, chainId: done.chainId }
    : undefined
}

/** Whether a transaction stands in a block up to the end of the period's opening, and of its closing. */
const reached = Effect.fnUntraced(function* (
  ends: ReadonlyArray<ChainEnds>,
  chainId: string,
  txHash: string | undefined
) {
  const end = ends.find((each) => each.chainId === chainId)
  if (txHash === undefined || end === undefined) return { opening: false, closing: false }
  const place = yield* (yield* TokenHistory).placeOf(chainId, TransactionId.make(txHash))
  if (place === undefined) return { opening: false, closing: false }
  return { opening: place <= end.opening.number, closing: place <= end.closing.number }
})

export const between = Effect.fnUntraced(function* (
  accountId: string,
  period: Period,
  ends: ReadonlyArray<ChainEnds>
) {
  const bridges = yield* sought(accountId, period)
  const ids = bridges.map(({ id }) => id)
  const submissions = ids.length === 0 ? [] : yield* (yield* SubmissionStore).ofProposals(ids)
  const waits = ids.length === 0 ? [] : yield* (yield* WaitStore).ofProposals(ids)
  const sums = new Map<string, InTransit>()
  for (const { id, terms } of bridges) {
    const approved = readBridge(terms)
    const own = submissions.filter(({ purpose }) => purpose.proposalId === id)
    const waited = waits.filter(({ proposalId }) => proposalId === id)
    const left = yield* reached(ends, approved.sell.chainId, departureOf(own, waited))
    if (!left.closing) continue
    const arrival = arrivalOf(waited)
    const there =
      arrival === undefined
        ? { opening: false, closing: false }
        : yield* reached(ends, arrival.chainId, arrival.txHash)
    const token = sellTokenOf(approved)
    const key = transitKey(approved.protocol, token.symbol)
    const { closingUnits, openingUnits } = sums.get(key) ?? { openingUnits: 0n, closingUnits: 0n }
    sums.set(key, {
      protocol: approved.protocol,
      token,
      openingUnits: openingUnits + (left.opening && !there.opening ? approved.sellAmount : 0n),
      closingUnits: closingUnits + (left.closing && !there.closing ? approved.sellAmount : 0n)
    })
  }
  return [...sums.values()]
})
