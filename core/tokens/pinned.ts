/** Reads of the pinned list, by chain and by address. They look nothing up outside. */
import { Effect } from "effect"
import * as Address from "../chains/address.ts"
import { Chains } from "../ports/chains.ts"
import { type Pinned, pinnedOn, TokenSettings } from "./token.ts"

/** The list of a chain; undefined where the treasury is not connected. */
export const on = Effect.fnUntraced(function* (chainId: string) {
  const { connected } = yield* Chains
  const { tokens } = yield* TokenSettings
  const found = connected.find(({ chain }) => chain.id === chainId)
  return found === undefined ? undefined : pinnedOn(found, tokens)
})

/** The token of the list at an address; undefined for any other. */
export const at = Effect.fnUntraced(function* (chainId: string, address: string) {
  const tokens: ReadonlyArray<Pinned> = (yield* on(chainId)) ?? []
  return tokens.find((token) => Address.isSame(chainId, token.address, address))
})
