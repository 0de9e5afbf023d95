/**
 * The places the service is killed at. Every one lies between the transfer and the delivered webhook, or
 * inside a write under an idempotency key, or where the audit log grows, and is named by its port call.
 */

export interface Point {
  /** The call, as `Transfers.record`. */
  readonly call: string
  /** `inside` is the end of a transaction's work, just before the commit. */
  readonly edge: "before" | "inside" | "after"
  /** Calls that must have ended first, one after the other: an earlier one is not the one meant. */
  readonly since?: string | ReadonlyArray<string>
  /** Of a commit: a call that was made in its transaction. */
  readonly within?: string
  /** The process stands still there instead, as on a machine that is moved. */
  readonly stands?: boolean
}

export interface PaymentPoint extends Point {
  /** Taking the transfer's block, or settling the request once that block is final. */
  readonly turn: "arriving" | "settling"
  /** The dead process still holds the delivery, which is due again when its lease ends. */
  readonly leavesLease?: boolean
}

export const labelOf = ({ call, edge }: Point): string => `${edge} ${call}`

const bothEdges = (turn: PaymentPoint["turn"], call: string): ReadonlyArray<PaymentPoint> => [
  { turn, call, edge: "before" },
  { turn, call, edge: "after" }
]

// Others commit as well, such as who gives audit entries their places; meant is who settles.
const commit = (turn: PaymentPoint["turn"]): ReadonlyArray<PaymentPoint> => [
  { turn, call: "Atomically.run", edge: "inside", since: "PaymentRequests.settle" },
  { turn, call: "Atomically.run", edge: "after", since: "PaymentRequests.settle" }
]

const delivering: ReadonlyArray<PaymentPoint> = [
  // The queue is asked all the time; meant is the claim that finds what the commit put there.
  { turn: "settling", call: "Deliveries.claim", edge: "before", since: "Deliveries.enqueue" },
  { turn: "settling", call: "Deliveries.claim", edge: "after", leavesLease: true },
  { turn: "settling", call: "WebhookSender.carry", edge: "before", leavesLease: true },
  { turn: "settling", call: "WebhookSender.carry", edge: "after", leavesLease: true },
  { turn: "settling", call: "Deliveries.conclude", edge: "before", leavesLease: true },
  { turn: "settling", call: "Deliveries.conclude", edge: "after" }
]

export const payments: ReadonlyArray<PaymentPoint> = [
  ...bothEdges("arriving", "Chains.look"),
  ...bothEdges("arriving", "Cursors.move"),
  ...bothEdges("arriving", "Transfers.record"),
  ...bothEdges("arriving", "PaymentRequests.settle"),
  ...commit("arriving"),
  ...bothEdges("settling", "Chains.look"),
  ...bothEdges("settling", "Cursors.move"),
  ...bothEdges("settling", "Transfers.finalise"),
  ...bothEdges("settling", "PaymentRequests.settle"),
  ...bothEdges("settling", "Events.append"),
  ...bothEdges("settling", "Deliveries.enqueue"),
  ...commit("settling"),
  ...delivering
]

/** Inside `create_payment_request` under an idempotency key, in the order they are passed. */
export const writes: ReadonlyArray<Point> = [
  { call: "Idempotency.reserve", edge: "after" },
  { call: "PaymentRequests.open", edge: "before" },
  { call: "PaymentRequests.open", edge: "after" },
  { call: "Idempotency.answer", edge: "after" },
  { call: "Atomically.run", edge: "inside", since: "Idempotency.answer" },
  { call: "Atomically.run", edge: "after", since: "Idempotency.answer" }
]

const wrapped = ["EvmRelay.wrap", "SubmissionStore.save"]

/** Between a payer's signature and its settlement, in the order they are passed. */
export const signatures: ReadonlyArray<Point> = [
  { call: "Atomically.run", edge: "inside", within: "SubmissionStore.open" },
  { call: "Atomically.run", edge: "after", within: "SubmissionStore.open" },
  { call: "Atomically.run", edge: "after", within: "SubmissionStore.takeSequences" },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.wrap" },
  { call: "EvmRelay.broadcast", edge: "before", since: wrapped },
  { call: "EvmRelay.broadcast", edge: "after" },
  { call: "Atomically.run", edge: "inside", since: ["EvmRelay.trace", "SubmissionStore.save"] },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.trace" }
]

/** Where audit entries are given their places. */
export const places: ReadonlyArray<Point> = [
  { call: "Audit.hold", edge: "after", since: "Audit.append" },
  { call: "Audit.extend", edge: "before" },
  { call: "Audit.extend", edge: "after" },
  { call: "Atomically.run", edge: "inside", since: "Audit.extend" },
  { call: "Atomically.run", edge: "after", since: "Audit.extend" }
]

/** In an execution of three steps; asked to stop, or not. */
export interface StepPoint extends Point {
  readonly stops?: boolean
}

const both = (call: string, more: Partial<StepPoint> = {}): ReadonlyArray<StepPoint> => [
  { call, edge: "before", ...more },
  { call, edge: "after", ...more }
]
const commits = (within: string, more: Partial<StepPoint> = {}): ReadonlyArray<StepPoint> => [
  { call: "Atomically.run", edge: "inside", within, ...more },
  { call: "Atomically.run", edge: "after", within, ...more }
]

/** From the confirmation of a proposal of three steps to its end, in the order they are passed. */
export const steps: ReadonlyArray<StepPoint> = [
  ...both("Spending.reserve"),
  ...commits("SubmissionStore.add"),
  { call: "EvmRelay.broadcast", edge: "before" },
  { call: "EvmRelay.broadcast", edge: "after" },
  ...both("WaitStore.open"),
  ...commits("WaitStore.open"),
  { call: "WaitStore.claim", edge: "after", since: "WaitStore.open" },
  ...both("WaitStore.save"),
  ...both("Attester.post"),
  ...both("WaitStore.save", { since: "Attester.post" }),
  { call: "Attester.attested", edge: "after" },
  ...commits("WaitStore.save", { since: "Attester.attested" }),
  { call: "EvmRelay.broadcast", edge: "after", since: "Attester.attested" },
  ...both("Spending.consume"),
  { call: "Proposals.move", edge: "after", since: "Spending.consume" },
  ...commits("Spending.consume"),
  ...both("WaitStore.stop", { stops: true }),
  ...commits("WaitStore.stop", { stops: true })
]
