/** A wallet as a browser's extension registers it (Wallet Standard), which signs with a key of a test's own. */
import type { Page } from "playwright-core"

export interface StandardWallet {
  readonly address: string
  readonly chains: ReadonlyArray<string>
  /** Takes a transaction in base64, and gives back its signature in base64. What it throws is the wallet's error. */
  readonly signAndSend: (asked: {
    readonly chain: string
    readonly transaction: string
  }) => Promise<string>
}

const registering = (address: string, chains: ReadonlyArray<string>) => `
  const base64 = (bytes) => btoa(String.fromCharCode(...bytes))
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const account = { address: ${JSON.stringify(address)}, chains: ${JSON.stringify(chains)}, features: ["solana:signAndSendTransaction"] }
  const signAndSendTransaction = async ({ chain, transaction }) => {
    const answer = await window.signAndSend({ chain, transaction: base64(transaction) })
    if (answer.error !== undefined) throw answer.error
    return [{ signature: bytes(answer.signature) }]
  }
  const wallet = Object.freeze({
    version: "1.0.0",
    name: "Lagoon Wallet",
    icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'><circle cx='10' cy='10' r='10' fill='%2314b8a6'/></svg>",
    chains: account.chains,
    accounts: [],
    features: {
      "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: [account] }) },
      "solana:signAndSendTransaction": { version: "1.0.0", supportedTransactionVersions: ["legacy", 0], signAndSendTransaction }
    }
  })
  const register = ({ register }) => register(wallet)
  dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }))
  addEventListener("wallet-standard:app-ready", ({ detail }) => register(detail))
`

/** Puts the wallet into a page before it goes anywhere. */
export const injectStandard =
  ({ address, chains, signAndSend }: StandardWallet) =>
  async (page: Page): Promise<void> => {
    await page.exposeFunction(
      "signAndSend",
      async (asked: Parameters<StandardWallet["signAndSend"]>[0]) => {
        try {
          return { signature: await signAndSend(asked) }
        } catch (error) {
          return { error }
        }
      }
    )
    await page.addInitScript({ content: registering(address, chains) })
  }
