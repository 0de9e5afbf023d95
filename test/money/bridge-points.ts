/** The places a process is killed at while it bridges, in the order they are passed; each is named by its port call. */
import type { Point } from "../kill/points.ts"

/** How the bridge goes that dies. */
export type Plot =
  /** By the issuer: burnt here and minted there. */
  | "minted"
  /** By an order that somebody fills. */
  | "filled"
  /** By an order that nobody fills, which is taken back and given back. */
  | "refunded"

export interface BridgePoint extends Point {
  readonly plot: Plot
}

const quoted = "Bridge.quote"
const asked = [quoted, "Bridge.start"]
const signed = "EvmRelay.signCall"
const signedTwice = [signed, signed]

const opening: ReadonlyArray<Point> = [
  { call: "Spending.reserve", edge: "after" },
  { call: "Sales.open", edge: "after" },
  { call: "Atomically.run", edge: "inside", within: "WaitStore.open" },
  { call: "Atomically.run", edge: "after", within: "WaitStore.open" },
  { call: "Bridge.start", edge: "after", since: "WaitStore.claim" },
  { call: quoted, edge: "after", since: "WaitStore.claim" },
  { call: "WaitStore.save", edge: "before", since: quoted },
  { call: "Atomically.run", edge: "inside", within: "WaitStore.save", since: quoted },
  { call: "Atomically.run", edge: "after", within: "WaitStore.save", since: quoted }
]

const permitting: ReadonlyArray<Point> = [
  { call: "EvmRelay.authorize", edge: "before", since: quoted },
  { call: "EvmRelay.authorize", edge: "after", since: quoted },
  { call: "EvmRelay.wrap", edge: "after", since: quoted },
  { call: "EvmRelay.broadcast", edge: "before", since: [quoted, "EvmRelay.wrap"] },
  { call: "EvmRelay.broadcast", edge: "after", since: [quoted, "EvmRelay.wrap"] }
]

/** From the look at both ends to the final block that has the departure. */
const departing: ReadonlyArray<Point> = [
  { call: "Bridge.start", edge: "after", since: quoted },
  { call: "EvmRelay.lend", edge: "before", since: asked },
  { call: "EvmRelay.lend", edge: "after", since: asked },
  { call: signed, edge: "before", since: [...asked, "EvmRelay.lend"] },
  { call: signed, edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: signed },
  { call: "SubmissionStore.save", edge: "after", since: signed },
  { call: "EvmRelay.broadcast", edge: "before", since: signed },
  { call: "EvmRelay.broadcast", edge: "after", since: signed },
  { call: "EvmRelay.traceNonce", edge: "after", since: signed },
  { call: "Atomically.run", edge: "inside", within: "WaitStore.open", since: signed },
  { call: "Atomically.run", edge: "after", within: "WaitStore.open", since: signed },
  { call: "Bridge.status", edge: "after", since: signed }
]

/** The call of the receiving wallet: that it is asked for, and all of it up to its final block. */
const calling: ReadonlyArray<Point> = [
  { call: signed, edge: "before", since: signed },
  { call: signed, edge: "after", since: signed },
  { call: "SubmissionStore.save", edge: "before", since: signedTwice },
  { call: "SubmissionStore.save", edge: "after", since: signedTwice },
  { call: "EvmRelay.broadcast", edge: "before", since: signedTwice },
  { call: "EvmRelay.broadcast", edge: "after", since: signedTwice },
  { call: "EvmRelay.traceNonce", edge: "after", since: signedTwice },
  { call: "Bridge.status", edge: "after", since: signedTwice }
]

const ending = (call: "Spending.consume" | "Spending.release"): ReadonlyArray<Point> => [
  { call, edge: "before", since: signed },
  { call, edge: "after", since: signed },
  { call: "Proposals.move", edge: "after", since: [signed, call] },
  { call: "Atomically.run", edge: "inside", within: call, since: signed },
  { call: "Atomically.run", edge: "after", within: call, since: signed }
]

const carrying: ReadonlyArray<Point> = [
  { call: "SubmissionStore.add", edge: "after", since: [signed, "WaitStore.open"] },
  ...calling
]

const takingBack: ReadonlyArray<Point> = [
  { call: "Bridge.refund", edge: "after", since: signed },
  { call: "SubmissionStore.add", edge: "after", since: [signed, "Bridge.refund"] },
  ...calling,
  { call: "Atomically.run", edge: "inside", within: "WaitStore.open", since: signedTwice },
  { call: "Atomically.run", edge: "after", within: "WaitStore.open", since: signedTwice },
  { call: "Bridge.refund", edge: "after", since: [...signedTwice, "WaitStore.open"] }
]

const of = (plot: Plot, ...points: ReadonlyArray<ReadonlyArray<Point>>) =>
  points.flat().map((point): BridgePoint => ({ ...point, plot }))

export const points: ReadonlyArray<BridgePoint> = [
  ...of("minted", opening, permitting, departing, carrying, ending("Spending.consume")),
  ...of("filled", opening, departing, ending("Spending.consume")),
  ...of("refunded", takingBack, ending("Spending.release"))
]

export const labelOf = ({ call, edge, plot, since, within }: BridgePoint): string => {
  const where = within === undefined ? "" : ` of ${within}`
  const after = [since ?? []].flat().join(", ")
  return `${plot}: ${edge} ${call}${where}${after === "" ? "" : `, after ${after}`}`
}
