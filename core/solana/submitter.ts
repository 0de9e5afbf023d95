/**
 * How a submission goes on on Solana, by its status: a transaction is signed and written down, handed over until a
 * final block has its mark or can no longer hold it, and then ended or made anew.
 */
import { Effect } from "effect"
import { relayerOutOfGas } from "../operation/metrics.ts"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { requireRoom } from "../policy/lay-out.ts"
import { isEnded, isUnsigned, type Submission } from "../submissions/submission.ts"
import type { Claimed } from "../submissions/submission-store.ts"
import {
  askedOnce,
  type Batch,
  type MeantPayment,
  type Step,
  type Submitter
} from "../submissions/submitter.ts"
import { burnIn } from "./burn.ts"
import { carry } from "./carry.ts"
import { deliver } from "./deliver.ts"
import { deliveryIn } from "./delivery.ts"
import { follow, submit } from "./follow.ts"
import type { Asked } from "./look.ts"
import { costOf, openingViolation } from "./outlay.ts"
import { canPay, defaultUnits, prepare } from "./prepare.ts"
import { prepareBurn } from "./prepare-burn.ts"
import { prepareSwap } from "./prepare-swap.ts"
import { SolanaRelay } from "./relay.ts"
import { swapIn } from "./swap.ts"

const ready = Effect.fnUntraced(function* (chainId: string, accountId: string | null) {
  const relay = yield* SolanaRelay
  const asked = yield* Effect.option(relay.conditions(chainId))
  if (asked._tag === "None") return
  const conditions = asked.value
  const bid = { units: defaultUnits, priority: conditions.priority, opensAccount: false }
  if (canPay(conditions, bid)) {
    return yield* requireRoom({ chainId, accountId, units: costOf(bid, conditions) })
  }
  const relayer = yield* relay.relayerAddress(chainId)
  yield* relayerOutOfGas(chainId)
  return yield* new UpstreamUnavailable({
    message: `The relayer has too little SOL on ${chainId}; ask the operator to fund ${relayer}, then try again.`,
    details: { chainId, relayer }
  })
})

const begin = Effect.fnUntraced(function* (submission: Submission, asked: Asked) {
  const burn = burnIn(submission)
  if (burn !== undefined) return yield* prepareBurn(submission, burn, asked)
  const swap = swapIn(submission)
  return swap === undefined
    ? yield* prepare(submission, asked)
    : yield* prepareSwap(submission, swap, asked)
})

const step = Effect.fnUntraced(function* ({ submission }: Claimed, asked: Asked) {
  const { signed } = submission.terms
  if (signed !== null && !isEnded(submission)) return yield* carry(submission, signed, asked)
  const delivery = deliveryIn(submission)
  if (delivery !== undefined && !isEnded(submission)) {
    return yield* deliver(submission, delivery, asked)
  }
  switch (submission.status) {
    case "final":
    case "failed":
      return { at: submission, next: "close" } satisfies Step as Step
    case "prepared":
    case "signed":
      return yield* begin(submission, asked)
    case "submitted":
    case "seen":
      // One that was found on the chain before anything was signed here has no transaction of ours.
      return isUnsigned(submission) ? yield* begin(submission, asked) : yield* follow(submission)
  }
})

/** No payment is ever known by it: a trial needs some mark. */
const nobodys = "0".repeat(64)

/** A payee's account that is missing, and not worth opening for so little. */
const violation = Effect.fnUntraced(function* ({ amount, chainId, from, to }: MeantPayment) {
  const relay = yield* SolanaRelay
  const trial = yield* relay.simulate({ chainId, from, to, amount, identity: nobodys })
  if (trial._tag !== "ok" || !trial.opensAccount) return undefined
  const conditions = yield* relay.conditions(chainId)
  return yield* openingViolation({ chainId, terms: { to, amount } }, conditions)
})

export const solanaSubmitter = {
  ready,
  violation,
  madeBy: (chainId, wallets, reach) =>
    SolanaRelay.use((relay) => relay.madeBy(chainId, wallets, reach)),
  findPayment: (payment) => SolanaRelay.use((relay) => relay.findPayment(payment)),
  batch: Effect.fnUntraced(function* (chainId: string) {
    const asked = yield* askedOnce(SolanaRelay.use(({ conditions }) => conditions(chainId)))
    const steps: Batch<Needs> = { step: (claimed) => step(claimed, asked), submit }
    return steps
  })
} satisfies Submitter<Needs>

type Needs =
  | Effect.Services<ReturnType<typeof step>>
  | Effect.Services<ReturnType<typeof submit>>
  | Effect.Services<ReturnType<typeof violation>>
