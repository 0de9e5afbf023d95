/** Queues what a wallet of the account is to do on its chain, as the step of a proposal that starts. */
import { Effect } from "effect"
import type { Proposal } from "../proposals/proposal.ts"
import * as Step from "../proposals/run-step.ts"
import { Wallets } from "./wallet-store.ts"

export const queue = Effect.fnUntraced(function* (
  proposal: Proposal,
  purpose: string,
  { walletId, ...act }: Omit<Step.Queued, "wallet"> & { readonly walletId: string }
) {
  const wallet = yield* (yield* Wallets).find(proposal.accountId, walletId)
  if (wallet === undefined) return yield* Effect.die(new Error(`Wallet ${walletId} is gone.`))
  const { id, key } = wallet
  return yield* Step.queue(proposal, purpose, { ...act, wallet: { id, key } })
})
