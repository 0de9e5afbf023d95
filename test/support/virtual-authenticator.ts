/** A device in the test's Chromium that keeps passkeys and answers for its human, as long as it verifies them. */
import type { Page } from "playwright-core"

const options = {
  protocol: "ctap2",
  ctap2Version: "ctap2_1",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true
} as const

export interface VirtualAuthenticator {
  readonly verifies: (isUserVerified: boolean) => Promise<void>
  /** Puts another device in its place, which knows none of its passkeys. */
  readonly replace: () => Promise<void>
}

export const openAuthenticator = async (page: Page): Promise<VirtualAuthenticator> => {
  const device = await page.context().newCDPSession(page)
  await device.send("WebAuthn.enable", { enableUI: false })
  const add = async () =>
    (await device.send("WebAuthn.addVirtualAuthenticator", { options })).authenticatorId
  let authenticatorId = await add()
  return {
    verifies: async (isUserVerified) => {
      await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })
    },
    replace: async () => {
      await device.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId })
      authenticatorId = await add()
    }
  }
}
