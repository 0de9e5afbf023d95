/**
 * The operation that proposes a swap where the wallet's own transaction swaps. It is proposed as any swap is; the way it
 * is sold is found when it is signed.
 */
import { Effect } from "effect"
import { Id } from "../encoding/id.ts"
import * as Proposal from "../proposals/operation.ts"
import * as Bind from "../quotes/bind.ts"
import { ready } from "../submissions/submitter.ts"
import { prepare, previewQuoteId, refusals, resolve } from "./propose-swap.ts"
import { solanaSwap } from "./solana-swap.ts"
import * as Subject from "./subject.ts"

/** As any swap is prepared, while it is not known that nothing can be submitted. */
const submittable = Effect.fnUntraced(function* (input: Parameters<typeof prepare>[0]) {
  const { from } = yield* Subject.find(input)
  yield* ready(from.chainId, from.accountId)
  return yield* prepare(input)
})

export const proposeSolanaSwap = Proposal.operation("propose_solana_swap", solanaSwap, {
  summary:
    "Proposes to swap one token for another on Solana by a transaction of the wallet's own. Nothing moves yet.",
  next: "confirm_proposal with the returned proposalId starts it; get_proposal then shows what was sold and bought.",
  input: {
    ...Subject.fields,
    ...Subject.mints,
    toWalletId: Id("The wallet that receives; it may be the selling one."),
    previewQuoteId
  },
  refusals,
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      toWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      sellSymbol: "USDC",
      sellMint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      buySymbol: "WSOL",
      buyMint: "So11111111111111111111111111111111111111112",
      amountUsd: "25.00",
      slippagePercent: 0.5
    }
  },
  asks: () => Effect.undefined,
  prepare: submittable,
  resolve,
  stored: (proposal, { chosen }) => Bind.bind(chosen, proposal.id)
})
