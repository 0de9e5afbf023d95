/** What only a browser knows of the checkout page, and what a payer can do there. Without scripts there is none of it. */

export interface Wallet {
  readonly id: string
  readonly name: string
  /** An image in itself; no wallet makes the page load anything. */
  readonly icon: string | null
}

export interface Live {
  /** An instant in the payer's own time zone and language. */
  readonly timeOf: (instant: string) => string
  /** By the server's clock. */
  readonly nowMs: number
  readonly connection: "connecting" | "live" | "lost"
  readonly wallets: ReadonlyArray<Wallet>
  /** What the last thing the payer did came to. */
  readonly note: string
  readonly busy: boolean
  /** Whether a wallet is to be chosen, is to sign which request it paid, or has done all it can. */
  readonly stage: "choose" | "sign" | "sent"
  readonly copy: (what: string, text: string) => void
  readonly pay: (walletId: string) => void
  readonly sign: () => void
  readonly print: () => void
}
