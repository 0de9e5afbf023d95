/** What only a browser knows of the checkout page, and what a payer can do there. Without scripts there is none of it. */

export interface Wallet {
  readonly id: string
  readonly name: string
  /** An image in itself; no wallet makes the page load anything. */
  readonly icon: string | null
}

export interface Live {
  /** By the server's clock. */
  readonly nowMs: number
  readonly connection: "connecting" | "live" | "lost"
  readonly wallets: ReadonlyArray<Wallet>
  /** What the last thing the payer did came to. */
  readonly note: string
  readonly busy: boolean
  /** The payment was sent, and the wallet is to sign which request it was for. */
  readonly asksSignature: boolean
  readonly copy: (what: string, text: string) => void
  readonly pay: (walletId: string) => void
  readonly sign: () => void
}
