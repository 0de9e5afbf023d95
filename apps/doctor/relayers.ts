/**
 * What the relayers hold, who pay the network fees of every wallet. A relayer is low when it holds less than the fees of
 * one account of the smallest tier may come to in a day; it is told with its address, so that it can be funded.
 */
import { Effect } from "effect"
import { type Address, familyOf } from "../../core/chains/address.ts"
import type { Chain, Family } from "../../core/chains/chain.ts"
import * as Decimal from "../../core/money/decimal.ts"
import type { OutlayCaps } from "../../core/policy/outlay.ts"
import { Holdings } from "../../core/ports/holdings.ts"
import { type Finding, ok, warning } from "./finding.ts"

/** Who relays on the chains of a family; null before the first start has made their keys. */
export type Relayers = Readonly<Record<Family, Address>> | null

/** A relayer on one chain, and what it holds of the chain's coin; undefined when no node said so. */
export interface Relayer {
  readonly chain: Chain
  readonly address: Address
  readonly units: bigint | undefined
  /** Below this it is low. */
  readonly minUnits: bigint
}

/** Where nobody else is, coins cost nothing and caps are no measure. */
const minUnitsOn = (chain: Chain, caps: OutlayCaps): bigint =>
  chain.explorer === null ? 10n ** BigInt(familyOf(chain.id).coinOf(chain).decimals) : caps.personal

const patience = "10 seconds"

const lookAt = Effect.fnUntraced(function* (chain: Chain, address: Address, caps: OutlayCaps) {
  const { decimals } = familyOf(chain.id).coinOf(chain)
  const { balances } = yield* Holdings
  const units = yield* balances(chain.id, [address], [{ address: null, decimals }]).pipe(
    Effect.map(([held]) => held?.[0]),
    Effect.timeout(patience),
    Effect.orElseSucceed(() => undefined)
  )
  return { chain, address, units, minUnits: minUnitsOn(chain, caps) } satisfies Relayer
})

/** Asks every chain what its relayer holds; caps are those of outlay, by chain. */
export const look = (
  chains: ReadonlyArray<Chain>,
  relayers: NonNullable<Relayers>,
  caps: Readonly<Record<string, OutlayCaps>>
) =>
  Effect.forEach(
    chains.flatMap((chain) => {
      const ofChain = caps[chain.id]
      return ofChain === undefined ? [] : [{ chain, ofChain }]
    }),
    ({ chain, ofChain }) => lookAt(chain, relayers[chain.family], ofChain),
    { concurrency: "unbounded" }
  )

export type Status = "ok" | "low" | "empty" | "unknown"

export const statusOf = ({ minUnits, units }: Pick<Relayer, "minUnits" | "units">): Status => {
  if (units === undefined) return "unknown"
  if (units === 0n) return "empty"
  return units < minUnits ? "low" : "ok"
}

/** An amount of the coin of a chain, such as `0.005 ETH`. */
export const coins = (chain: Chain, units: bigint): string => {
  const { decimals, symbol } = familyOf(chain.id).coinOf(chain)
  return `${Decimal.format({ units, places: decimals }, 0)} ${symbol}`
}

const toFinding = (relayer: Relayer): Finding => {
  const { address, chain, minUnits, units } = relayer
  const part = `relayer ${chain.id}`
  const mend = `Send at least ${coins(chain, minUnits)} to ${address} on ${chain.name}.`
  switch (statusOf(relayer)) {
    case "unknown":
      return warning(part, `No node said what ${address} holds. See what is said of the chain.`)
    case "empty":
      return warning(part, `${address} holds nothing, so no wallet can send. ${mend}`)
    case "low":
      return warning(part, `${address} holds only ${coins(chain, units ?? 0n)}. ${mend}`)
    case "ok":
      return ok(part, `${address} holds ${coins(chain, units ?? 0n)}.`)
  }
}

const untold =
  "The running service did not say who relays; it may be of another version. Start it again with this version."

/** Undefined where there is nothing to ask yet; `unknown` where the running service did not say. */
export const examine = (
  chains: ReadonlyArray<Chain>,
  relayers: Relayers | "unknown" | undefined,
  caps: Readonly<Record<string, OutlayCaps>>
) => {
  if (relayers === "unknown") {
    return Effect.succeed<ReadonlyArray<Finding>>([warning("relayers", untold)])
  }
  return relayers === undefined || relayers === null
    ? Effect.succeed<ReadonlyArray<Finding>>([])
    : Effect.map(look(chains, relayers, caps), (all) => all.map(toFinding))
}
