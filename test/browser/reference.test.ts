/** The reference of the API in a real browser: read on a phone, by keyboard and by a screen reader, in both themes. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import {
  assertSoundInBothThemes,
  type Browsing,
  describeInBrowser,
  openBrowsing
} from "../support/browser.ts"
import * as Surfaces from "../support/surfaces.ts"

/** One section is made like another; a few of them stand for all. */
const alike = { repeats: "section:nth-of-type(n+6), nav li:nth-of-type(n+6)" }

describeInBrowser("The reference in a browser", () => {
  const scope = Scope.makeUnsafe()
  let browsing: Browsing
  let origin: string

  beforeAll(async () => {
    browsing = await openBrowsing()
    const surfaces = await Effect.runPromise(Layer.buildWithScope(Surfaces.layer(), scope))
    origin = Context.get(surfaces, Surfaces.Origin)
  })

  afterAll(async () => {
    await browsing?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("is sound, and leads from an operation to the codes it may refuse with", async () => {
    const watched = await browsing.open(`${origin}/docs/reference`)
    await assertSoundInBothThemes(watched, "reference", alike)
    const { page } = watched
    await page.locator("#propose_transfer a[href^='/docs/errors#']").first().click()
    await page.waitForURL(/\/docs\/errors#[A-Z_]+$/u)
    assert.isTrue(await page.locator(":target").isVisible())
    await assertSoundInBothThemes(watched, "errors", alike)
    await watched.close()
  })

  it("is reached from the first page by a search, and every page on the way is sound", async () => {
    const watched = await browsing.open(`${origin}/`)
    await assertSoundInBothThemes(watched, "front page")
    const { page } = watched
    await page.getByRole("searchbox", { name: "Search the manual" }).fill("rotate secret")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/docs\/search\?q=rotate\+secret$/u)
    await assertSoundInBothThemes(watched, "search")
    await page.getByRole("link", { name: "rotate_merchant_webhook_secret" }).first().click()
    await page.waitForURL(/\/docs\/api\/merchant-webhooks#rotate_merchant_webhook_secret$/u)
    assert.isTrue(await page.locator(":target").isVisible())
    await page.getByRole("link", { name: "Manual" }).first().click()
    await assertSoundInBothThemes(watched, "contents")
    await page.getByRole("link", { name: "Your first real payment" }).click()
    await assertSoundInBothThemes(watched, "first payment")
    await page.goto(`${origin}/docs/payments`)
    await assertSoundInBothThemes(watched, "guide with tables")
    await page.goto(`${origin}/nothing`)
    assert.strictEqual(await page.title(), "Not found")
    await assertSoundInBothThemes(watched, "not found", { meant: /404/u })
    await watched.close()
  })
})
