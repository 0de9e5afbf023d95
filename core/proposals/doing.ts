/** What an execution does just now, in words that every surface shows; a kind adds the words of its own steps. */
import type { AnyKind } from "./kind.ts"
import type { SubStatus } from "./proposal.ts"
import type { UnderWay } from "./step.ts"

const common: Readonly<Partial<Record<SubStatus, string>>> = {
  queued: "It waits for its turn to be signed.",
  signing: "It is being signed.",
  broadcast: "It was sent to the chain and waits for a block.",
  confirming: "A block has it. It is done once that block is final.",
  unknown:
    "The chain has not said yet whether it happened. Nothing is sent again until that is known.",
  ordering: "An order is being placed.",
  cancelling: "It was asked to stop. The chain decides what still happens.",
  stuck:
    "It takes longer than it should, and the account was told. Nothing is lost and nobody has to do anything here: the service keeps looking until it has ended."
}

/** What happens now, who does it, and how long that takes at most. */
export const doingOf = ({ doing }: Pick<AnyKind, "doing">, subStatus: SubStatus | null): string =>
  subStatus === null
    ? "It was started."
    : (doing?.[subStatus] ?? common[subStatus] ?? "It is under way.")

/** What its caller is told meanwhile. What stands in its way may be for somebody to mend, and only the reason says so. */
export const whileExecuting = (
  kind: Pick<AnyKind, "doing">,
  { statusReason, subStatus }: Pick<UnderWay, "statusReason" | "subStatus">
): string =>
  [
    `Executing. ${doingOf(kind, subStatus)}`,
    ...(statusReason === null ? [] : ["statusReason says why it waits."]),
    "Poll get_proposal for the result."
  ].join(" ")
