/**
 * What is asked right before a wallet lets money go, and after it failed to: whether it left already, whether its time
 * is over, and whether both ends let it pass. Nothing is signed a second time while the chain has something under its identity.
 */
import { DateTime, Effect } from "effect"
import { Proposals } from "../proposals/proposal-store.ts"
import { whyClosed } from "../sales/closed-day.ts"
import { Sales } from "../sales/sale-store.ts"
import type { Admission } from "../submissions/purposes.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Wait } from "../waits/wait.ts"
import { alone, type Look } from "../waits/watches.ts"
import { journeyOf, read } from "./read-journey.ts"
import { tooLate } from "./steps.ts"
import { isTooLate } from "./terms.ts"

const closedMs = 15_000
const finalityMs = 3_000

const stopped = "It was cancelled before anything had left."

/** Why nothing that is not signed yet is to leave any more: its time is over, or somebody asked it to stop. */
const whyOver = Effect.fnUntraced(function* (accountId: string, proposalId: string) {
  const proposal = yield* (yield* Proposals).find(accountId, proposalId)
  if ((proposal?.stopAskedAt ?? null) !== null) return stopped
  const { approved } = yield* read(accountId, proposalId)
  return isTooLate(approved, yield* DateTime.now) ? tooLate : undefined
})

const start = Effect.fnUntraced(function* (accountId: string, proposalId: string) {
  const reading = yield* read(accountId, proposalId)
  return yield* reading.bridge.start(yield* journeyOf(reading, proposalId))
})

/** It has left, finally: the wallet holds nothing of it any more. Told as often as it is seen. */
export const hasLeft = (proposalId: string) => Sales.use(({ settle }) => settle(proposalId))

const leftBefore =
  "It left before by a transaction that these records did not know; it is followed."
const unreachable = "One of the two chains does not answer."

/** Asked before the permit is signed: it serves nothing but a departure that may still be made. */
export const admitPermit = Effect.fnUntraced(function* ({ purpose, status }: Submission) {
  const { accountId, proposalId = "" } = purpose
  const over = status === "prepared" ? yield* whyOver(accountId ?? "", proposalId) : undefined
  const reason = over ?? (yield* whyClosed(proposalId))
  return (reason === undefined
    ? { _tag: "go" }
    : { _tag: "fail", reason }) satisfies Admission as Admission
})

/** Asked before the departure is signed. A chain that does not answer keeps it waiting. */
export const admitDeparture = Effect.fnUntraced(function* ({ purpose, status }: Submission) {
  const go: Admission = { _tag: "go" }
  const { accountId, proposalId = "" } = purpose
  const closed = yield* whyClosed(proposalId)
  if (status !== "prepared" && closed === undefined) return go
  const asked = yield* Effect.option(start(accountId ?? "", proposalId))
  const wait = (reason: string): Admission => ({ _tag: "wait", reason, waitMs: closedMs })
  if (asked._tag === "None") return wait(unreachable)
  const found = asked.value
  const reason = (yield* whyOver(accountId ?? "", proposalId)) ?? closed
  const refused: Admission | undefined = reason === undefined ? undefined : { _tag: "fail", reason }
  switch (found._tag) {
    case "open":
      return refused ?? go
    case "closed":
      return refused ?? wait(found.reason)
    case "left":
    case "taken":
      return { _tag: "fail", reason: leftBefore } satisfies Admission as Admission
  }
})

/** Its submission failed: nothing of it can leave any more, unless the chain has it. */
const look = Effect.fnUntraced(function* (wait: Wait) {
  const found = yield* start(wait.accountId, wait.proposalId)
  if (found._tag === "left") {
    if (!found.isFinal) return { nextLookMs: finalityMs } satisfies Look as Look
    yield* hasLeft(wait.proposalId)
    const evidence = { type: "transaction", id: found.txId } as const
    return {
      journal: { departed: found.txId },
      ended: { isDone: true, evidence },
      nextLookMs: 0
    } satisfies Look
  }
  return { ended: { isDone: false, evidence: null }, nextLookMs: 0 } satisfies Look as Look
})

export const departure = alone(look)
