/** An execution of three steps pushed forward by hand: turns of both workers, blocks, and whoever attests. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as Prices from "../../adapters/memory/prices.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Caller } from "../../core/operation/caller.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Chains } from "../../core/ports/chains.ts"
import { Holdings } from "../../core/ports/holdings.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import { cancelProposal } from "../../core/proposals/cancel.ts"
import * as CarryWaits from "../../core/proposals/carry-waits.ts"
import { execute } from "../../core/proposals/execute.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { intentOf } from "../../core/proposals/propose.ts"
import { inOrder, underWay } from "../../core/proposals/step.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as AgreedPrices from "../../core/tokens/agreed-price.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Rows from "./rows.ts"
import { PayingWorld } from "./sending-chain.ts"
import * as SendingRows from "./sending-rows.ts"
import { aWallet } from "./signable-orders.ts"
import { Attester, stepped, type Terms } from "./stepped-kind.ts"
import * as Stored from "./stored-rows.ts"
import * as SubmissionQueue from "./submission-queue.ts"
import * as WaitQueue from "./wait-queue.ts"

/** Nothing but USDC has a price, and nobody holds another token. */
export const unpriced = AgreedPrices.layer.pipe(
  Layer.provide([Prices.none, Prices.noSecond]),
  Layer.merge(
    Layer.succeed(Holdings, {
      balances: () => Effect.succeed([]),
      received: () => Effect.succeed([])
    })
  )
)

export const amountMicro = Usdc.make(3_000_000n)

/** Attests what was posted, once it is let; what it was told outlives every process. */
export const attesting = () => {
  const posted: Array<string> = []
  const state = { attests: true }
  const layer = Layer.succeed(Attester, {
    post: (uid) =>
      Effect.sync(() => {
        posted.push(uid)
      }),
    attested: (uid) => Effect.sync(() => (state.attests && posted.includes(uid) ? "12" : undefined))
  })
  return { posted, state, layer }
}

/** A proposal that is confirmed and about to be executed, from a wallet that holds what both payments take. */
export const confirmed = Effect.fnUntraced(function* (over: Partial<Terms> = {}) {
  const { id: accountId } = yield* Stored.account()
  const wallet = yield* aWallet(accountId)
  const { connected } = yield* Chains
  const [chain] = connected
  if (chain === undefined) return assert.fail("no chain is connected")
  yield* (yield* PayingWorld).fund(wallet.address, 2n * amountMicro + 1n)
  const meant: Terms = {
    fromWalletId: wallet.id,
    fromAddress: wallet.address,
    chainId: wallet.chainId,
    token: chain.usdc,
    burnTo: Rows.anAddress(),
    mintTo: Rows.anAddress(),
    amountSmallestUnit: amountMicro,
    reserveMicro: null,
    ...over
  }
  const written = yield* Effect.orDie(
    Schema.encodeUnknownEffect(Schema.toCodecJson(stepped.terms))(meant)
  )
  const draft = SendingRows.aProposal(accountId, {
    kind: "three_steps",
    terms: written as Proposal["terms"]
  })
  const intentHash = (yield* Secrets).sha256(canonical(intentOf(draft)))
  const proposal = yield* Stored.proposal({ ...draft, intentHash })
  return { meant, proposal }
})

const longAfter = 50_000_000
let turns = 0

/** One turn of the worker of submissions; leases that were left behind have run out each time. */
export const submitting = Effect.gen(function* () {
  turns++
  yield* SubmissionQueue.allAdvanced(yield* SubmissionQueue.claimAt(longAfter + turns * 60))
})

/** One turn of the worker of waits. */
export const waiting = Effect.gen(function* () {
  turns++
  const { inBatches } = yield* CarryWaits.make
  const due = yield* inBatches(yield* WaitQueue.claimAt(longAfter + turns * 60))
  yield* Effect.forEach(due, CarryWaits.carry, { discard: true })
})

/** One turn of both workers and a block. */
export const turn = Effect.gen(function* () {
  yield* submitting
  yield* waiting
  yield* (yield* PayingWorld).mine(1)
})

export const find = ({ accountId, id }: Proposal) =>
  Effect.gen(function* () {
    const found = yield* (yield* Proposals).find(accountId, id)
    return found ?? assert.fail("it is gone")
  })

export const begin = (proposal: Proposal) =>
  Effect.gen(function* () {
    const { run } = yield* Atomically
    const proposals = yield* Proposals
    yield* run(
      Effect.gen(function* () {
        const locked = yield* proposals.lock(proposal.id)
        if (locked?.status === "pending_confirm") yield* execute(locked, "somebody")
      })
    )
  })

/** Turns until it has ended, some at most. */
export const ended = Effect.fnUntraced(function* (proposal: Proposal) {
  for (let at = 0; at < 30 && (yield* find(proposal)).status === "executing"; at++) yield* turn
  return yield* find(proposal)
})

export const stepsOf = ({ id }: Proposal) =>
  Effect.gen(function* () {
    return inOrder(
      yield* (yield* SubmissionStore).ofProposals([id]),
      yield* (yield* WaitStore).ofProposals([id])
    )
  })

export const subStatusOf = Effect.fnUntraced(function* (proposal: Proposal) {
  return underWay(yield* find(proposal), yield* stepsOf(proposal)).subStatus
})

/** Its caller cancels it. */
export const asking = ({ accountId, id }: Proposal) =>
  Effect.provideService(cancelProposal.handle({ proposalId: id }, undefined, undefined), Caller, {
    accountId,
    keyId: "somebody",
    kind: "developer",
    scopes: new Set<never>()
  })
