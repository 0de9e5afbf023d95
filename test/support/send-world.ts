/** A chain of any family to send on and to push about, and a send that is pushed forward on it, look by look. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Ids from "../../adapters/memory/ids.ts"
import { stores } from "../../adapters/memory/memory.ts"
import { MemoryStore } from "../../adapters/memory/store.ts"
import type { Address, TransactionId } from "../../core/chains/address.ts"
import type { EvmRelay } from "../../core/evm/relay.ts"
import type { Chains } from "../../core/ports/chains.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { inOrder, underWay } from "../../core/proposals/step.ts"
import type { SolanaRelay } from "../../core/solana/relay.ts"
import type { Terms } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { registries } from "./registries.ts"
import * as Rows from "./rows.ts"
import { look } from "./send-steps.ts"
import * as SendingRows from "./sending-rows.ts"
import { amountMicro, signable } from "./signable-orders.ts"
import { identified } from "./signing-policies.ts"
import * as Stored from "./stored-rows.ts"

export class SendWorld extends Context.Service<
  SendWorld,
  {
    readonly chainId: string
    /** Somebody who was never paid. */
    readonly someone: Effect.Effect<Address>
    /** Makes USDC out of nothing. */
    readonly fund: (to: string, amountMicro: bigint) => Effect.Effect<void>
    readonly held: (owner: string) => Effect.Effect<bigint>
    /** A block passes, and takes what was handed over. */
    readonly next: Effect.Effect<void>
    /** So many pass that what is in a block is final. */
    readonly settle: Effect.Effect<void>
    /** The newest block never was, and what was in it is forgotten. */
    readonly dropNewest: Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
    /** While it is so, what is handed over is forgotten. */
    readonly lose: (isLost: boolean) => Effect.Effect<void>
    /** The next transaction is taken by the node, but its answer does not arrive. */
    readonly loseNextReply: Effect.Effect<void>
    /** The newest block never was, and another in its place holds the transaction that it held. */
    readonly mineAgain: (txId: TransactionId) => Effect.Effect<void>
    /** So much time passes that no new block takes what was signed before. */
    readonly outlast: Effect.Effect<void>
    /** While finality is held back, the chain calls no further block final. */
    readonly holdFinality: (isHeld: boolean) => Effect.Effect<void>
    /** Another relayer, for the same wallets. */
    readonly rival: Context.Context<EvmRelay | SolanaRelay>
  }
>()("bursar/test/SendWorld") {}

/** What a send on a chain needs, but the records. */
export type World = SendWorld | Chains | EvmRelay | SolanaRelay | WalletKeys

/** Records that know nothing of any others; ids that no others have. */
let seeds = 100_000
export const freshRecords = () =>
  Layer.fresh(
    Layer.mergeAll(stores, registries).pipe(
      Layer.provideMerge(Layer.merge(Ids.layer(seeds++), identified)),
      Layer.provideMerge(MemoryStore.layer)
    )
  )

/** What a caller keeps, and calls with again: the account, its wallet, whom it pays, and the key of the call. */
export const kept = Effect.fnUntraced(function* () {
  const { chainId, someone } = yield* SendWorld
  return {
    accountId: Rows.anId(),
    keyId: Rows.aKeyId(),
    chainId,
    address: yield* someone,
    call: { operation: "propose_transfer", idempotencyKey: `invoice-${Rows.anId()}` }
  }
})
export type Kept = Effect.Success<ReturnType<typeof kept>>

/** The call proposed and confirmed, on records that have never seen it. The wallet holds nothing by that. */
export const calledUnfunded = Effect.fnUntraced(function* (
  { accountId, address, call, chainId, keyId }: Kept,
  over: Partial<Terms> = {}
) {
  yield* Stored.account({ id: accountId })
  const meant = { accountId, chainId, keyId, recipient: { address }, proposal: { call } }
  const { order, proposal, wallet } = yield* signable(meant)
  const { amount, identity, to } = order
  yield* (yield* SubmissionStore).open(
    SendingRows.aSubmission(proposal, wallet, { to, amount, identity, ...over })
  )
  return { proposal, wallet }
})

/** The same, from a wallet that is given what it takes. */
export const called = Effect.fnUntraced(function* (meant: Kept, over: Partial<Terms> = {}) {
  const { proposal, wallet } = yield* calledUnfunded(meant, over)
  yield* (yield* SendWorld).fund(wallet.address, amountMicro)
  return proposal
})

/** How it is shown. */
export const standing = Effect.fnUntraced(function* ({ accountId, id }: Proposal) {
  const proposal = (yield* (yield* Proposals).find(accountId, id)) ?? assert.fail("it is gone")
  const submissions = yield* (yield* SubmissionStore).ofProposals([id])
  return { ...proposal, ...underWay(proposal, inOrder(submissions)) }
})

/** Looks while blocks pass until it has ended, some times at most; how it stands then. */
export const ended = Effect.fnUntraced(function* (proposal: Proposal, turns = 8) {
  const { next, settle } = yield* SendWorld
  for (let turn = 0; turn < turns && (yield* standing(proposal)).status === "executing"; turn++) {
    yield* look
    yield* turn < 2 ? next : settle
  }
  return yield* standing(proposal)
})
