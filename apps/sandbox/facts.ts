/**
 * What a sandbox tells its user, and keeps in `sandbox.json`: where it listens, the keys, the chain and
 * the payer. The file is written whole, readable by its owner alone.
 */
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface SandboxFacts {
  readonly siteUrl: string
  readonly baseUrl: string
  readonly mcpUrl: string
  readonly developerKey: string
  /** The agent account's first key, of every scope; to make and end keys with. */
  readonly agentKey: string
  /** Made from it without `keys:manage`: what an agent works with. */
  readonly workerKey: string
  readonly chain: {
    readonly chainId: string
    readonly rpcUrl: string
    readonly usdc: string
    /** Where swaps by order are placed, and what can be swapped beside USDC. */
    readonly orderBookUrl?: string
    readonly tokens?: ReadonlyArray<{
      readonly symbol: string
      readonly tokenAddress: string
      readonly decimals: number
    }>
  }
  readonly payer: { readonly address: string; readonly privateKey: string }
  /** The local Solana; null on a machine that cannot run it. */
  readonly solana?: {
    readonly chainId: string
    readonly rpcUrl: string
    readonly wsUrl: string
    /** The mint. */
    readonly usdc: string
    /** The private key as wallets export it: 64 bytes in base58. */
    readonly payer: { readonly address: string; readonly privateKey: string }
    /** What can be swapped there beside USDC. */
    readonly tokens?: ReadonlyArray<{
      readonly symbol: string
      readonly mint: string
      readonly decimals: number
    }>
  } | null
  /** The second EVM chain, and who is asked on the way there; null where it was not started. */
  readonly secondChain?: {
    readonly chainId: string
    readonly rpcUrl: string
    readonly usdc: string
    /** `PUT /faults` at both switches their faults. */
    readonly attestationUrl: string
    readonly limitOrdersUrl: string
  } | null
  readonly wallets: ReadonlyArray<{
    readonly id: string
    readonly account: "developer" | "agent"
    readonly kind: "standard" | "collection"
    readonly name: string
    readonly address: string
    readonly chainId: string
  }>
  readonly webhookSink?: string
  /** Opened once in a browser, it lets a person in to approve for the developer account. */
  readonly enrolmentUrl?: string
}

const fileIn = (directory: string) => join(directory, "sandbox.json")

/** What an earlier run left, or undefined when there is none that can be read. */
export const readFacts = (directory: string): SandboxFacts | undefined => {
  if (!existsSync(fileIn(directory))) return undefined
  try {
    return JSON.parse(readFileSync(fileIn(directory), "utf8")) as SandboxFacts
  } catch {
    return undefined
  }
}

export const writeFacts = (directory: string, facts: SandboxFacts): void => {
  const draft = `${fileIn(directory)}.new`
  writeFileSync(draft, `${JSON.stringify(facts, undefined, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, fileIn(directory))
}
