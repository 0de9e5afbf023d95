/**
 * Where a process is killed while it bridges to Solana, from the account that receives to the end: before and after each
 * signature, each hand-over, each write of the journal, each end.
 */
import type { Point } from "../kill/points.ts"
import { deaths } from "./bridge-solana-deaths.ts"
import type { Part } from "./part.ts"

const burning = ["EvmRelay.signCall", "SubmissionStore.save"]
const bringing = ["SolanaRelay.signDelivery", "SubmissionStore.save"]

const points: ReadonlyArray<Point> = [
  { call: "TokenAccounts.open", edge: "before" },
  { call: "TokenAccounts.open", edge: "after" },
  { call: "WaitStore.save", edge: "after", since: "TokenAccounts.open" },
  { call: "EvmRelay.signCall", edge: "before" },
  { call: "EvmRelay.signCall", edge: "after" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.signCall" },
  { call: "EvmRelay.broadcast", edge: "after", since: burning },
  { call: "SolanaRelay.tryDelivery", edge: "before" },
  { call: "SolanaRelay.tryDelivery", edge: "after" },
  { call: "Outlay.charge", edge: "after", since: "SolanaRelay.tryDelivery" },
  { call: "SolanaRelay.signDelivery", edge: "before" },
  { call: "SolanaRelay.signDelivery", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.signDelivery" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.signDelivery" },
  { call: "SolanaRelay.broadcast", edge: "before", since: bringing },
  { call: "SolanaRelay.broadcast", edge: "after", since: bringing },
  { call: "SubmissionStore.save", edge: "after", since: [...bringing, "SolanaRelay.broadcast"] },
  { call: "SolanaRelay.traceDelivery", edge: "after" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.traceDelivery" },
  { call: "Spending.consume", edge: "before", since: "SolanaRelay.traceDelivery" },
  { call: "Spending.consume", edge: "after", since: "SolanaRelay.traceDelivery" },
  { call: "Atomically.run", edge: "inside", within: "Spending.consume" },
  { call: "Atomically.run", edge: "after", within: "Spending.consume" }
]

export const part: Part = {
  name: "bridge-to-solana",
  promise: "a bridge to Solana burns once and arrives once, wherever its process dies",
  run: (run) => deaths(run, "to Solana", points)
}
