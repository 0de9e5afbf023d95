/** Every page of the console in a real browser: what it shows, what it is asked with, and what its forms do. */
import { Effect, Exit, Scope } from "effect"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, it } from "vitest"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { issueEnrolment } from "../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { realWorld } from "../stories/real-world.ts"
import {
  assertSound,
  assertSoundInBothThemes,
  type Browsing,
  describeInBrowser,
  openBrowsing,
  type Watched
} from "../support/browser.ts"
import * as FreshEmbedded from "../support/fresh-embedded-database.ts"
import { png } from "../support/pictures.ts"
import { openAuthenticator } from "../support/virtual-authenticator.ts"

/** A server's own answer of 4xx is told in the browser's console; what the page makes of it is tested. */
const refusals = /Failed to load resource: the server responded with a status of 4\d\d/u

const world = Effect.flatMap(Effect.promise(freePort), (port) =>
  Effect.map(realWorld(FreshEmbedded.engine, "REST", port), (opened) => ({
    ...opened,
    consoleUrl: `http://localhost:${port}/console`
  }))
)

const desktop = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }

describeInBrowser("The pages of the console in a browser", () => {
  const scope = Scope.makeUnsafe()
  const run = Effect.runPromise
  let browsing: Browsing
  let treasury: Effect.Success<typeof world>
  let watched: Watched
  let page: Page

  const press = (name: string | RegExp) => page.getByRole("button", { name }).click()
  const open = (path: string) => page.goto(`${treasury.consoleUrl}${path}`)
  const heading = (name: string | RegExp) => page.getByRole("heading", { name, level: 1 }).waitFor()

  beforeAll(async () => {
    browsing = await openBrowsing()
    treasury = await run(Scope.provide(world, scope))
    const { id: accountId } = await run(treasury.calls.get_account({}))
    const { url } = await run(
      treasury.operate(
        Effect.flatMap(Atomically, ({ run: atomically }) =>
          atomically(issueEnrolment({ accountId, purpose: "operator", name: "Ada" }, "operator"))
        )
      )
    )
    watched = await browsing.open(
      url,
      { timezoneId: "Asia/Tokyo", locale: "en-GB" },
      async (opened) => {
        await openAuthenticator(opened)
        opened.on("dialog", (dialog) => dialog.accept())
      }
    )
    page = watched.page
    await press("Create passkey")
    await heading("Overview")
  })

  afterAll(async () => {
    await browsing?.close()
    await run(Scope.close(scope, Exit.void))
  })

  it("asks for what an operation takes, points at the field that is wrong, and keeps what was typed", async () => {
    const { wallets } = await run(treasury.calls.list_wallets({ kind: "collection" }))
    await open(`/new/create_payment_request?walletMappingId=${wallets[0]?.id}`)
    await page.getByLabel("Amount in USD").fill("twelve")
    await page.getByLabel("External reference").fill("INV-7")
    await press("Create")
    await page.locator("#field-amountUsd-error").filter({ hasText: /./u }).waitFor()
    const amount = page.getByLabel("Amount in USD")
    assert.strictEqual(await amount.getAttribute("aria-invalid"), "true")
    assert.strictEqual(await page.evaluate("document.activeElement.name"), "amountUsd")
    assert.strictEqual(await page.getByLabel("External reference").inputValue(), "INV-7")
    await assertSound(watched, { meant: refusals })
    await amount.fill("12.50")
    await press("Create")
    await heading(/^Payment request pr_/u)
    await page.getByText("12.50 USDC").first().waitFor()
    await page.getByText("INV-7").waitFor()
    const { payment_requests } = await run(treasury.calls.list_payment_requests({}))
    const made = payment_requests.filter(({ externalReference }) => externalReference === "INV-7")
    assert.lengthOf(made, 1)
  })

  it("adds many customers as they are pasted and from a file, and names the row that is wrong", async () => {
    await open("/new/create_provisioning_job")
    await page.locator("select[name=chainId]").selectOption("local")
    await page.locator("textarea[name=customers]").fill("externalId\tnamespace\nada\n\tshop")
    await press("Add")
    await page.locator("#field-customers-error").filter({ hasText: /2/u }).waitFor()
    const buffer = Buffer.from('externalId,metadata.city\r\nmary,"St. Gallen"\r\n')
    const file = page.locator("input[type=file]")
    await file.setInputFiles({ name: "customers.csv", mimeType: "text/csv", buffer })
    await page.waitForFunction("document.querySelector('textarea').value.includes('mary')")
    await press("Add")
    await page.getByText("mary").waitFor()
    const [mary] = (await run(treasury.calls.list_wallets({ search: "mary" }))).wallets
    assert.strictEqual(mary?.metadata.city, "St. Gallen")
    await assertSound(watched, { meant: refusals })
  })

  it("filters a list, reads it page by page, and hands it out as a file", async () => {
    const { wallets } = await run(treasury.calls.list_wallets({ kind: "collection" }))
    const walletMappingId = wallets[0]?.id ?? ""
    for (let at = 0; at < 30; at++) {
      await run(
        treasury.calls.create_payment_request({
          walletMappingId,
          amountUsd: at + 1,
          externalReference: `=cmd ${at}`
        })
      )
    }
    await open("/payments")
    const rows = page.locator("tbody tr")
    assert.strictEqual(await rows.count(), 25)
    await page.getByRole("link", { name: "Next page" }).click()
    await page.waitForURL(/cursor=/u)
    assert.isAtLeast(await rows.count(), 6)
    await page.getByText("Narrow down").click()
    await page.getByLabel("Status").selectOption("cancelled")
    await press("Filter")
    await page.getByText("No payment requests.").waitFor()
    await page.getByRole("link", { name: "Clear filters" }).click()
    const href = await page.getByRole("link", { name: /CSV/u }).getAttribute("href")
    const file = await page.request.get(new URL(href ?? "", page.url()).href)
    assert.include(file.headers()["content-disposition"], "payment-requests.csv")
    const lines = (await file.text()).trimEnd().split("\r\n")
    assert.lengthOf(lines, 26)
    assert.include(lines[0], "Request,Status,Amount")
    assert.include(lines[1], "'=cmd 29")
    assert.match(lines[1] ?? "", /^pr_[0-9A-Za-z]{20,},open,30\.00 USDC/u)
  })

  it("shows times in the reader's zone, with UTC at hand", async () => {
    await open("/payments")
    const time = page.locator("td time").first()
    assert.match((await time.getAttribute("title")) ?? "", / UTC$/u)
    const at = (await time.getAttribute("datetime")) ?? ""
    const tokyo = new Intl.DateTimeFormat("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      timeZone: "Asia/Tokyo"
    }).format(Date.parse(at))
    assert.strictEqual(await time.textContent(), tokyo)
  })

  it("sets the name, colour and logo that payers then see, and shows them first", async () => {
    await open("/settings")
    await page.getByRole("link", { name: "Change the settings" }).click()
    await page.getByLabel("Name payers see").fill("Corner Shop")
    await page.getByLabel("Colour of buttons").fill("#ffd400")
    const file = {
      name: "logo.png",
      mimeType: "image/png",
      buffer: Buffer.from(png(900, 300).bytes)
    }
    await page.locator("input[type=file]").setInputFiles(file)
    await page.getByText("logo.png is taken").waitFor()
    await press("Save with your passkey")
    await page.getByText("360 × 120 pixels").waitFor()
    await assertSoundInBothThemes(watched, "console-settings-branded", { meant: refusals })
    const { wallets } = await run(treasury.calls.list_wallets({ kind: "collection" }))
    const walletMappingId = wallets[0]?.id ?? ""
    const { paymentUrl } = await run(
      treasury.calls.create_payment_request({ walletMappingId, amountUsd: 49 })
    )
    const paying = await browsing.open(paymentUrl)
    await paying.page.getByText("Corner Shop").first().waitFor()
    const isDrawn = "document.querySelector('.logo').naturalWidth === 360"
    await paying.page.waitForFunction(isDrawn)
    await assertSoundInBothThemes(paying, "checkout-branded")
    await paying.close()
  })

  it("adds an endpoint under a passkey, shows its secret once, and sends, logs and replays", async () => {
    await open("/new/create_merchant_webhook")
    await page.getByLabel("URL").fill("http://127.0.0.1:9/hook")
    await page.getByLabel("payment_request.paid").check()
    await press("Add with your passkey")
    await page.getByText("Store it now").waitFor()
    assert.match((await page.locator("#secret").textContent()) ?? "", /^whsec_/u)
    await open("/webhooks")
    await page.getByRole("link", { name: /hook$/u }).click()
    await press("Send a test")
    await page.locator("tbody tr").first().waitFor()
    await page.locator("tbody a").first().click()
    await heading("Delivery of webhook.test")
    await page.locator("pre").filter({ hasText: '"webhook.test"' }).waitFor()
    await press("Replay")
    await page.getByText("Replay of").waitFor()
    await open("/deliveries?eventType=webhook.test")
    assert.strictEqual(await page.locator("tbody tr").count(), 2)
  })

  it("proposes a recipient, names it, and shows its cooldown", async () => {
    await open("/new/add_recipient")
    const address = `0x${"7".repeat(40)}`
    await page.getByLabel("Address").fill(address)
    await page.getByLabel("Chain").selectOption("local")
    await page.getByLabel("Nickname").fill("Atlas Freight")
    await press("Propose the recipient")
    await page.getByText("pending confirm").waitFor()
    await press("Confirm")
    await page.getByText("completed", { exact: true }).waitFor()
    await open("/recipients")
    await page.getByRole("link", { name: "Atlas Freight" }).click()
    await page.getByText("cooling down").waitFor()
    await open("/proposals?kind=add_recipient")
    await page
      .getByRole("link", { name: /Atlas Freight/u })
      .first()
      .waitFor()
  })

  /** More of them than a form offers at once. */
  const manyRecipients = async () => {
    for (let at = 1; at <= 25; at++) {
      const { proposalId } = await run(
        treasury.calls.add_recipient({
          address: `0x${String(at).padStart(40, "8")}`,
          chainId: "local",
          nickname: `Supplier ${at}`
        })
      )
      await run(treasury.calls.confirm_proposal({ proposalId: proposalId ?? "" }))
    }
  }

  it("finds one recipient among many by typing, and keeps what else was typed", async () => {
    await manyRecipients()
    await open("/new/propose_transfer")
    const recipient = page.getByLabel("Recipient", { exact: false }).and(page.locator("select"))
    const options = () => recipient.locator("option").allTextContents()
    assert.lengthOf(await options(), 21)
    assert.isUndefined((await options()).find((text) => text.startsWith("Supplier 3,")))
    await page.getByLabel("Amount in USDC").fill("12.5")
    await page.getByLabel("Search: Recipient").fill("supplier 3")
    await recipient.locator("option", { hasText: "Supplier 3," }).waitFor({ state: "attached" })
    assert.lengthOf(await options(), 2)
    await recipient.selectOption({ index: 1 })
    assert.strictEqual(await page.getByLabel("Amount in USDC").inputValue(), "12.5")
    await assertSoundInBothThemes(watched, "console-chooser", { meant: refusals })
    await page.getByLabel("Search: Recipient").fill("payer")
    await recipient.locator("option", { hasText: "Payer" }).waitFor({ state: "attached" })
    const chosen = await recipient.locator("option:checked").textContent()
    assert.match(chosen ?? "", /^Supplier 3,/u)
  })

  it("finds one without scripts too, by a search that keeps what was typed", async () => {
    const cookies = await page.context().cookies()
    const address = `${treasury.consoleUrl}/new/propose_transfer`
    const plain = await browsing.open(address, { javaScriptEnabled: false }, (opened) =>
      opened.context().addCookies(cookies)
    )
    await plain.page.getByLabel("Amount in USDC").fill("7.25")
    await plain.page.getByLabel("Search: Recipient").fill("supplier 21")
    await plain.page.getByRole("button", { name: "Search Recipient" }).click()
    const found = plain.page.locator("select[name=recipientId] option")
    assert.deepStrictEqual(await found.count(), 2)
    assert.match((await found.last().textContent()) ?? "", /^Supplier 21,/u)
    assert.strictEqual(await plain.page.getByLabel("Amount in USDC").inputValue(), "7.25")
    await plain.close()
  })

  it("replaces the rules of co-signers by what the rows say", async () => {
    await open("/new/update_cosigner_rules")
    await press("Change the rules")
    await heading("Co-signers and rules")
    await page.getByText("No amount needs a co-signer.").waitFor()
  })

  it("lists the tokens of the account's chain, and another chain's when asked", async () => {
    await open("/tokens")
    await page.locator("tbody tr").filter({ hasText: "USDC" }).getByText("$1.00").waitFor()
    assert.strictEqual(await page.getByLabel("Chain").inputValue(), "local")
    await page.getByLabel("Chain").fill("atlantis")
    await press("Filter")
    await page.getByText("This treasury is not connected to that chain").waitFor()
    await page.getByLabel("Chain").fill("local")
    await page.getByLabel("Sort").selectOption("market cap")
    await press("Filter")
    await page.getByText("No provider ranks the tokens of local here").waitFor()
  })

  const paths = [
    "",
    "/payments",
    "/deposits",
    "/wallets",
    "/grants",
    "/tokens",
    "/yields",
    "/yield-markets",
    "/recipients",
    "/proposals",
    "/trades",
    "/cosigners",
    "/votes",
    "/governance",
    "/keys",
    "/agents",
    "/webhooks",
    "/deliveries",
    "/events",
    "/audit",
    "/settings",
    "/passkeys",
    "/new/propose_transfer",
    "/new/create_checkout_session",
    "/new/update_cosigner_rules"
  ]

  it.each(paths)("%s is sound on a phone and on a desktop, light and dark", async (path) => {
    await open(path)
    for (const size of [phone, desktop]) {
      await page.setViewportSize(size)
      const name = `console${path.replaceAll("/", "-")}-${size.width}`
      await assertSoundInBothThemes(watched, name, { meant: refusals })
    }
  })

  it("opens the page of every thing that a list links to", async () => {
    for (const path of [
      "/payments",
      "/wallets",
      "/recipients",
      "/proposals",
      "/events",
      "/audit"
    ]) {
      await open(path)
      const href = (await page.locator("tbody a").first().getAttribute("href")) ?? ""
      await page.goto(new URL(href, page.url()).href)
      assert.notStrictEqual(
        await page.getByRole("heading", { level: 1 }).textContent(),
        "Nothing here"
      )
      await assertSoundInBothThemes(watched, `console${path.replaceAll("/", "-")}-one`, {
        meant: refusals
      })
    }
  })

  it("shows rows first on a phone, and uses the width of a desktop", async () => {
    const heightOf = async (selector: string) =>
      (await page.locator(selector).first().boundingBox())?.height ?? 0
    await page.setViewportSize(phone)
    await open("/payments")
    const row = await page.locator("tbody tr").first().boundingBox()
    assert.isBelow(row?.y ?? phone.height, phone.height)
    assert.isFalse(await page.getByLabel("Status").isVisible())
    await page.setViewportSize(desktop)
    assert.isTrue(await page.getByLabel("Status").isVisible())
    assert.isFalse(await page.getByText("Narrow down").isVisible())
    await page.locator("tbody a").first().click()
    await heading(/^Payment request pr_/u)
    const narrow = await heightOf(".facts")
    await page.setViewportSize(phone)
    assert.isAbove(await heightOf(".facts"), 1.5 * narrow)
    await page.setViewportSize(desktop)
    await open("")
    assert.isBelow(await heightOf(".bars"), 12)
  })

  it("is worked by keyboard alone", async () => {
    await page.setViewportSize(desktop)
    await open("/payments")
    const focused = () => page.evaluate<string>("document.activeElement?.textContent?.trim() ?? ''")
    for (let at = 0; at < 40 && (await focused()) !== "New payment request"; at++) {
      await page.keyboard.press("Tab")
    }
    await page.keyboard.press("Enter")
    await heading("New payment request")
  })

  it("can be read without scripts", async () => {
    const cookies = await page.context().cookies()
    const plain = await browsing.open(treasury.consoleUrl, { javaScriptEnabled: false }, (opened) =>
      opened.context().addCookies(cookies)
    )
    await plain.page.getByRole("heading", { name: "Overview" }).waitFor()
    await plain.page.goto(`${treasury.consoleUrl}/payments?status=open`)
    assert.strictEqual(await plain.page.locator("tbody tr").count(), 25)
    await plain.close()
  })
})
