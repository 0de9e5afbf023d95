/**
 * How a submission goes on on an EVM chain, by its status: the wallet signs, the relayer carries the
 * signature in transactions of its own, and the chain says what became of it.
 */
import { Effect } from "effect"
import { relayerOutOfGas } from "../operation/metrics.ts"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { requireRoom } from "../policy/lay-out.ts"
import { isEnded, type Submission } from "../submissions/submission.ts"
import type { Claimed } from "../submissions/submission-store.ts"
import { askedOnce, type Batch, type Step, type Submitter } from "../submissions/submitter.ts"
import { followCall } from "./call-follow.ts"
import * as CallJournal from "./call-journal.ts"
import { prepareCall } from "./call-prepare.ts"
import { follow, submit } from "./follow.ts"
import { learnForgotten } from "./forgotten.ts"
import { hold } from "./hold.ts"
import * as Journal from "./journal.ts"
import * as Loan from "./loan.ts"
import { type Look, onward, type ReadConditions, type Shared, waiting } from "./look.ts"
import * as Nonce from "./nonce.ts"
import { costOf } from "./outlay.ts"
import { place } from "./place.ts"
import { canPay, make, prepare, sign } from "./prepare.ts"
import { EvmRelay } from "./relay.ts"

const ready = Effect.fnUntraced(function* (
  chainId: string,
  accountId: string | null,
  coinUnits: bigint
) {
  const relay = yield* EvmRelay
  const conditions = yield* Effect.option(relay.conditions(chainId))
  if (conditions._tag === "None") return
  const { relayerWei } = conditions.value
  if (canPay({ ...conditions.value, relayerWei: relayerWei - coinUnits }, Nonce.defaultGas)) {
    const gas = { ...conditions.value, gas: Nonce.defaultGas }
    const units = costOf(gas, conditions.value) + coinUnits
    return yield* requireRoom({ chainId, accountId, units })
  }
  const relayer = yield* relay.relayerAddress(chainId)
  yield* relayerOutOfGas(chainId)
  return yield* new UpstreamUnavailable({
    message: `The relayer has too little gas on ${chainId}; ask the operator to fund ${relayer}, then try again.`,
    details: { chainId, relayer }
  })
})

/** What ended is closed once its relayer nonce is used, so that nothing behind it is stuck. */
const clear = Effect.fnUntraced(function* (submission: Submission, conditions: ReadConditions) {
  return (yield* Nonce.isCleared(submission, conditions))
    ? ({ at: submission, next: "close" } satisfies Step)
    : waiting(submission)
})

/** A wallet's own transaction. */
const callStep = Effect.fnUntraced(function* (submission: Submission, shared: Shared) {
  const journal = CallJournal.read(submission)
  const isSigned = CallJournal.newest(journal) !== undefined
  if (isEnded(submission)) {
    // A nonce that no transaction has is the next call's.
    const isUsed = isSigned || submission.txIds.length > 0
    const at = isUsed ? submission : { ...submission, relayer: null, relayerSequence: null }
    return { at, next: "close" } satisfies Step
  }
  if (submission.relayerSequence === null) return yield* hold(submission, shared)
  return yield* isSigned ? followCall(submission, shared) : prepareCall(submission, shared)
})

const step = Effect.fnUntraced(function* (claimed: Claimed, shared: Shared) {
  const { submission } = claimed
  if (submission.terms.act === "call") return yield* callStep(submission, shared)
  if (submission.terms.act === "lend") return yield* Loan.step(claimed, shared)
  const { status } = submission
  const { conditions, planned } = shared
  if (status === "final" || status === "failed") return yield* clear(submission, conditions)
  const { attempts, authorization } = Journal.read(submission)
  if (status === "prepared" || authorization === null) return yield* sign(submission, conditions)
  const look: Look = { ...claimed, ...shared, attempts, authorization }
  const transaction = planned.get(submission.id)
  if (transaction !== undefined) {
    planned.delete(submission.id)
    return yield* make(look, transaction)
  }
  return yield* status === "signed" ? prepare(look) : follow(look)
})

export const evmSubmitter = {
  ready,
  madeBy: (chainId, wallets, reach) =>
    EvmRelay.use((relay) => relay.madeBy(chainId, wallets, reach)),
  learnForgotten,
  findPayment: (payment) => EvmRelay.use((relay) => relay.findPayment(payment)),
  batch: Effect.fnUntraced(function* (chainId: string) {
    const shared: Shared = {
      conditions: yield* askedOnce(EvmRelay.use(({ conditions }) => conditions(chainId))),
      planned: new Map(),
      holds: new Map(),
      handedOver: new Set()
    }
    const steps: Batch<Needs> = {
      step: (claimed) => step(claimed, shared),
      place: (claimed) => place(claimed, shared),
      submit: (submission) => {
        shared.planned.delete(submission.id)
        shared.handedOver.add(submission.id)
        return Effect.map(submit(submission), onward)
      }
    }
    return steps
  })
} satisfies Submitter<Needs>

type Needs =
  | Effect.Services<ReturnType<typeof step>>
  | Effect.Services<ReturnType<typeof place>>
  | Effect.Services<ReturnType<typeof learnForgotten>>
  | Effect.Services<ReturnType<typeof submit>>
