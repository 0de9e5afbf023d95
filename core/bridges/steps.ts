/**
 * What comes next in a bridge: it is opened, the bridge is allowed the exact amount, the wallet lets it go, and from
 * then on it travels (`on-the-way.ts`). Decided from terms and steps alone.
 */
import { DateTime, Schema } from "effect"
import { AddressKey, familyOf, TransactionId } from "../chains/address.ts"
import type { Moment, NextStep, Step } from "../waits/next-step.ts"
import { type Left, onTheWay, type Watch, waitOf } from "./on-the-way.ts"
import { endsOf, isTooLate, type Terms } from "./terms.ts"

/** What the opening found out, as its wait keeps it. */
export const Opened = Schema.Struct({
  minBuyAmount: Schema.BigIntFromString,
  offer: Schema.JsonObject,
  spender: AddressKey,
  call: Schema.JsonObject,
  coinUnits: Schema.BigIntFromString,
  estimatedSeconds: Schema.Int
})
export type Opened = typeof Opened.Type

/** That it left before these records knew of it. */
const Departed = Schema.Struct({ departed: TransactionId })

const decode = <A>(schema: Schema.Codec<A, unknown>) =>
  Schema.decodeUnknownSync(Schema.toCodecJson(schema))
const decodeOpened = decode(Opened)
const decodeLeft = decode(Departed)
const findOpened = (journal: Schema.JsonObject): Opened | undefined => {
  const found = Schema.decodeUnknownOption(Schema.toCodecJson(Opened))(journal)
  return found._tag === "Some" ? found.value : undefined
}

/** The parts of a bridge's identity beside the departure, which has none. */
export const permitPart = "permit"
export const deliveryPart = (tries: number): string => `delivery ${tries}`

export const cancellationPart = (tries: number): string => `cancellation ${tries}`

/** What left is never given up: there are as many tries at the destination as there were submissions. */
export const parts = (submissions: number): ReadonlyArray<string> => {
  const tries = Array.from({ length: submissions }, (_, at) => at + 1)
  return [permitPart, ...tries.map(deliveryPart), ...tries.map(cancellationPart)]
}

/** How long it may stand before it is given up. */
export const openWithinMinutes = 10

const waiting = (
  kind: "order" | "burn",
  watch: Watch,
  chainId: string,
  { now }: Moment
): NextStep => ({
  _tag: "wait",
  kind,
  watch,
  chainId,
  terms: {},
  deadline: DateTime.add(now, { minutes: openWithinMinutes })
})

/** What a bridge takes by a permit of the moment; a standing allowance or none at all serves the others. */
const takesPermit = ({ protocol, sell }: Terms): boolean =>
  protocol === "cctp" && familyOf(sell.chainId).takesApprovals

const departureKind = ({ protocol }: Terms) => (protocol === "dln" ? "order" : "burn")

const act = (
  approved: Terms,
  opened: Opened
): { readonly permit: NextStep; readonly departure: NextStep } => {
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
    departure: {
      ...shared,
      kind: departureKind(approved),
      purpose: "bridge_departure",
      act: "call",
      call: opened.call
    }
  }
}

export const tooLate =
  "The time within which it may leave was over before it could; nothing was sent. Propose it again."

const notOpened = "The bridge was not open at the approved minimum in time; nothing was moved."

const departureOf = (steps: ReadonlyArray<Step>) => {
  const step = steps.find(
    (each) => each._tag === "submission" && each.submission.purpose.name === "bridge_departure"
  )
  return step?._tag === "submission" ? step : undefined
}

/** What left, by its own submission or as it was found on the chain. */
const leftIn = (steps: ReadonlyArray<Step>): Left | undefined => {
  const opening = waitOf(steps, "bridge_opening")
  if (opening === undefined) return undefined
  const openedAt = opening.wait.ended?.at ?? opening.wait.openedAt
  const coinUnits = findOpened(opening.wait.journal)?.coinUnits ?? 0n
  const found = [opening, waitOf(steps, "bridge_departure")]
    .flatMap((step) => (step?.isDone === true ? [step.wait.journal] : []))
    .find((journal) => journal.departed !== undefined)
  if (found !== undefined) return { departed: decodeLeft(found).departed, openedAt, coinUnits }
  const own = departureOf(steps)
  const departed = own?.isDone === true ? own.submission.txIds.at(-1) : undefined
  return departed && { departed, openedAt, coinUnits }
}

/** Between the opening and the departure: what the wallet does, one act after the other. */
const departing = (
  approved: Terms,
  steps: ReadonlyArray<Step>,
  opened: Opened,
  moment: Moment
): NextStep => {
  const { departure, permit } = act(approved, opened)
  const isLate = isTooLate(approved, moment.now)
  const submissions = steps.filter((step) => step._tag === "submission")
  const left = departureOf(steps)
  const allowed = submissions.find((step) => step !== left)
  if (takesPermit(approved)) {
    if (allowed === undefined) {
      return isLate ? { _tag: "end", outcome: "not_executed", reason: tooLate } : permit
    }
    // Where the permit failed, these records may have lost that it was given and used before.
    if (!allowed.isDone && waitOf(steps, "bridge_departure") === undefined) {
      return waiting("burn", "bridge_departure", approved.sell.chainId, moment)
    }
    if (!allowed.isDone) {
      const reason = allowed.submission.reason ?? "The token did not take the permit."
      return { _tag: "end", outcome: "not_executed", reason }
    }
  }
  if (left === undefined && !moment.isStopAsked && !isLate) return departure
  if (left !== undefined && waitOf(steps, "bridge_departure") === undefined) {
    // What failed here may have been done by a transaction that these records have lost.
    const kind = departureKind(approved)
    return waiting(kind, "bridge_departure", approved.sell.chainId, moment)
  }
  const stopped = moment.isStopAsked ? "It was cancelled after the permit was given." : tooLate
  const reason = left?.submission.reason ?? stopped
  const outcome = submissions.some(({ isDone }) => isDone) ? "partly_executed" : "not_executed"
  return { _tag: "end", outcome, reason }
}

export const next = (approved: Terms, steps: ReadonlyArray<Step>, moment: Moment): NextStep => {
  const left = leftIn(steps)
  if (left !== undefined) return onTheWay(approved, steps, left, moment)
  const opening = waitOf(steps, "bridge_opening")
  if (opening === undefined) {
    return waiting("order", "bridge_opening", approved.sell.chainId, moment)
  }
  const isUntouched = steps.every((step) => step._tag === "wait")
  if (!opening.isDone || (moment.isStopAsked && isUntouched)) {
    const reason = opening.wait.reason ?? notOpened
    return { _tag: "end", outcome: "not_executed", reason }
  }
  return departing(approved, steps, decodeOpened(opening.wait.journal), moment)
}
