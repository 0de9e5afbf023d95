/** What the parent tells the service it starts, as one JSON text in the environment. */

export interface Settings {
  readonly port: number
  /** Holds the keyring, and the embedded database when there is no address of a server. */
  readonly directory: string
  readonly databaseUrl: string | undefined
  readonly rpcUrl: string
  readonly usdc: string
  readonly confirmations: number
  readonly idempotencyLeaseMs: number
  /** How far the service's clock stands ahead. */
  readonly aheadMs: number
  /** Whether to open an account and tell its key. */
  readonly furnishes: boolean
}
