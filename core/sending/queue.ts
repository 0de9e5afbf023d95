/** Queues what a wallet is to sign, in the transaction that starts it; a worker hears of it after the commit. */
import { DateTime, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import type { Proposal } from "../proposals/proposal.ts"
import type { Execution } from "../submissions/execution.ts"
import { Executions } from "../submissions/execution-store.ts"
import { Wallets } from "../wallets/wallet-store.ts"

export type Queued = Pick<Execution, "walletId" | "chainId" | "act" | "from" | "to" | "amountMicro">

/** Where that leaves the proposal. */
export const queue = Effect.fnUntraced(function* (proposal: Proposal, wanted: Queued) {
  const wallet = yield* (yield* Wallets).find(proposal.accountId, wanted.walletId)
  if (wallet === undefined)
    return yield* Effect.die(new Error(`Wallet ${wanted.walletId} is gone.`))
  const now = yield* DateTime.now
  yield* (yield* Executions).queue({
    ...wanted,
    proposalId: proposal.id,
    accountId: proposal.accountId,
    key: wallet.key,
    step: "queued",
    authorization: null,
    relayer: null,
    relayerNonce: null,
    carriers: [],
    nextLookAt: now,
    createdAt: now,
    updatedAt: now
  })
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("executions"))
  return { status: "executing" as const, subStatus: "queued" as const }
})
