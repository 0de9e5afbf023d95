/**
 * The places a process is killed at while it sends: before and after each write of the journal, each
 * signature, each hand-over, each end. Every one is named by the port call it lies at.
 */
import type { Point } from "../kill/points.ts"

/** What the send that dies is like. */
export type Plot =
  /** It is paid at once. */
  | "paid"
  /** Its first transaction is in no block until one that pays more was handed over. */
  | "replaced"
  /** The token refuses it. */
  | "failing"
  /** The token refuses it once it holds a nonce of the relayer, which must then be used up. */
  | "turned"
  /** It is found so late that it is signed anew, and leaves the nonce it held behind. */
  | "abandoned"

export interface SendPoint extends Point {
  readonly plot: Plot
  /** Armed before the confirmation, which dies with the process and is repeated. */
  readonly confirming?: boolean
}

export const labelOf = ({ call, edge, plot, since, within }: SendPoint): string => {
  const last = [since ?? []].flat().at(-1)
  const where = within === undefined ? "" : ` of ${within}`
  return `${plot}: ${edge} ${call}${where}${last === undefined ? "" : `, after ${last}`}`
}

const confirming: ReadonlyArray<Point> = [
  { call: "Spending.reserve", edge: "before" },
  { call: "Spending.reserve", edge: "after" },
  { call: "SubmissionStore.add", edge: "after" },
  { call: "Proposals.move", edge: "after" },
  { call: "Atomically.run", edge: "inside", within: "SubmissionStore.add" },
  { call: "Atomically.run", edge: "after", within: "SubmissionStore.add" }
]

const wrapped = ["EvmRelay.wrap", "SubmissionStore.save"]

const sending: ReadonlyArray<Point> = [
  { call: "SubmissionStore.claim", edge: "after" },
  { call: "EvmRelay.authorize", edge: "before" },
  { call: "EvmRelay.authorize", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.authorize" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.authorize" },
  { call: "EvmRelay.simulate", edge: "after" },
  { call: "SubmissionStore.takeSequences", edge: "after" },
  { call: "SubmissionStore.save", edge: "after", since: "SubmissionStore.takeSequences" },
  { call: "Atomically.run", edge: "inside", within: "SubmissionStore.takeSequences" },
  { call: "Atomically.run", edge: "after", within: "SubmissionStore.takeSequences" },
  { call: "EvmRelay.wrap", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.wrap" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.wrap" },
  { call: "EvmRelay.broadcast", edge: "before", since: wrapped },
  { call: "EvmRelay.broadcast", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.broadcast" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.broadcast" }
]

const settling: ReadonlyArray<Point> = [
  { call: "EvmRelay.trace", edge: "after" },
  { call: "Spending.consume", edge: "before" },
  { call: "Spending.consume", edge: "after" },
  { call: "Proposals.move", edge: "after", since: "Spending.consume" },
  { call: "Atomically.run", edge: "inside", within: "Spending.consume" },
  { call: "Atomically.run", edge: "after", within: "Spending.consume" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.trace" }
]

const handedOver = ["EvmRelay.broadcast", "EvmRelay.trace"]
const replaced = [...handedOver, "EvmRelay.wrap"]

const replacing: ReadonlyArray<Point> = [
  { call: "EvmRelay.wrap", edge: "after", since: handedOver },
  { call: "SubmissionStore.save", edge: "before", since: replaced },
  { call: "SubmissionStore.save", edge: "after", since: replaced },
  { call: "EvmRelay.broadcast", edge: "before", since: [...replaced, "SubmissionStore.save"] },
  { call: "EvmRelay.broadcast", edge: "after", since: [...replaced, "SubmissionStore.save"] },
  { call: "SubmissionStore.save", edge: "after", since: [...replaced, "EvmRelay.broadcast"] }
]

const failing: ReadonlyArray<Point> = [
  { call: "Spending.release", edge: "before" },
  { call: "Spending.release", edge: "after" },
  { call: "Atomically.run", edge: "inside", within: "Spending.release" },
  { call: "Atomically.run", edge: "after", within: "Spending.release" }
]

/** It holds a nonce, and nothing was signed under it that was written down. */
const holding: ReadonlyArray<Point> = [
  { call: "Atomically.run", edge: "after", within: "SubmissionStore.takeSequences" },
  { call: "EvmRelay.wrap", edge: "after" }
]

const all = (plot: Plot, points: ReadonlyArray<Point>, more: Partial<SendPoint> = {}) =>
  points.map((point): SendPoint => ({ ...point, plot, ...more }))

export const points: ReadonlyArray<SendPoint> = [
  ...all("paid", confirming, { confirming: true }),
  ...all("paid", sending),
  ...all("paid", settling),
  ...all("replaced", replacing),
  ...all("failing", failing),
  ...all("turned", holding),
  ...all("abandoned", holding)
]

/** Where a process that only stood still goes on after another has taken its work over. */
export const pauses: ReadonlyArray<SendPoint> = [
  ...all("paid", sending, { stands: true }),
  ...all("paid", settling, { stands: true }),
  ...all("replaced", replacing, { stands: true })
]
