/** What a test and the service it starts say to each other; amounts travel as text. */
import type { Wanted } from "../failover/given.ts"
import type { Point } from "../kill/points.ts"

export interface Limits {
  readonly perTransferMicro: string
  readonly dailyMicro: string
  readonly monthlyMicro: string
  readonly hardCapMicro: string
}

/** Mistakes that can be planted, so that the judge of a run is seen to catch them. */
export type Bug =
  | "judged outside of the lock"
  | "given back when spent"
  | "signs at once"
  | "says that a standby has it"

export interface Settings {
  readonly port: number
  /** Holds the keyring, which all processes of a scene share. */
  readonly directory: string
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly rpcTimeoutMs: number
  readonly usdc: string
  readonly confirmations: number
  /** How far the clock stands from the real one. */
  readonly offsetMs: number
  readonly limits: Limits
  /** Whether it carries sends forward, or only answers. */
  readonly works: boolean
  readonly bug?: Bug
}

/** An account with a wallet, some it may pay, and keys that may do everything. */
export interface Account {
  readonly accountId: string
  readonly walletId: string
  readonly address: string
  /** One for each payee, in their order. */
  readonly recipientIds: readonly [string, ...ReadonlyArray<string>]
  readonly developerKey: string
  readonly agentKeys: readonly [string, string]
}

export type Question =
  | { readonly ask: "arm"; readonly point: Point }
  | { readonly ask: "clock"; readonly offsetMs: number }
  | { readonly ask: "limits"; readonly limits: Limits }
  | { readonly ask: "account"; readonly payees: readonly [string, ...ReadonlyArray<string>] }
  | { readonly ask: "relayer" }
  | { readonly ask: "give"; readonly wanted: Wanted; readonly payee: string }
  | { readonly ask: "command"; readonly words: ReadonlyArray<string> }
  | {
      readonly ask: "call"
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
      readonly apiKey: string
      readonly idempotencyKey?: string
    }

/** What a call came to, on whatever surface. */
// biome-ignore lint/suspicious/noExplicitAny: the answer's form is what a run asserts on.
export type Said = { readonly ok: true; readonly data: any } | Refused

export interface Refused {
  readonly ok: false
  readonly code: string
  readonly message: string
}
