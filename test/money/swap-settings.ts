/** What the runs of swaps and the process they start say to each other. */
import type { Point } from "../kill/points.ts"

export interface Settings {
  /** Holds the keyring, which all processes of a scene share. */
  readonly directory: string
  readonly databaseUrl: string
  /** Whether the numbers of its lines of history are kept beside the keyring. */
  readonly hasLines: boolean
  readonly rpcUrl: string
  readonly orderBookUrl: string
  readonly usdc: string
  /** What is bought: 18 decimals, at 2,500 USD. */
  readonly weth: string
  /** What it costs, for both sources of prices, in millionths of a dollar. */
  readonly priceMicro: string
  /** How far the clock stands from the real one. */
  readonly offsetMs: number
  /** Whether it carries swaps forward, or only answers. */
  readonly works: boolean
}

export type Question =
  | { readonly ask: "arm"; readonly point: Point }
  | { readonly ask: "clock"; readonly offsetMs: number }
  /** What a whole token costs for both sources of prices, in millionths of a dollar. */
  | { readonly ask: "price"; readonly micro: string }
  | { readonly ask: "account" }
  | { readonly ask: "relayer" }
  | {
      readonly ask: "call"
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
      readonly apiKey: string
      readonly idempotencyKey?: string
    }
