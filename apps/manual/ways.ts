/**
 * The page of ways: by which protocol what is traded where, on what that was proven, and which setting switches it on.
 * The chains are those of the adapters' own tables; `test/apps/server/ways.test.ts` compares the settings with a service.
 */
import * as Address from "../../core/chains/address.ts"
import * as Cctp from "../../core/chains/cctp.ts"
import { chains } from "../../core/chains/chain.ts"
import * as Dln from "../../core/chains/dln.ts"
import * as Spender from "../../core/trade/spender.ts"
import { suffixOf } from "./configuration.ts"
import { code, generated, page, table } from "./markdown.ts"

export interface Way {
  readonly protocol: "cctp" | "dln" | "cow" | "jupiter"
  readonly name: string
  readonly what: string
  /** From and to; the same chain twice for a swap. */
  readonly pairs: ReadonlyArray<readonly [from: string, to: string]>
  /** What it was carried out on, whole, on machines of ours. */
  readonly proven: string
  /** What was compared with answers and interfaces as they are published, and never called. */
  readonly recorded: string
  /** What has to be set for it on a pair; nothing where connecting the chains is enough. */
  readonly settingsOf: (pair: readonly [from: string, to: string]) => ReadonlyArray<string>
}

const isLocal = (id: string) => id.startsWith("local")
const ids = chains.map(({ id }) => id).filter((id) => !isLocal(id))
const isOnSolana = (id: string) => Address.familyOf(id).holdsInAccounts

const pairsWith = (has: (from: string, to: string) => boolean): Way["pairs"] =>
  ids.flatMap((from) => ids.filter((to) => has(from, to)).map((to) => [from, to] as const))

const burns = (isFromSolana: boolean, isToSolana: boolean): Way["pairs"] =>
  pairsWith(
    (from, to) =>
      Cctp.between(from, to) !== undefined &&
      isOnSolana(from) === isFromSolana &&
      isOnSolana(to) === isToSolana
  )

const iris = "The answers of Circle's attestation service."
const byTable: Way["settingsOf"] = (pair) =>
  pair.filter(isOnSolana).map((id) => `BURSAR_BRIDGE_TABLE_${suffixOf(id)}`)
const programs =
  "Programs of ours at the addresses of Circle's, on a local Solana, with Circle's own USDC on the EVM side."

const burnt = { protocol: "cctp", name: "CCTP V2" } as const

export const ways: ReadonlyArray<Way> = [
  {
    ...burnt,
    what: "USDC between EVM chains, fast and at the usual pace",
    pairs: burns(false, false),
    proven: "Circle's own USDC, and contracts of the published interface, on two local chains.",
    recorded: iris,
    settingsOf: () => []
  },
  {
    ...burnt,
    what: "USDC from an EVM chain to Solana",
    pairs: burns(false, true),
    proven: programs,
    recorded: `${iris} The layouts of Circle's programs.`,
    settingsOf: byTable
  },
  {
    ...burnt,
    what: "USDC from Solana to an EVM chain",
    pairs: burns(true, false),
    proven: programs,
    recorded: `${iris} The layouts of Circle's programs.`,
    settingsOf: byTable
  },
  {
    protocol: "dln",
    name: "deBridge DLN",
    what: "USDC between main EVM chains by limit orders",
    pairs: pairsWith(Dln.connects),
    proven: "Contracts of the published interface, and whoever fills orders, on two local chains.",
    recorded: "The answers of deBridge's service.",
    settingsOf: () => ["BURSAR_LIMIT_ORDERS_URL"]
  },
  {
    protocol: "cow",
    name: "CoW Protocol",
    what: "Swaps on an EVM chain by signed orders",
    pairs: ids
      .filter((id) => Spender.find("intent_swap", id) !== undefined)
      .map((id) => [id, id] as const),
    proven: "The protocol's own settlement contract on a local chain, with a solver that settles.",
    recorded: "The answers of the order book.",
    settingsOf: ([id]) => [`BURSAR_ORDER_BOOK_${suffixOf(id)}`]
  },
  {
    protocol: "jupiter",
    name: "Jupiter",
    what: "Swaps on Solana by a transaction of the wallet's own",
    pairs: [["solana", "solana"]],
    proven: "A pool program of ours in the router's place, on a local Solana.",
    recorded: "The answers of Jupiter's API, and the instruction of its router.",
    settingsOf: ([id]) => [`BURSAR_AGGREGATOR_${suffixOf(id)}`]
  }
]

const chainsOf = ({ pairs }: Way): string => {
  const [from, to] = [0, 1].map((end) => ids.filter((id) => pairs.some((pair) => pair[end] === id)))
  const list = (some: ReadonlyArray<string> = []) => some.map(code).join(", ")
  return list(from) === list(to) ? list(from) : `${list(from)} to ${list(to)}`
}

const settings = ({ pairs, settingsOf }: Way): string => {
  const names = [...new Set(pairs.flatMap(settingsOf))]
  return names.length === 0 ? "on where both chains are connected" : names.map(code).join(", ")
}

export const waysPage = (): string =>
  page([
    generated("`apps/manual/ways.ts` and the tables of `core/chains/`"),
    "# Ways of trading",
    "By which protocols tokens are swapped and bridged, on what each was proven, and what switches it on. Nothing here was carried out on main chains yet: what a table calls proven was done whole on local test chains, failures included, and what it calls recorded was compared with published answers and interfaces only. A way that a setting switches on is off without it, and then `get_routing_guide` says so.",
    table(
      ["Protocol", "What", "Chains", "Proven on", "Only recorded", "Off until"],
      ways.map((way) => [
        way.name,
        way.what,
        chainsOf(way),
        way.proven,
        way.recorded,
        settings(way)
      ])
    ),
    "A main chain never reaches a test chain. Every way of this table is in the sandbox too, between its own chains; the second EVM chain starts there when a bridge is first asked for."
  ])
