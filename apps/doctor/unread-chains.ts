/** The connected chains on which no wallet signs, as they were not read since the records were replaced. */
import type { Chain } from "../../core/chains/chain.ts"
import type { UnreadChain } from "../../core/timeline/timeline.ts"
import { type Finding, warning } from "./finding.ts"

/** Nothing is found where all were read; `unknown` where the running service did not say. */
export const examine = (
  chains: ReadonlyArray<Pick<Chain, "id">>,
  unread: ReadonlyArray<UnreadChain> | "unknown" | undefined
): ReadonlyArray<Finding> => {
  if (unread === "unknown") {
    return [
      warning(
        "unread chains",
        "The running service did not say whether a chain is still to be read; it may be of another version. Start it again with this version."
      )
    ]
  }
  const connected = (unread ?? []).filter(({ chainId }) => chains.some(({ id }) => id === chainId))
  return connected.map(({ chainId, since }) =>
    warning(
      `unread chain ${chainId}`,
      `It is connected since ${since}, after the records were replaced by older ones, and was not read yet: no wallet signs there; other chains go on. That takes half an hour. If it takes longer, the log says what its nodes answer: name one that keeps the chain's history.`
    )
  )
}
