/**
 * One real Chromium for a test file. Whatever a page is asked to do, it is watched: console errors,
 * refusals by its own policy and requests to anybody else are faults, and so is what axe finds.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { AxeBuilder } from "@axe-core/playwright"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { assert, describe } from "vitest"

const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]

const executablePath = places.find((path) => path !== undefined && existsSync(path))

const missing =
  "No Chromium was found. Install it (Debian: `apt-get install chromium`) or say in CHROMIUM where it is."

const mayMiss = executablePath === undefined && (process.env.CI ?? "") === ""
if (mayMiss) process.stderr.write(`\n${missing} Tests in a browser are skipped.\n\n`)

/** A browser shares its machine with everything else that is tested there. */
const patienceMs = 120_000

/** Tests that need Chromium: skipped aloud where there is none, but never where `CI` is set. */
export const describeInBrowser = (title: string, tests: () => void): void => {
  describe.skipIf(mayMiss)(title, { timeout: patienceMs }, tests)
}

export interface Watched {
  readonly page: Page
  /** What went wrong so far; a fault that is meant can be named by a part of it. */
  readonly faults: (meant?: RegExp) => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export interface Browsing {
  /** Opens a phone's page at an address; `prepare` is done before it goes there. */
  readonly open: (
    url: string,
    options?: BrowserContextOptions,
    prepare?: (page: Page) => Promise<unknown>
  ) => Promise<Watched>
  readonly close: () => Promise<void>
}

/** Phones are where people pay. */
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }

const watch = (page: Page, origin: string): Array<string> => {
  const faults: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => faults.push(`thrown: ${String(error)}`))
  page.on("request", (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith("data:")) faults.push(`asked: ${url}`)
  })
  return faults
}

/** In the page: policy reports the console does not tell, as of a style that was left out in silence. */
const reportRefusals = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("refused by the policy: " + event.violatedDirective + " " + event.blockedURI)
)`

const openIn = (browser: Browser) => async (url: string, options: BrowserContextOptions) => {
  const context = await browser.newContext({ ...phone, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const faults = watch(page, new URL(url).origin)
  await page.addInitScript({ content: reportRefusals })
  return {
    page,
    faults: (meant?: RegExp) => faults.filter((fault) => meant === undefined || !meant.test(fault)),
    close: () => context.close()
  }
}

/** Starts Chromium. The flags are what containers need, and keep it from talking to its maker. */
export const openBrowsing = async (): Promise<Browsing> => {
  if (executablePath === undefined) throw new Error(missing)
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
  })
  const open = openIn(browser)
  return {
    open: async (url, options = {}, prepare) => {
      const watched = await open(url, options)
      await prepare?.(watched.page)
      await watched.page.goto(url)
      return watched
    },
    close: () => browser.close()
  }
}

const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/** What axe finds wrong with the page as it stands. */
const found = async (axe: AxeBuilder): Promise<ReadonlyArray<string>> => {
  const { violations } = await axe.analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `axe ${id}: ${html}`))
}

/** How many pixels of the page are beyond the side of a small phone. */
const sideways = async (page: Page): Promise<number> => {
  const before = page.viewportSize()
  await page.setViewportSize({ width: 375, height: before?.height ?? 844 })
  const beyond = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth"
  )
  if (before !== null) await page.setViewportSize(before)
  return beyond
}

interface Looking {
  /** Faults that are meant, by a part of them. */
  readonly meant?: RegExp | undefined
  /** What repeats what was looked at already, as a selector. */
  readonly repeats?: string | undefined
}

const axeOf = (page: Page, { repeats }: Looking) => {
  const axe = new AxeBuilder({ page })
    // Only what is wrong is told, in the page itself: otherwise each look opens another page to put together what frames tell.
    .options({ resultTypes: ["violations"] })
    .setLegacyMode()
  return repeats === undefined ? axe : axe.exclude(repeats)
}

/** Everything every page must be, in the state it is in now. */
export const assertSound = async (watched: Watched, looking: Looking = {}): Promise<void> => {
  const { page, faults } = watched
  assert.deepStrictEqual(await found(axeOf(page, looking).withTags(standards)), [])
  assert.strictEqual(await sideways(page), 0, "It scrolls sideways on a small phone.")
  assert.deepStrictEqual(faults(looking.meant), [])
}

/** Where pictures of pages are left to be looked at, for who sets PICTURES; git does not keep them. */
const pictures = join(import.meta.dirname, "../../dist/pictures")
const wantsPictures = (process.env.PICTURES ?? "") !== ""

/** What differs between the themes: nothing but colours. */
const colours = ["color-contrast", "link-in-text-block"]

/** A picture of the page as it stands; of a long one, of its beginning. */
const takePicture = async (page: Page, name: string): Promise<void> => {
  if (!wantsPictures) return
  const fullPage = (await page.evaluate<number>("document.documentElement.scrollHeight")) < 4_000
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage })
}

/** The same in light and in dark, with a picture of each where they are wanted. */
export const assertSoundInBothThemes = async (
  watched: Watched,
  name: string,
  looking: Looking = {}
): Promise<void> => {
  const { page } = watched
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  await takePicture(page, `${name}-light`)
  await assertSound(watched, looking)
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" })
  await takePicture(page, `${name}-dark`)
  assert.deepStrictEqual(await found(axeOf(page, looking).withRules(colours)), [])
}
