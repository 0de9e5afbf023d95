/**
 * I2 and I3 for swaps on Solana: a process is killed with SIGKILL at each step of a swap's journal, in clear, lossy and
 * late weather, and a database is restored from before the swap. It sells once, never below its floor.
 */
import type { Point } from "../kill/points.ts"
import type { Part } from "./part.ts"
import { dieAt, inAllWeathers, inTurns, restored, sweep, withBundle } from "./solana.ts"

const signed = ["SolanaRelay.signSwap", "SubmissionStore.save"]

/** Before and after each write of the journal, each signature, each hand-over, each end. */
const points: ReadonlyArray<Point> = [
  { call: "SubmissionStore.claim", edge: "after" },
  { call: "SolanaRelay.findPayment", edge: "after" },
  { call: "SolanaRelay.trySwap", edge: "before" },
  { call: "SolanaRelay.trySwap", edge: "after" },
  { call: "Outlay.charge", edge: "after" },
  { call: "SolanaRelay.signSwap", edge: "before" },
  { call: "SolanaRelay.signSwap", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.signSwap" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.signSwap" },
  { call: "SolanaRelay.broadcast", edge: "before", since: signed },
  { call: "SolanaRelay.broadcast", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.broadcast" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.broadcast" },
  { call: "SolanaRelay.trace", edge: "after" },
  { call: "Spending.consume", edge: "before" },
  { call: "Spending.consume", edge: "after" },
  { call: "Proposals.move", edge: "after", since: "Spending.consume" },
  { call: "Atomically.run", edge: "inside", within: "Spending.consume" },
  { call: "Atomically.run", edge: "after", within: "Spending.consume" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.trace" }
]

export const part: Part = {
  name: "solana-swap",
  promise: "a swap on Solana sells once and never below its floor, wherever its process dies",
  run: (run) =>
    withBundle(run, async (own) => [
      await sweep(
        own,
        "Swaps on Solana: killed with SIGKILL",
        own.quick ? inTurns(points) : inAllWeathers(points, own.times(20, 1)),
        dieAt,
        "swap"
      ),
      await restored(own, "swap")
    ])
}
