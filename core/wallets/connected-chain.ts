/** The chain a caller names, if this treasury is connected to it; any other is refused with those that are. */
import { Effect } from "effect"
import * as Chain from "../chains/chain.ts"
import { UnsupportedChain } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"

/** A connected chain by id or CAIP-2, or the refusal that lists those there are. */
export const connectedChain = Effect.fnUntraced(function* (idOrCaip2: string) {
  const { connected } = yield* Chains
  const chain = Chain.find(idOrCaip2)
  const found = connected.find((each) => each.chain.id === chain?.id)
  if (found === undefined) {
    const supported = connected.map((each) => each.chain.id)
    return yield* new UnsupportedChain({
      param: "chainId",
      message:
        supported.length === 0
          ? "This treasury is not connected to any chain yet; ask its operator to connect one."
          : `This treasury is not connected to that chain; use one of: ${supported.join(", ")}.`,
      details: { supported }
    })
  }
  return found
})
