/** The checkout page in a real browser: what a payer sees, does and is told, in every state and theme. */
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { realWorld } from "../stories/real-world.ts"
import * as Scene from "../stories/scenes.ts"
import {
  assertSound,
  assertSoundInBothThemes,
  type Browsing,
  describeInBrowser,
  openBrowsing,
  type Watched
} from "../support/browser.ts"
import { lineTo } from "../support/cuttable-connection.ts"
import * as FreshEmbedded from "../support/fresh-embedded-database.ts"
import { type Asked, inject } from "../support/injected-wallet.ts"

const world = () => realWorld(FreshEmbedded.engine, "REST")

const usdc = 1_000_000n

/** What a browser says of a line that was cut, which is not the page's fault. */
const cutLine = /ERR_(CONNECTION|EMPTY_RESPONSE|INCOMPLETE|SOCKET)/u

describeInBrowser("The checkout page in a browser", () => {
  const scope = Scope.makeUnsafe()
  let browsing: Browsing
  let shop: Effect.Success<ReturnType<typeof world>>

  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

  beforeAll(async () => {
    browsing = await openBrowsing()
    shop = await run(Scope.provide(world(), scope))
  })

  afterAll(async () => {
    await browsing?.close()
    await run(Scope.close(scope, Exit.void))
  })

  const aVault = () => run(Scene.vault(shop))

  const aRequest = async (amountUsd: number) => {
    const vault = await aVault()
    return run(
      shop.calls.create_checkout_session({
        customer: { externalId: vault.externalId },
        amountUsd,
        product: { slug: "cards", name: "Invoice 2041", externalSkuId: "SKU-2041" },
        description: "200 cards, recycled & uncoated",
        successUrl: "https://shop.example.com/thanks",
        cancelUrl: "https://shop.example.com/cart",
        expiresInMinutes: 28
      })
    )
  }

  const headline = ({ page }: Watched, text: string) =>
    page.locator(".headline", { hasText: new RegExp(`^${text}$`, "u") }).waitFor()

  it("hands a wallet the exact call, and tells live how the payment goes until it is paid", async () => {
    const { pid, payToAddress } = await aRequest(1250.5)
    const asked: Array<Asked> = []
    const wallet = inject(async (one) => {
      asked.push(one)
      if (one.method === "eth_requestAccounts") return [shop.payer]
      if (one.method === "wallet_switchEthereumChain") return null
      return run(shop.ask(one.method, ...(one.params ?? [])))
    })
    const watched = await browsing.open(`${shop.siteUrl}/pay/${pid}`, {}, wallet)
    const { page } = watched
    const pay = page.getByRole("button", { name: "Pay with Harbour Wallet" })
    await pay.waitFor()
    await page.getByText("Updates automatically").waitFor()
    await assertSoundInBothThemes(watched, "checkout-open")
    await pay.click()
    await page.getByText("Sent. This page updates").waitFor()
    const amount = 1_250_500_000n.toString(16).padStart(64, "0")
    const data = `0xa9059cbb${payToAddress.slice(2).toLowerCase().padStart(64, "0")}${amount}`
    assert.deepStrictEqual(asked, [
      { method: "eth_requestAccounts" },
      { method: "wallet_switchEthereumChain", params: [{ chainId: "0x7a69" }] },
      {
        method: "eth_sendTransaction",
        params: [{ from: shop.payer, to: shop.usdc, data, value: "0x0" }]
      }
    ])
    await run(shop.mine(1))
    await headline(watched, "Payment detected")
    await page.getByText("1 of 3 confirmations").waitFor()
    assert.strictEqual(await page.getByRole("img").count(), 0, "It asks for the money again.")
    await assertSoundInBothThemes(watched, "checkout-processing")
    await run(shop.mine(1))
    await page.getByText("2 of 3 confirmations").waitFor()
    await run(shop.mine(1))
    await headline(watched, "Paid")
    const back = page.getByRole("link", { name: /Return to/u })
    assert.strictEqual(await back.getAttribute("href"), "https://shop.example.com/thanks")
    await assertSoundInBothThemes(watched, "checkout-paid")
    await watched.close()
  })

  it("has the wallet sign which of two equal requests it paid, and counts the money for that", async () => {
    const vault = await aVault()
    const twin = () => run(Scene.request(shop, vault.walletMappingId, 7))
    const [other, mine] = [await twin(), await twin()]
    const wallet = inject(async ({ method, params = [] }) => {
      if (method === "eth_requestAccounts") return [shop.payer]
      return method === "wallet_switchEthereumChain" ? null : run(shop.ask(method, ...params))
    })
    const watched = await browsing.open(`${shop.siteUrl}/pay/${mine.pid}`, {}, wallet)
    const { page } = watched
    await page.getByRole("button", { name: "Pay with Harbour Wallet" }).click()
    const sign = page.getByRole("button", { name: "Sign which request you paid" })
    await sign.waitFor()
    await run(shop.mine(1))
    await run(Scene.staysSo(shop, mine.pid, "open"))
    await assertSound(watched)
    await sign.click()
    await headline(watched, "Payment detected")
    await run(shop.mine(2))
    await headline(watched, "Paid")
    await run(Scene.staysSo(shop, other.pid, "open"))
    assert.deepStrictEqual(watched.faults(), [])
    await watched.close()
  })

  it("speaks the payer's language and time, and says in the tab that it is paid", async () => {
    const { pid, payToAddress } = await aRequest(12)
    const watched = await browsing.open(`${shop.siteUrl}/pay/${pid}`, {
      locale: "ja-JP",
      timezoneId: "Asia/Tokyo"
    })
    const { page } = watched
    await page.getByText("自動的に更新されます").waitFor()
    const expires = page.locator(".expiry time")
    const [instant, shown, universal] = [
      Date.parse((await expires.getAttribute("datetime")) ?? ""),
      await expires.textContent(),
      await expires.getAttribute("title")
    ]
    const inTokyo = new Intl.DateTimeFormat("ja", {
      dateStyle: "medium",
      timeStyle: "short",
      timeZone: "Asia/Tokyo"
    })
    assert.strictEqual(shown, inTokyo.format(instant))
    assert.match(universal ?? "", / UTC$/u)
    await assertSoundInBothThemes(watched, "checkout-japanese")
    await run(shop.pay(payToAddress, 12n * usdc))
    await run(shop.mine(3))
    await headline(watched, "お支払い済み")
    assert.match(await page.title(), /^お支払い済み · .*12\.00 USDC$/u)
    await page.getByRole("button", { name: "領収書を印刷" }).waitFor()
    assert.deepStrictEqual(watched.faults(), [])
    await watched.close()
  })

  it("catches up after the line was cut, with what it was told last", async () => {
    const { pid, payToAddress } = await aRequest(50)
    const line = await lineTo(shop.siteUrl)
    const watched = await browsing.open(`${line.origin}/pay/${pid}`)
    const { page } = watched
    await run(shop.pay(payToAddress, 20n * usdc))
    await run(shop.mine(2))
    await page.getByText("20.00 USDC received, 30.00 USDC missing").waitFor()
    assert.isTrue(await page.getByRole("img", { name: /QR code to pay 30.00/u }).isVisible())
    await assertSoundInBothThemes(watched, "checkout-partially-paid")
    line.cut()
    await page.getByText("Connection lost").waitFor()
    await run(shop.pay(payToAddress, 30n * usdc))
    await run(shop.mine(2))
    await run(Scene.becomes(shop, pid, "paid"))
    line.mend()
    await headline(watched, "Paid")
    assert.match(line.heard(), /last-event-id: [\w-]{16}\r\n/iu)
    assert.deepStrictEqual(watched.faults(cutLine), [])
    line.close()
    await watched.close()
  })

  it("is worked by keyboard alone, and copies what it shows", async () => {
    const { pid, payToAddress } = await aRequest(3)
    const watched = await browsing.open(`${shop.siteUrl}/pay/${pid}`, {
      permissions: ["clipboard-read", "clipboard-write"]
    })
    const { page } = watched
    await page.getByRole("button", { name: "Copy the amount" }).waitFor()
    const focused = async () => {
      await page.keyboard.press("Tab")
      return page.evaluate<string>("document.activeElement.textContent")
    }
    assert.deepStrictEqual(
      [await focused(), await focused()],
      ["Copy the amount", "Copy the address"]
    )
    await page.keyboard.press("Enter")
    await page.getByText("Address copied.").waitFor()
    assert.strictEqual(await page.evaluate("navigator.clipboard.readText()"), payToAddress)
    assert.deepStrictEqual(
      [await focused(), (await focused()).startsWith("Go back to")],
      ["Open in a wallet app", true]
    )
    await watched.close()
  })

  it("says so when the payer declines in the wallet, and can be tried again", async () => {
    const { pid } = await aRequest(4)
    const wallet = inject(async ({ method }) => {
      if (method === "eth_requestAccounts") return [shop.payer]
      throw { code: 4001, message: "User rejected" }
    })
    const watched = await browsing.open(`${shop.siteUrl}/pay/${pid}`, {}, wallet)
    const pay = watched.page.getByRole("button", { name: "Pay with Harbour Wallet" })
    await pay.click()
    await watched.page.getByText("You declined in your wallet. Nothing was sent.").waitFor()
    assert.isTrue(await pay.isEnabled())
    await watched.close()
  })

  it("offers no way to pay from the second its time is up", async () => {
    const { pid } = await aRequest(8)
    const watched = await browsing.open(`${shop.siteUrl}/pay/${pid}`, {}, (page) =>
      page.clock.install()
    )
    const { page } = watched
    await page.getByRole("button", { name: "Copy the address" }).waitFor()
    await page.clock.fastForward("28:01")
    await page.getByText("expired: do not send money").waitFor()
    assert.strictEqual(await page.getByRole("img").count(), 0)
    assert.strictEqual(await page.getByRole("button").count(), 0)
    await watched.close()
  })

  it("can be paid from without scripts", async () => {
    const { pid, payToAddress } = await aRequest(1250.5)
    const watched = await browsing.open(`${shop.siteUrl}/pay/${pid}`, { javaScriptEnabled: false })
    const { page } = watched
    assert.strictEqual(await page.locator("main code").textContent(), payToAddress)
    assert.isTrue(await page.getByRole("img", { name: /QR code to pay 1,250.50/u }).isVisible())
    assert.isTrue(await page.getByText("Waiting for payment").isVisible())
    assert.strictEqual(await page.getByRole("button").count(), 0)
    assert.deepStrictEqual(watched.faults(), [])
    await watched.close()
  })

  it("is read in text of twice the size without scrolling sideways", async () => {
    const { pid } = await aRequest(123_456.789)
    const watched = await browsing.open(`${shop.siteUrl}/pay/${pid}`)
    await watched.page.getByRole("button", { name: "Copy the address" }).waitFor()
    await watched.page.evaluate("document.documentElement.style.fontSize = '200%'")
    await assertSound(watched)
    await watched.close()
  })

  it("tells a payer who comes too late, or to a request taken back, to send nothing", async () => {
    const cancelled = await aRequest(5)
    const expired = await aRequest(6)
    await run(shop.calls.cancel_payment_request({ idOrPid: cancelled.pid }))
    await run(shop.chainTimePasses(29 * 60))
    await run(shop.mine(3))
    await run(Scene.becomes(shop, expired.pid, "expired"))
    const missing = await browsing.open(`${shop.siteUrl}/pay/pr_nobody`)
    await missing.page.getByText("There is no payment request at this link").waitFor()
    await assertSound(missing, { meant: /404/u })
    await missing.close()
    for (const [{ pid, payToAddress }, state] of [
      [cancelled, "cancelled"],
      [expired, "expired"]
    ] as const) {
      const watched = await browsing.open(`${shop.siteUrl}/pay/${pid}`)
      await headline(
        watched,
        `This payment request ${state === "expired" ? "has" : "was"} ${state}`
      )
      assert.strictEqual(await watched.page.getByRole("img").count(), 0)
      await assertSoundInBothThemes(watched, `checkout-${state}`)
      // The page is left open, and the money comes after all.
      const amount = state === "expired" ? 6n : 5n
      await run(shop.pay(payToAddress, amount * 1_000_000n))
      await watched.page
        .getByText(`${amount}.00 USDC arrived after this payment request had ended.`)
        .waitFor()
      assert.isTrue(await watched.page.getByText("The merchant sees it and decides").isVisible())
      await assertSoundInBothThemes(watched, `checkout-${state}-late`)
      await run(Scene.final(shop))
      await run(shop.watched)
      const { deposits } = await run(shop.calls.list_deposits({ status: "open" }))
      const depositId =
        deposits.find(({ candidatePids }) => candidatePids.includes(pid))?.depositId ?? ""
      const action = state === "expired" ? "accept" : "ignore"
      await run(shop.calls.resolve_deposit({ depositId, action }))
      await watched.page
        .getByText(action === "accept" ? "Paid at" : "closed this without counting it")
        .waitFor()
      await watched.close()
    }
  })
})
