/** What the runs of bridges to Solana and back and the process they start say to each other. */
import type { Point } from "../kill/points.ts"

export interface Settings {
  /** Holds the keyring, which all processes of a scene share. */
  readonly directory: string
  readonly databaseUrl: string
  readonly evm: { readonly rpcUrl: string; readonly usdc: string }
  readonly solana: { readonly rpcUrl: string; readonly usdc: string; readonly table: string }
  readonly attestationUrl: string
  /** Whose the account is, by its wallet; null makes the account and only answers. */
  readonly agentKey: string | null
  readonly payer: string
  /** How far the clock is ahead of the real one. */
  readonly aheadMs: number
}

/** Which of the two chains a bridge leaves. */
export type Direction = "to Solana" | "from Solana"

export interface Wallets {
  readonly from: { readonly id: string; readonly address: string }
  readonly to: { readonly id: string; readonly address: string }
}

export type Question =
  | { readonly ask: "arm"; readonly point: Point }
  | { readonly ask: "begin" }
  | { readonly ask: "wallets"; readonly name: string; readonly direction: Direction }
  | {
      readonly ask: "propose"
      readonly wallets: Wallets
      readonly amountUsd: string
      readonly direction: Direction
    }
  | { readonly ask: "confirm"; readonly proposalId: string }
  | { readonly ask: "state"; readonly proposalId: string }

/** What the first process of a scene tells: whose key, and who pays for what. */
export interface Beginning {
  readonly agentKey: string
  readonly relayers: { readonly evm: string; readonly solana: string }
}

export interface State {
  readonly status: string
  readonly outcome?: string | null
  readonly reason?: string | null
  readonly bought?: string | null
}
