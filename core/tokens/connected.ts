/** The chains that the treasury is connected to, and the one sentence by which everything about another is refused. */
import { Effect } from "effect"
import { UnsupportedChain } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"

export const unconnected = (chainIds: ReadonlyArray<string>): string =>
  `This treasury is not connected to ${[...new Set(chainIds)].join(" and ")}`

const refusal = (
  away: ReadonlyArray<string>,
  supported: ReadonlyArray<string>,
  param: string
): UnsupportedChain =>
  new UnsupportedChain({
    param,
    message: `${unconnected(away)}; use a wallet on one of: ${supported.join(", ")}.`,
    details: { supported: [...supported] }
  })

/** The connection to a chain. */
export const requireConnected = Effect.fnUntraced(function* (chainId: string, param: string) {
  const { connected } = yield* Chains
  const found = connected.find(({ chain }) => chain.id === chainId)
  const supported = connected.map(({ chain }) => chain.id)
  return found ?? (yield* refusal([chainId], supported, param))
})

/** Refuses unless all of them are connected, and names all that are not. */
export const requireAll = Effect.fnUntraced(function* (
  chainIds: ReadonlyArray<string>,
  param: string
) {
  const supported = (yield* Chains).connected.map(({ chain }) => chain.id)
  const away = chainIds.filter((chainId) => !supported.includes(chainId))
  if (away.length > 0) return yield* refusal(away, supported, param)
})
