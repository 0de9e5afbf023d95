/**
 * Holds the pinned list against the chains, at start and from then on: a contract that is not there, or that differs
 * from the list in decimals, symbol or code, its own or behind it, is told to the operator by name. Trades ask the same
 * before each order, so that nothing of such a token is traded meanwhile.
 */
import { Duration, Effect } from "effect"
import { supervise } from "../background/loop.ts"
import { familyOf, keyOf, shown } from "../chains/address.ts"
import { tokenContradicted } from "../operation/metrics.ts"
import { Chains } from "../ports/chains.ts"
import { Holdings } from "../ports/holdings.ts"
import * as Pinned from "./pinned.ts"
import type { Pinned as Token } from "./token.ts"

const every = Duration.minutes(10)

/** The tokens of a chain's list whose contracts say otherwise; undefined while the chain does not answer. */
export const contradictedOn = Effect.fnUntraced(function* (chainId: string) {
  const tokens: ReadonlyArray<Token> = (yield* Pinned.on(chainId)) ?? []
  const anybody = shown(chainId, keyOf(chainId, familyOf(chainId).exampleAddress))
  const asking = (yield* Holdings).balances(chainId, [anybody], tokens)
  const rows = yield* Effect.orElseSucceed(asking, () => undefined)
  if (rows === undefined) return undefined
  const [row = []] = rows
  return tokens.filter((_, at) => row[at] === undefined)
})

const nameOf = ({ address, chainId }: Token) => `${chainId} ${address}`

/** Looks once at every chain; tells of each token when it begins to differ, and when it no longer does. */
export const lookOver = Effect.fnUntraced(function* (told: Set<string>) {
  const { connected } = yield* Chains
  for (const { chain } of connected) {
    const differing = yield* contradictedOn(chain.id)
    if (differing === undefined) continue
    for (const token of differing.filter((each) => !told.has(nameOf(each)))) {
      told.add(nameOf(token))
      yield* Effect.logError(
        `${token.symbol} at ${shown(chain.id, token.address)} on ${chain.id} is not what the list of tokens says: its contract is not there, or has other than ${token.decimals} decimals, another symbol or other code, its own or behind it. Nothing of it is traded until that is put right.`
      )
      yield* tokenContradicted(chain.id)
    }
    const names = new Set(differing.map(nameOf))
    for (const name of told) {
      if (name.startsWith(`${chain.id} `) && !names.has(name)) told.delete(name)
    }
  }
})

export const checkList = supervise(
  "Checking the list of tokens",
  Effect.suspend(() => {
    const told = new Set<string>()
    return Effect.forever(Effect.andThen(lookOver(told), Effect.sleep(every)))
  })
)
