/** Reads which chains to connect to from the environment: their nodes, and how patient to be with each. */
import { Redacted } from "effect"
import { publicUrl as jupiterUrl } from "../../adapters/providers/jupiter.ts"
import { familyOf, parse as parseAddress } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import { finality, usdc } from "../../core/chains/usdc.ts"
import { defaultCaps, type OutlayCaps, parseCaps } from "../../core/policy/outlay.ts"
import * as Spender from "../../core/trade/spender.ts"
import type { Configuration } from "./configuration.ts"
import { type Environment, SettingRefused } from "./setting.ts"
import type { Connected } from "./wiring.ts"

type EvmConnection = Connected["chains"][number]
type SolanaConnection = NonNullable<Connected["solana"]>[number]

const suffix = (chainId: string) => chainId.toUpperCase().replaceAll("-", "_")

const refuse = (variable: string, message: string) => new SettingRefused({ variable, message })

/** What is known of a chain by its name; a local one belongs to the sandbox. */
const knownChain = (id: string) => {
  const chain = Chain.find(id)
  const token = usdc[chain?.id ?? ""]
  const rule = finality[chain?.id ?? ""]
  if (chain !== undefined && token !== undefined && rule !== undefined)
    return { chain, token, rule }
  const known = Object.keys(usdc).join(", ")
  throw refuse("BURSAR_CHAINS", `BURSAR_CHAINS has the unknown chain ${id}; known are: ${known}.`)
}
type Known = ReturnType<typeof knownChain>

const urlForm = /^https?:\/\//u

/** Where swaps by order are placed; undefined where the operator names no order book. */
const orderBookOf = ({ chain }: Known, environment: Environment): string | undefined => {
  const variable = `BURSAR_ORDER_BOOK_${suffix(chain.id)}`
  const url = environment[variable]
  if (url === undefined) return undefined
  if (Spender.find("intent_swap", chain.id) === undefined) {
    throw refuse(variable, `${variable} cannot be set: there is no order book on ${chain.name}.`)
  }
  if (!/^https:\/\/[^?#]+$/u.test(url)) {
    throw refuse(
      variable,
      `${variable} must be the https URL of an order book of ${chain.name}, such as https://api.cow.fi/base.`
    )
  }
  return url.replace(/\/+$/u, "")
}

const evmConnection = (known: Known, environment: Environment): EvmConnection => {
  const { chain, rule, token } = known
  const rpc = `BURSAR_RPC_${suffix(chain.id)}`
  const rpcUrl = environment[rpc]
  if (rpcUrl === undefined || !urlForm.test(rpcUrl)) {
    throw refuse(rpc, `${rpc} must be the http(s) URL of a node of ${chain.name}.`)
  }
  const depth = `BURSAR_CONFIRMATIONS_${suffix(chain.id)}`
  const confirmations = Number(environment[depth] ?? rule.confirmations)
  if (!Number.isInteger(confirmations) || confirmations < 1 || confirmations > 1000) {
    throw refuse(depth, `${depth} must be a whole number from 1 to 1000.`)
  }
  const tag = `BURSAR_FINALITY_${suffix(chain.id)}`
  const finalTag = environment[tag] ?? "finalized"
  if (finalTag !== "finalized" && finalTag !== "safe") {
    throw refuse(tag, `${tag} must be finalized or safe.`)
  }
  const second = `BURSAR_SECOND_RPC_${suffix(chain.id)}`
  const secondRpcUrl = environment[second]
  if (secondRpcUrl !== undefined && !urlForm.test(secondRpcUrl)) {
    throw refuse(second, `${second} must be the http(s) URL of another node of ${chain.name}.`)
  }
  const orderBookUrl = orderBookOf(known, environment)
  return {
    chain,
    usdc: token,
    confirmations,
    finalTag,
    pollMs: rule.pollMs,
    rpcUrl,
    ...(secondRpcUrl === undefined ? {} : { secondRpcUrl }),
    ...(orderBookUrl === undefined ? {} : { orderBookUrl })
  }
}

/** The most that a send bids for a compute unit, in millionths of the smallest unit of the coin; undefined for the usual limit. */
const maxPriorityOf = (variable: string, text: string | undefined): bigint | undefined => {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/u.test(text)) return BigInt(text)
  throw refuse(
    variable,
    `${variable} must be a whole number from 1 to 999999999: millionths of the smallest unit of the coin, for each compute unit.`
  )
}

/** Who is asked for swaps; undefined where the operator names nobody. */
const aggregatorOf = ({ chain }: Known, environment: Environment) => {
  const variable = `BURSAR_AGGREGATOR_${suffix(chain.id)}`
  const url = environment[variable]
  if (url === undefined) return undefined
  if (chain.id !== "solana") {
    throw refuse(variable, `${variable} cannot be set: nothing is swapped on ${chain.name}.`)
  }
  if (!/^https:\/\/[^?#]+$/u.test(url)) {
    throw refuse(
      variable,
      `${variable} must be the https URL of Jupiter's swap API, such as ${jupiterUrl}.`
    )
  }
  const key = environment.BURSAR_JUPITER_KEY
  return {
    url: url.replace(/\/+$/u, ""),
    ...(key === undefined ? {} : { apiKey: Redacted.make(key, { label: "aggregator key" }) })
  }
}

/** The lookup table by which what the issuer's bridge brings fits into a transaction; nothing is brought without it. */
const bridgeTableOf = ({ chain }: Known, environment: Environment): string | undefined => {
  const variable = `BURSAR_BRIDGE_TABLE_${suffix(chain.id)}`
  const text = environment[variable]
  if (text === undefined) return undefined
  const table = parseAddress(chain.id, text)
  if (table !== undefined) return table
  throw refuse(variable, `${variable} must be the address of a lookup table on ${chain.name}.`)
}

/** This family's chains say themselves what is final, so nothing about it can be set. */
const solanaConnection = (known: Known, environment: Environment): SolanaConnection => {
  const { chain, rule, token } = known
  const rpc = `BURSAR_RPC_${suffix(chain.id)}`
  const [first, ...others] = (environment[rpc] ?? "").split(",").map((url) => url.trim())
  if (first === undefined || ![first, ...others].every((url) => urlForm.test(url))) {
    throw refuse(
      rpc,
      `${rpc} must be the http(s) URL of a node of ${chain.name}, or several, comma-separated.`
    )
  }
  for (const name of ["CONFIRMATIONS", "FINALITY"]) {
    const variable = `BURSAR_${name}_${suffix(chain.id)}`
    if (environment[variable] === undefined) continue
    throw refuse(variable, `${variable} cannot be set: ${chain.name} says itself what is final.`)
  }
  const { confirmations, pollMs } = rule
  const bound = `BURSAR_PRIORITY_FEE_${suffix(chain.id)}`
  const maxPriority = maxPriorityOf(bound, environment[bound])
  const jupiter = aggregatorOf(known, environment)
  const cctpTable = bridgeTableOf(known, environment)
  return {
    chain,
    usdc: token,
    confirmations,
    pollMs,
    rpcUrls: [first, ...others],
    ...(maxPriority === undefined ? {} : { maxPriority }),
    ...(jupiter === undefined ? {} : { jupiter }),
    ...(cctpTable === undefined ? {} : { cctpTable })
  }
}

/** The caps of outlay by chain; throws `SettingRefused` with a sentence. */
export const outlay = (
  configuration: Configuration,
  environment: Environment
): Readonly<Record<string, OutlayCaps>> => {
  const set = configuration.chains.flatMap((id) => {
    const variable = `BURSAR_OUTLAY_${suffix(id)}`
    const text = environment[variable]
    if (text === undefined) return []
    const chain = Chain.find(id)
    const caps = parseCaps(text, chain && familyOf(id).coinOf(chain).decimals)
    if (caps !== undefined) return [[id, caps] as const]
    throw refuse(
      variable,
      `${variable} must be personal/startup/installation in the chain's coin, none above the next, such as 0.05/0.5/2.`
    )
  })
  return { ...defaultCaps, ...Object.fromEntries(set) }
}

/** The connections of a configuration; throws `SettingRefused` with a sentence. */
export const connections = (
  configuration: Configuration,
  environment: Environment
): Connected & { readonly solana: ReadonlyArray<SolanaConnection> } => {
  const known = configuration.chains.map(knownChain)
  const byFamily = Map.groupBy(known, ({ chain }) => chain.family)
  const of = (family: Chain.Family) => byFamily.get(family) ?? []
  return {
    chains: of("evm").map((each) => evmConnection(each, environment)),
    solana: of("solana").map((each) => solanaConnection(each, environment))
  }
}
