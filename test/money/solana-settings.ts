/** What the runs on Solana and the process they start say to each other. */
import type { Point } from "../kill/points.ts"

export const chainId = "local-solana"

export interface Settings {
  /** Holds the keyring, which all processes of a scene share. */
  readonly directory: string
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly usdc: string
  /** Where swaps are asked for, and what is bought by them. */
  readonly aggregatorUrl: string
  readonly buy: string
  /** What one of those costs for both sources of prices, in millionths of a dollar. */
  readonly priceMicro: string
  /** How far the clock is ahead of the real one. */
  readonly aheadMs: number
  /** Whether it carries sends forward, or only answers. */
  readonly works: boolean
}

/** A send or a swap, by what its caller keeps of it. */
export interface Meant {
  readonly act: "send" | "swap"
  readonly accountId: string
  readonly keyId: string
  readonly payee: string
  readonly call: { readonly operation: string; readonly idempotencyKey: string }
}

/** A payment request, as its payer sees it. */
export interface Requested {
  readonly id: string
  readonly accountId: string
  readonly pid: string
  readonly payTo: string
}

export interface SettledState {
  readonly status?: string
  readonly receivedMicro: string
  readonly transfers: number
  /** Of what payers signed for it, how much is not closed. */
  readonly open: number
}

export type Question =
  | { readonly ask: "arm"; readonly point: Point }
  | { readonly ask: "wallet"; readonly keyId: string }
  | { readonly ask: "send"; readonly meant: Meant }
  | { readonly ask: "state"; readonly accountId: string; readonly proposalId: string }
  | { readonly ask: "relayer" }
  /** Opens a vault with a request on it. */
  | { readonly ask: "request"; readonly amountMicro: string }
  /** Settles what a payer has signed for a request, and says how that ended. */
  | { readonly ask: "pay"; readonly requested: Requested; readonly wire: string }
  | { readonly ask: "settled"; readonly requested: Requested }
  /** Takes back every mark that was made before a time, in milliseconds, and says how many that were. */
  | { readonly ask: "reclaim"; readonly beforeMs: number }
  /** How many marks of the final payments in the records stand. */
  | { readonly ask: "marks" }
  /** An account with a wallet and a key that may do everything. */
  | { readonly ask: "account" }
  /** Calls an operation with such a key. */
  | {
      readonly ask: "call"
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
      readonly apiKey: string
    }
  /** What records from before that need before they sign again; what waited for it is looked at at once. */
  | { readonly ask: "reconcile" }

export interface State {
  readonly status?: string
  readonly reason?: string | null
  /** What the send waits for. */
  readonly waitsFor?: string | null
  readonly recovered?: boolean
  readonly txHashes?: ReadonlyArray<string>
  readonly reservation?: string
  readonly isClosed: boolean
}
