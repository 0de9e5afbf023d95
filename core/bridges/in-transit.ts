/**
 * What has left a wallet on one chain and is in no wallet yet: it still belongs to the account, and is counted while
 * neither chain's balance has it.
 */
import { Effect } from "effect"
import * as Usd from "../money/usd.ts"
import type { Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Wait } from "../waits/wait.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { underWay } from "./stuck.ts"

const hasLeft = (submissions: ReadonlyArray<Submission>, waits: ReadonlyArray<Wait>): boolean =>
  submissions.some(
    ({ purpose, status }) =>
      purpose.name === "bridge_departure" && (status === "seen" || status === "final")
  ) || waits.some(({ journal }) => journal.departed !== undefined)

/** A balance has it as soon as a block has it, which is before it is final. */
const isThere = (waits: ReadonlyArray<Wait>): boolean =>
  waits.some(({ journal }) => journal.isThere === true)

/** In USD, at what it was worth when it was proposed. */
export const inTransit = Effect.fnUntraced(function* (accountId: string) {
  const bridges = yield* underWay(accountId)
  if (bridges.length === 0) return Usd.zero
  const ids = bridges.map(({ proposalId }) => proposalId)
  const submissions = yield* (yield* SubmissionStore).ofProposals(ids)
  const waits = yield* (yield* WaitStore).ofProposals(ids)
  const worths = bridges.flatMap(({ approved, proposalId }) => {
    const acts = submissions.filter(({ purpose }) => purpose.proposalId === proposalId)
    const waited = waits.filter((wait) => wait.proposalId === proposalId)
    if (!hasLeft(acts, waited) || isThere(waited)) return []
    return [Usd.parse(approved.worthUsd) ?? Usd.zero]
  })
  return Usd.sum(worths)
})
