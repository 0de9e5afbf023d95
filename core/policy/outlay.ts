/**
 * What the treasury itself lays out for its accounts: the chain's own coin, for gas, rent and fees. It is bounded for
 * each account by its tier, and for the installation, by chain and UTC day, whatever a bug or a crowd asks for.
 */
import { DateTime, Effect } from "effect"
import { define } from "../operation/refusal.ts"
import type { TierName } from "./plan.ts"

/** The most of a day, in the smallest unit of the chain's coin. */
export type OutlayCaps = Readonly<Record<TierName | "installation", bigint>>

export interface Outlaid {
  readonly accountUnits: bigint
  readonly installationUnits: bigint
}

/** Whose cap a charge would pass. */
export type OutlayScope = "account" | "installation"

/** What an account and all of them may lay out in a day; null where nothing bounds it. */
export interface OutlayLimits {
  readonly accountUnits: bigint | null
  readonly installationUnits: bigint | null
}

/** The scope whose cap so much more would pass; undefined when both have room. */
export const evaluate = (
  limits: OutlayLimits,
  used: Outlaid,
  units: bigint
): OutlayScope | undefined => {
  const { accountUnits, installationUnits } = limits
  if (accountUnits !== null && used.accountUnits + units > accountUnits) return "account"
  if (installationUnits === null) return
  return used.installationUnits + units > installationUnits ? "installation" : undefined
}

export type Charged =
  | { readonly _tag: "charged" }
  | { readonly _tag: "over"; readonly scope: OutlayScope }

/** What a charge comes to, and by how much it raises what the same thing was charged before on its day. */
export const charge = (
  { before, units }: { readonly units: bigint; readonly before: bigint | undefined },
  limits: OutlayLimits,
  used: Outlaid
): { readonly more: bigint; readonly charged: Charged } => {
  const more = units - (before ?? 0n)
  const scope = more > 0n ? evaluate(limits, used, more) : undefined
  return scope === undefined
    ? { more: more > 0n ? more : 0n, charged: { _tag: "charged" } }
    : { more: 0n, charged: { _tag: "over", scope } }
}

export class OutlayLimitExceeded extends define("OUTLAY_LIMIT_EXCEEDED", {
  kind: "forbidden",
  meaning:
    "The network fees that the treasury pays for this account, or for all of them, have reached the operator's daily limit on that chain; `details.resetsAt` says when it starts anew."
}) {}

const coin = (places: number) => (text: string) => {
  const [whole = "", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(places, "0"))
}
const evmDecimals = 18
const solanaDecimals = 9

const caps = (
  personal: string,
  startup: string,
  installation: string,
  decimals = evmDecimals
): OutlayCaps => ({
  personal: coin(decimals)(personal),
  startup: coin(decimals)(startup),
  installation: coin(decimals)(installation)
})

const mainnet = caps("0.05", "0.5", "2")
const rollup = caps("0.005", "0.05", "0.5")
const polygon = caps("20", "200", "2000")
/** A send lends a rent of 0.0015 SOL, which comes back only when its mark is reclaimed. */
const solana = caps("0.1", "1", "10", solanaDecimals)

/** By chain id. The sandbox's chains cost nobody anything. */
export const defaultCaps: Readonly<Record<string, OutlayCaps>> = {
  ethereum: mainnet,
  "ethereum-sepolia": mainnet,
  base: rollup,
  "base-sepolia": rollup,
  arbitrum: rollup,
  "arbitrum-sepolia": rollup,
  optimism: rollup,
  "optimism-sepolia": rollup,
  polygon,
  "polygon-amoy": polygon,
  local: caps("1000000", "1000000", "1000000"),
  "local-2": caps("1000000", "1000000", "1000000"),
  solana,
  "solana-devnet": solana,
  "local-solana": caps("1000000", "1000000", "1000000", solanaDecimals)
}

/** `personal/startup/installation` in the chain's coin; undefined for any other text and caps that contradict. */
export const parseCaps = (text: string, decimals = evmDecimals): OutlayCaps | undefined => {
  const parts = text.split("/")
  const form = new RegExp(`^\\d{1,12}(\\.\\d{1,${decimals}})?$`, "u")
  if (parts.length !== 3 || !parts.every((part) => form.test(part))) return
  const [personal = 0n, startup = 0n, installation = 0n] = parts.map(coin(decimals))
  if (personal > startup || startup > installation) return
  return { personal, startup, installation }
}

export const exceeded = (chainId: string, scope: OutlayScope, day: string) =>
  Effect.fail(
    new OutlayLimitExceeded({
      message:
        scope === "account"
          ? `The network fees paid for this account on ${chainId} have reached today's limit; try again tomorrow (UTC), or ask the operator to raise it.`
          : `The network fees paid on ${chainId} have reached today's limit of this treasury; try again tomorrow (UTC), or ask its operator.`,
      details: { chainId, scope, resetsAt: nextDay(day) }
    })
  )

const nextDay = (day: string) =>
  DateTime.formatIso(DateTime.add(DateTime.makeUnsafe(`${day}T00:00:00Z`), { days: 1 }))
