/** Queues what a wallet of the account is to do on its chain, as the step of a proposal that starts. */
import { Effect } from "effect"
import type { Proposal } from "../proposals/proposal.ts"
import * as Step from "../proposals/run-step.ts"
import { Wallets } from "./wallet-store.ts"

/** The wallet that is to act, with its key; that it is gone is a defect. */
export const signing = Effect.fnUntraced(function* (accountId: string, walletId: string) {
  const wallet = yield* (yield* Wallets).find(accountId, walletId)
  if (wallet === undefined) return yield* Effect.die(new Error(`Wallet ${walletId} is gone.`))
  const { id, key } = wallet
  return { id, key }
})

export const queue = Effect.fnUntraced(function* (
  proposal: Proposal,
  purpose: string,
  { walletId, ...act }: Omit<Step.Queued, "wallet"> & { readonly walletId: string }
) {
  const wallet = yield* signing(proposal.accountId, walletId)
  return yield* Step.queue(proposal, purpose, { ...act, wallet })
})
