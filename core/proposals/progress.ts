/**
 * What a caller is told of an execution that goes on: what it waits for, and that nobody has to act. A fixed sentence a
 * state; nothing a caller wrote stands in it.
 */
import type { SubStatus } from "./proposal.ts"

/** Of what takes longer than a transaction, or is done by others. */
const doing: Readonly<Partial<Record<SubStatus, string>>> = {
  unknown:
    "the chain has not said yet whether it happened, and nothing is sent again until that is known",
  ordering: "an order is being placed",
  filling: "the order is placed; whoever gives the best price fills it, else it ends by itself",
  attesting: "it left the first chain, and the token's issuer attests that by itself",
  minting: "the issuer has attested it, and the service receives it on the other chain",
  fulfilling:
    "it left the first chain, and solvers may fill it on the other; if none does, the service takes it back",
  refunding: "nobody filled the order, and the first chain gives back what was sent",
  stuck: "it takes longer than it should, and the service keeps looking until it has ended"
}

export const messageOf = (subStatus: SubStatus | null): string => {
  const now = subStatus === null ? undefined : doing[subStatus]
  return now === undefined
    ? "Executing; poll get_proposal for the result."
    : `Executing: ${now}. Nobody has to act; poll get_proposal for the result.`
}
