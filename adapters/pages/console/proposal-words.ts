/**
 * What a person is told of where a proposal stands, and of what happens next. That nothing was moved is said by the
 * outcome, and only where it is so.
 */
import { doingOf } from "../../../core/proposals/doing.ts"
import type { AnyKind, Kind } from "../../../core/proposals/kind.ts"
import type { Output } from "./parts/list.ts"

export type View = Output<"get_proposal">

const waits = (action: View["nextAction"][number]): string => {
  const { received, required, type } = action
  if (type !== "cosigner_approval") return "a person's passkey"
  const left = required - received
  return `${left} more ${left === 1 ? "co-signer" : "co-signers"}`
}

const isWaitedFor = ({ received, required }: View["nextAction"][number]) => received < required

const ended: Readonly<Partial<Record<View["status"], string>>> = {
  completed: "Done.",
  failed: "Failed.",
  rejected: "Rejected.",
  cancelled: "Cancelled.",
  expired: "Expired before it was approved.",
  superseded: "Superseded: something it relies on has changed. Propose it again."
}

/** What came of it, where its status alone does not tell. */
const came: Readonly<Record<NonNullable<View["outcome"]>, string>> = {
  executed: "",
  not_executed: "Nothing was moved.",
  partly_executed: "The steps below show what was done before it ended.",
  refunded: "What was moved came back, less fees."
}

const joined = (...sentences: ReadonlyArray<string | null>) =>
  sentences.filter((sentence) => sentence !== null && sentence !== "").join(" ")

/** Where it stands, and what happens next. */
export const messageOf = (
  view: View,
  isSignedByHumans: boolean,
  words: Pick<AnyKind, "doing">
): string => {
  const { kind, nextAction, outcome, status, statusReason, subStatus } = view
  if (status === "pending_confirm") {
    return isSignedByHumans
      ? "It is not confirmed yet. Your approval also confirms it; then it starts, unless co-signers have to approve it too."
      : "It is not confirmed yet. Nothing happens until you confirm it."
  }
  if (status === "requires_action") {
    const missing = nextAction.filter(isWaitedFor).map(waits)
    return `It waits for ${missing.join(" and ")}. It starts by itself once the last approval is there.`
  }
  if (status === "executing") return doingOf(words, subStatus)
  if (status === "completed") return doneOf(kind)
  return joined(ended[status] ?? "", outcome === null ? "" : came[outcome], statusReason)
}

/** What is done is not always all: a new recipient waits on. */
const doneOf = (kind: Kind): string =>
  kind === "add_recipient"
    ? "Done. The recipient can be paid once its cooldown is over, or once somebody ends it."
    : "Done."

/** The steps from proposing to the end, and which of them it has reached; none of one that ended before. */
export const stageOf = ({ status }: Pick<View, "status">): number =>
  ({ pending_confirm: 0, requires_action: 1, executing: 2, completed: 4 })[status as string] ?? -1

export const stages = ["Confirm", "Approve", "Execute", "Done"] as const

export const isOver = ({ outcome, status }: View): boolean =>
  outcome !== null || ["rejected", "cancelled", "expired", "superseded"].includes(status)

/** Actions as people say them. */
const actions: Readonly<Record<string, string>> = {
  "proposal.created": "Proposed",
  "proposal.requires_action": "Confirmed; approvals are asked for",
  "proposal.signed": "Signed with a passkey",
  "proposal.executing": "Execution started",
  "proposal.completed": "Completed",
  "proposal.failed": "Failed",
  "proposal.rejected": "Rejected",
  "proposal.cancelled": "Cancelled",
  "proposal.expired": "Expired",
  "proposal.superseded": "Superseded",
  "proposal.stop_asked": "Asked to stop",
  "cosigner.approved": "Approved as co-signer",
  "cosigner.rejected": "Rejected as co-signer",
  "governance_request.created": "Asked for",
  "governance_request.applied": "Signed and applied",
  "governance_request.cancelled": "Cancelled",
  "governance_request.superseded": "Superseded"
}

export const actionIn = (action: string): string =>
  actions[action] ?? action.replace(/^.*\./u, "").replaceAll("_", " ")
