/** A wallet as a browser's extension announces it (EIP-6963), which does what it is asked on a test's chain. */
import type { Page } from "playwright-core"

export interface Asked {
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

const announcing = `
  const provider = { request: (asked) => window.askWallet(asked).then((answer) => {
    if (answer.error !== undefined) throw answer.error
    return answer.result
  }) }
  const info = { uuid: "5c0bd1a4-0000-4000-8000-000000000000", name: "Harbour Wallet", icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'><circle cx='10' cy='10' r='10' fill='%23f6b73c'/></svg>", rdns: "org.example.mock" }
  const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }))
  addEventListener("eip6963:requestProvider", announce)
  announce()
`

/** Puts the wallet into a page before it goes anywhere. What `answer` throws is the wallet's error. */
export const inject =
  (answer: (asked: Asked) => Promise<unknown>) =>
  async (page: Page): Promise<void> => {
    await page.exposeFunction("askWallet", async (asked: Asked) => {
      try {
        return { result: await answer(asked) }
      } catch (error) {
        return { error }
      }
    })
    await page.addInitScript({ content: announcing })
  }
