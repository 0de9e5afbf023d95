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
    const watched = await browsing.open(`${origin}/docs`)
    await assertSoundInBothThemes(watched, "reference", alike)
    const { page } = watched
    await page.locator("#propose_transfer a[href^='/docs/errors#']").first().click()
    await page.waitForURL(/\/docs\/errors#[A-Z_]+$/u)
    assert.isTrue(await page.locator(":target").isVisible())
    await assertSoundInBothThemes(watched, "errors", alike)
    await watched.close()
  })
})
