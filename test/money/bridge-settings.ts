/** What the runs of bridges and the process they start say to each other. */
import type { Point } from "../kill/points.ts"

/** One of the two chains. */
export interface Place {
  readonly chainId: string
  readonly rpcUrl: string
  readonly usdc: string
}

export interface Settings {
  /** Holds the keyring, which all processes of a scene share. */
  readonly directory: string
  readonly databaseUrl: string
  /** Whether the numbers of its lines of history are kept beside the keyring. */
  readonly hasLines: boolean
  readonly places: readonly [Place, Place]
  readonly attestationUrl: string
  readonly limitOrdersUrl: string
  /** How far the clock stands from the real one. */
  readonly offsetMs: number
  /** The cap on what is sold in a day; as by default when left out. */
  readonly dailyTradeMicro?: string
  /** Whether it carries bridges forward, or only answers. */
  readonly works: boolean
}

export interface Wallet {
  readonly id: string
  readonly address: string
}

export interface Account {
  readonly agentKey: string
  readonly from: Wallet
  readonly to: Wallet
}

export type Question =
  | { readonly ask: "arm"; readonly point: Point }
  | { readonly ask: "clock"; readonly offsetMs: number }
  | { readonly ask: "account" }
  | { readonly ask: "relayer"; readonly chainId: string }
  | {
      readonly ask: "call"
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
      readonly apiKey: string
      readonly idempotencyKey?: string
    }

export type { Said } from "./settings.ts"
