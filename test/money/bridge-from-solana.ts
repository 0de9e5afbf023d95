/**
 * Where a process is killed while it bridges from Solana, from its opening to the mint by the receiving wallet's own call:
 * before and after each signature, each hand-over, each write of the journal, each end.
 */
import type { Point } from "../kill/points.ts"
import { deaths } from "./bridge-solana-deaths.ts"
import type { Part } from "./part.ts"

const tried = "SolanaRelay.tryBurn"
const burning = ["SolanaRelay.signBurn", "SubmissionStore.save"]
const minting = ["EvmRelay.signCall", "SubmissionStore.save"]

const points: ReadonlyArray<Point> = [
  { call: "Spending.reserve", edge: "after" },
  { call: "WaitStore.save", edge: "before" },
  { call: "WaitStore.save", edge: "after" },
  { call: tried, edge: "before" },
  { call: tried, edge: "after" },
  { call: "Outlay.charge", edge: "after", since: tried },
  { call: "SolanaRelay.signBurn", edge: "before" },
  { call: "SolanaRelay.signBurn", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.signBurn" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.signBurn" },
  { call: "SolanaRelay.broadcast", edge: "before", since: burning },
  { call: "SolanaRelay.broadcast", edge: "after", since: burning },
  { call: "SubmissionStore.save", edge: "after", since: [...burning, "SolanaRelay.broadcast"] },
  { call: "SolanaRelay.trace", edge: "after", since: burning },
  { call: "Atomically.run", edge: "inside", within: "WaitStore.open", since: burning },
  { call: "Atomically.run", edge: "after", within: "WaitStore.open", since: burning },
  { call: "EvmRelay.lend", edge: "before", since: burning },
  { call: "EvmRelay.lend", edge: "after", since: burning },
  { call: "EvmRelay.signCall", edge: "before" },
  { call: "EvmRelay.signCall", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.signCall" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.signCall" },
  { call: "EvmRelay.broadcast", edge: "before", since: minting },
  { call: "EvmRelay.broadcast", edge: "after", since: minting },
  { call: "EvmRelay.traceNonce", edge: "after", since: "EvmRelay.signCall" },
  { call: "Spending.consume", edge: "before", since: "EvmRelay.signCall" },
  { call: "Spending.consume", edge: "after", since: "EvmRelay.signCall" },
  {
    call: "Atomically.run",
    edge: "inside",
    within: "Spending.consume",
    since: "EvmRelay.signCall"
  },
  { call: "Atomically.run", edge: "after", within: "Spending.consume", since: "EvmRelay.signCall" }
]

export const part: Part = {
  name: "bridge-from-solana",
  promise: "a bridge from Solana burns once and arrives once, wherever its process dies",
  run: (run) => deaths(run, "from Solana", points)
}
