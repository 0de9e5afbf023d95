/** A wallet's own transaction, an approval, pushed forward by hand on a chain that the test pushes about. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type * as Address from "../../core/chains/address.ts"
import { familyOf } from "../../core/chains/address.ts"
import { termsOf } from "../../core/evm/call.ts"
import * as CallJournal from "../../core/evm/call-journal.ts"
import * as Erc20 from "../../core/evm/erc20.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Allowances } from "../../core/ports/holdings.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { keyOf } from "../../core/proposals/step.ts"
import type { Submission } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as Rows from "./rows.ts"
import { look } from "./send-steps.ts"
import { PayingWorld } from "./sending-chain.ts"
import * as SendingRows from "./sending-rows.ts"
import { signableApproval } from "./signable-orders.ts"
import * as Stored from "./stored-rows.ts"

export interface Calling {
  /** USDC, when it is left out. */
  readonly token?: Address.AddressKey
  readonly spender: Address.AddressKey
  readonly units: bigint
}

export const anApproval = (units = 5_000_000n): Required<Pick<Calling, "spender" | "units">> => ({
  spender: Rows.anAddressKey(),
  units
})

/** What a caller keeps, and what is derived from it. */
export const kept = () => ({
  accountId: Rows.anId(),
  keyId: Rows.aKeyId(),
  identity: Rows.aDigest(),
  approval: anApproval() as Calling
})
export type Kept = ReturnType<typeof kept>

const opened = Effect.fnUntraced(function* (
  { approval, identity }: Pick<Kept, "approval" | "identity">,
  draft: Submission
) {
  const { from } = draft.terms
  const token = approval.token ?? (draft.terms.amount.token.address as Address.AddressKey)
  const call = Erc20.approve({ ...approval, token, owner: from })
  yield* (yield* SubmissionStore).open({
    ...draft,
    purpose: { ...draft.purpose, name: "approval" },
    terms: {
      ...draft.terms,
      act: "call",
      to: approval.spender,
      amount: { token: { ...draft.terms.amount.token, address: token }, units: approval.units },
      identity,
      call: termsOf(call)
    }
  })
})

/** An approval by the wallet's own transaction, confirmed, on records that have never seen it. */
export const called = Effect.fnUntraced(function* (meant: Kept = kept()) {
  const { accountId, keyId } = meant
  yield* Stored.account({ id: accountId })
  const { order, proposal, wallet } = yield* signableApproval({ accountId, keyId })
  yield* opened(meant, SendingRows.aSubmission(proposal, wallet, { amount: order.amount }))
  return proposal
})

/** Another one of the same wallet, or of another of the account where its key is named. */
export const calledAfter = Effect.fnUntraced(function* (
  first: Proposal,
  meant: Kept = kept(),
  keyId?: string
) {
  const { order, proposal, wallet } = yield* signableApproval({
    accountId: first.accountId,
    ...(keyId === undefined ? {} : { keyId })
  })
  if (keyId !== undefined) {
    const own = SendingRows.aSubmission(proposal, wallet, { amount: order.amount })
    yield* opened(meant, own)
    return proposal
  }
  const { terms } = yield* callOf(first)
  const { amount, from, wallet: signer } = terms
  yield* opened(meant, SendingRows.aSubmission(proposal, wallet, { amount, from, wallet: signer }))
  return proposal
})

export const callOf = ({ id }: Proposal) =>
  Effect.gen(function* () {
    return (yield* (yield* SubmissionStore).find(keyOf(id))) ?? assert.fail("it was never opened")
  })

export const journalOf = (proposal: Proposal) => Effect.map(callOf(proposal), CallJournal.read)

export const statusOf = ({ accountId, id }: Proposal) =>
  Effect.gen(function* () {
    const proposal = yield* (yield* Proposals).find(accountId, id)
    return { status: proposal?.status, reason: proposal?.statusReason, txs: proposal?.txHashes }
  })

/** What the spender may take now. */
export const allowed = Effect.fnUntraced(function* (proposal: Proposal) {
  const { chainId, terms } = yield* callOf(proposal)
  const { current } = yield* Allowances
  const token = terms.amount.token.address as Address.AddressKey
  const [units] = yield* current(chainId, [{ token, owner: terms.from, spender: terms.to }])
  return units
})

export const standingOf = Effect.fnUntraced(function* (proposal: Proposal) {
  const { chainId, terms } = yield* callOf(proposal)
  assert.strictEqual(familyOf(chainId).curve, "secp256k1")
  return yield* (yield* EvmRelay).standing(chainId, terms.from)
})

/** Looks while blocks pass until it has ended, some times at most. */
export const ended = Effect.fnUntraced(function* (proposal: Proposal, turns = 14) {
  const { mine } = yield* PayingWorld
  for (let turn = 0; turn < turns; turn++) {
    if ((yield* statusOf(proposal)).status !== "executing") break
    yield* look
    yield* mine(1)
  }
  yield* look
  return yield* statusOf(proposal)
})
