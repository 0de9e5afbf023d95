/**
 * What comes next in a bridge: it is opened, the bridge is allowed the exact amount, the wallet lets it go, and from
 * then on there is no way back: it travels until it has arrived. Decided from terms and steps alone.
 */
import { DateTime, Schema } from "effect"
import { AddressKey, familyOf, TransactionId } from "../chains/address.ts"
import type { Moment, NextStep, Result, Step } from "../waits/next-step.ts"
import { endsOf, type Terms } from "./terms.ts"

/** What the opening found out, as its wait keeps it. */
export const Opened = Schema.Struct({
  minBuyAmount: Schema.BigIntFromString,
  offer: Schema.JsonObject,
  spender: AddressKey,
  call: Schema.JsonObject,
  estimatedSeconds: Schema.Int
})
export type Opened = typeof Opened.Type

/** That it left before these records knew of it. */
const Left = Schema.Struct({ departed: TransactionId })

/** What travels, as the waits for it are told. */
export const Travelling = Schema.Struct({ departed: TransactionId })
export type Travelling = typeof Travelling.Type

/** What arrived, as the wait for it keeps it. */
export const Arrived = Schema.Struct({ boughtAmount: Schema.BigIntFromString })

const decode = <A>(schema: Schema.Codec<A, unknown>) =>
  Schema.decodeUnknownSync(Schema.toCodecJson(schema))
const decodeOpened = decode(Opened)
const decodeLeft = decode(Left)
const decodeArrived = decode(Arrived)
export const travellingIn = decode(Travelling)

/** The parts of a bridge's identity beside the departure, which has none. */
export const permitPart = "permit"
export const deliveryPart = (tries: number): string => `delivery ${tries}`

/** Deliveries beyond these are somebody else's: whoever likes may make the call. */
export const maxDeliveries = 20
export const parts: ReadonlyArray<string> = [
  permitPart,
  ...Array.from({ length: maxDeliveries }, (_, at) => deliveryPart(at + 1))
]

type WaitStep = Extract<Step, { readonly _tag: "wait" }>

const isWait = (step: Step): step is WaitStep => step._tag === "wait"

/** Where a wait of the execution stands, the newest of its watch. */
const waitOf = (steps: ReadonlyArray<Step>, watch: Watch): WaitStep | undefined =>
  steps.filter(isWait).findLast(({ wait }) => wait.watch === watch)

export type Watch = "bridge_opening" | "bridge_departure" | "bridge_attestation" | "bridge_arrival"

/** How long it may stand before the operator is told, and before an opening is given up. */
const openWithinMinutes = 10
const stuckAfterMinutes = 30

const waiting = (
  kind: "order" | "burn" | "attest" | "mint",
  watch: Watch,
  chainId: string,
  terms: Schema.JsonObject,
  { now }: Moment,
  minutes: number
): NextStep => ({
  _tag: "wait",
  kind,
  watch,
  chainId,
  terms,
  deadline: DateTime.add(now, { minutes })
})

const act = (
  approved: Terms,
  opened: Opened
): { readonly permit: NextStep; readonly burn: NextStep } => {
  const { from, sender } = endsOf(approved)
  const { chainId } = from
  const shared = {
    _tag: "submit",
    chainId,
    walletId: approved.fromWalletId,
    from: sender,
    to: opened.spender,
    amount: { token: { chainId, address: from.token }, units: approved.sellAmount }
  } as const
  return {
    permit: {
      ...shared,
      kind: "permit",
      purpose: "bridge_permit",
      act: "permit",
      part: permitPart,
      call: null
    },
    burn: { ...shared, kind: "burn", purpose: "bridge_departure", act: "call", call: opened.call }
  }
}

const notOpened = "The bridge was not open at the approved minimum in time; nothing was moved."

const ofDone = (step: Step | undefined): boolean => step?.isDone === true

/** The transaction in which it left, by its own submission or as it was found on the chain. */
const departedIn = (steps: ReadonlyArray<Step>): TransactionId | undefined => {
  const found = [waitOf(steps, "bridge_opening"), waitOf(steps, "bridge_departure")]
    .flatMap((step) => (step?.isDone === true ? [step.wait.journal] : []))
    .find((journal) => journal.departed !== undefined)
  if (found !== undefined) return decodeLeft(found).departed
  const burnt = steps.find((step) => step.kind === "burn" && step._tag === "submission")
  return burnt?._tag === "submission" && burnt.isDone ? burnt.submission.txIds.at(-1) : undefined
}

const resultOf = ({ sell, sellAmount }: Terms, journal: Schema.JsonObject): Result => {
  const { boughtAmount } = decodeArrived(journal)
  const fee = sellAmount - boughtAmount
  return {
    soldAmount: String(sellAmount),
    boughtAmount: String(boughtAmount),
    feesPaid:
      fee > 0n
        ? [{ kind: "bridge", symbol: sell.symbol, amount: String(fee), amountUsd: null }]
        : []
  }
}

/** From where it left on: it is attested and brought there, and nothing else ends it. */
const onTheWay = (
  approved: Terms,
  steps: ReadonlyArray<Step>,
  departed: TransactionId,
  moment: Moment
): NextStep => {
  const terms = { departed }
  const arrival = waitOf(steps, "bridge_arrival")
  if (arrival?.isDone === true) {
    return { _tag: "end", outcome: "executed", result: resultOf(approved, arrival.wait.journal) }
  }
  return ofDone(waitOf(steps, "bridge_attestation"))
    ? waiting("mint", "bridge_arrival", approved.buy.chainId, terms, moment, stuckAfterMinutes)
    : waiting(
        "attest",
        "bridge_attestation",
        approved.sell.chainId,
        terms,
        moment,
        stuckAfterMinutes
      )
}

export const next = (approved: Terms, steps: ReadonlyArray<Step>, moment: Moment): NextStep => {
  const departed = departedIn(steps)
  if (departed !== undefined) return onTheWay(approved, steps, departed, moment)
  const { chainId } = approved.sell
  const opening = waitOf(steps, "bridge_opening")
  if (opening === undefined) {
    return waiting("order", "bridge_opening", chainId, {}, moment, openWithinMinutes)
  }
  const submissions = steps.filter((step) => step._tag === "submission")
  if (!opening.isDone || (moment.isStopAsked && submissions.length === 0)) {
    const reason = opening.wait.reason ?? notOpened
    return { _tag: "end", outcome: "not_executed", reason }
  }
  const { burn, permit } = act(approved, decodeOpened(opening.wait.journal))
  // Where tokens take no approvals, the wallet's own signature under the burn is one.
  const { takesApprovals } = familyOf(chainId)
  const [allowed, burnt] = takesApprovals ? submissions : [undefined, ...submissions]
  if (takesApprovals && allowed === undefined) return permit
  if (allowed?.isDone === false) {
    const reason = allowed.submission.reason ?? "The token did not take the permit."
    return { _tag: "end", outcome: "not_executed", reason }
  }
  if (burnt === undefined && !moment.isStopAsked) return burn
  const departure = waitOf(steps, "bridge_departure")
  if (burnt !== undefined && departure === undefined) {
    // What failed here may have been done by a transaction that these records have lost.
    return waiting("burn", "bridge_departure", chainId, {}, moment, openWithinMinutes)
  }
  const reason = burnt?.submission.reason ?? "It was cancelled after the permit was given."
  return { _tag: "end", outcome: takesApprovals ? "partly_executed" : "not_executed", reason }
}
