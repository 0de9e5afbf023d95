/** The checkout page in a real browser: what a payer sees, does and is told, in every state and theme. */
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import { realWorld } from "../stories/real-world.ts"
import * as Scene from "../stories/scenes.ts"
import { assertSound, type Browsing, describeInBrowser, openBrowsing } from "../support/browser.ts"

const world = () => realWorld(Embedded.memory, "REST")

describeInBrowser("The checkout page in a browser", () => {
  const scope = Scope.makeUnsafe()
  let browsing: Browsing
  let shop: Effect.Success<ReturnType<typeof world>>

  beforeAll(async () => {
    browsing = await openBrowsing()
    shop = await Effect.runPromise(Scope.provide(world(), scope))
  })

  afterAll(async () => {
    await browsing?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  const aRequest = async () => {
    const vault = await Effect.runPromise(Scene.vault(shop))
    return Effect.runPromise(Scene.request(shop, vault.walletMappingId, 1250.5))
  }

  it("is sound in light and dark", async () => {
    const { pid } = await aRequest()
    for (const colorScheme of ["light", "dark"] as const) {
      const opened = await browsing.open(`${shop.siteUrl}/pay/${pid}`, { colorScheme })
      assert.strictEqual(await opened.page.locator("h1").textContent(), "1,250.50 USDC")
      await opened.page.getByRole("button", { name: "Copy the address" }).waitFor()
      await assertSound(opened)
      await opened.close()
    }
  })

  it("can be paid from without scripts", async () => {
    const { pid, payToAddress } = await aRequest()
    const { page, faults, close } = await browsing.open(`${shop.siteUrl}/pay/${pid}`, {
      javaScriptEnabled: false
    })
    assert.strictEqual(await page.locator("main code").textContent(), payToAddress)
    assert.isTrue(await page.getByRole("img", { name: /QR code to pay 1,250.50/u }).isVisible())
    assert.strictEqual(await page.getByRole("button").count(), 0)
    assert.deepStrictEqual(faults(), [])
    await close()
  })
})
