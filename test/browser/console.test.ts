/** The console in a real browser with an authenticator of its own: coming in, approving, and being refused. */
import { Effect, Exit, Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
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
import { openAuthenticator, type VirtualAuthenticator } from "../support/virtual-authenticator.ts"

/** A server's own answer of 4xx is told in the browser's console; what the page makes of it is tested. */
const refusals = /Failed to load resource: the server responded with a status of 4\d\d/u

const world = Effect.flatMap(Effect.promise(freePort), (port) =>
  Effect.map(realWorld(FreshEmbedded.engine, "REST", port), (opened) => ({
    ...opened,
    consoleUrl: `http://localhost:${port}/console`
  }))
)

describeInBrowser("The console in a browser", () => {
  const scope = Scope.makeUnsafe()
  const run = Effect.runPromise
  let browsing: Browsing
  let treasury: Effect.Success<typeof world>
  let watched: Watched
  let page: Page
  let device: VirtualAuthenticator

  const linkFor = (accountId: string) =>
    run(
      treasury.operate(
        Effect.flatMap(Atomically, ({ run: atomically }) =>
          atomically(issueEnrolment({ accountId, purpose: "operator", name: "Ada" }, "operator"))
        )
      )
    )

  const press = (name: string | RegExp) => page.getByRole("button", { name }).click()

  /** In both themes, with whatever it shows now. */
  const isSound = async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      await assertSound(watched, { meant: refusals })
    }
  }

  const said = (text: string | RegExp) =>
    page.getByRole("status").filter({ hasText: text }).waitFor()

  beforeAll(async () => {
    browsing = await openBrowsing()
    treasury = await run(Scope.provide(world, scope))
    const { id } = await run(treasury.calls.get_account({}))
    const { url } = await linkFor(id)
    watched = await browsing.open(url, {}, async (opened) => {
      device = await openAuthenticator(opened)
      opened.on("dialog", (dialog) => dialog.accept())
    })
    page = watched.page
  })

  afterAll(async () => {
    await browsing?.close()
    await run(Scope.close(scope, Exit.void))
  })

  it("lets a person in by a one-time link, whose token leaves the address, and again by passkey", async () => {
    assert.strictEqual(page.url(), `${treasury.consoleUrl}/enrol`)
    await page.getByText("This link is for Ada, at Northwind Supply.").waitFor()
    await isSound()
    await press("Create passkey")
    await page.getByRole("heading", { name: "Pending approvals" }).waitFor()
    await press("Sign out")
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await isSound()
    await page.goto(`${treasury.consoleUrl}/keys`)
    await press("Sign in with a passkey")
    await page.getByRole("heading", { name: "API keys" }).waitFor()
    assert.strictEqual(page.url(), `${treasury.consoleUrl}/keys`)
  })

  it("takes whoever comes by a link of another site to where it leads, though no cookie comes along", async () => {
    const address = `${treasury.consoleUrl}/passkeys`
    await page.goto(`data:text/html,<a href="${address}">Approve</a>`)
    await page.getByRole("link", { name: "Approve" }).click()
    await page.getByRole("heading", { name: "Your passkeys" }).waitFor()
    assert.strictEqual(page.url(), address)
  })

  /** A send that waits for a passkey. */
  const aSend = async (amountUsdc: string) => {
    const { recipients } = await run(treasury.calls.list_recipients({}))
    const { wallets } = await run(treasury.calls.list_wallets({}))
    const recipient = recipients[0]
    const wallet = wallets.find(({ kind }) => kind === "standard")
    assert.isDefined(recipient)
    assert.isDefined(wallet)
    await run(treasury.pay(wallet?.address ?? "", 20_000_000n))
    const { proposalId } = await run(
      treasury.calls.propose_transfer({
        recipientId: recipient?.id ?? "",
        fromWalletId: wallet?.id ?? "",
        amountUsdc,
        memo: "Rent for <b>May</b>"
      })
    )
    const confirmed = await run(treasury.calls.confirm_proposal({ proposalId }))
    const url = confirmed.nextAction[0]?.url ?? ""
    assert.strictEqual(url, `${treasury.consoleUrl}/proposals/${proposalId}`)
    return { proposalId, url, to: recipient?.address ?? "", from: wallet?.address ?? "" }
  }

  const statusOf = async (proposalId: string) =>
    (await run(treasury.calls.get_proposal({ proposalId }))).status

  it("shows a send in full, and executes it on the chain once its human has signed", async () => {
    const { from, proposalId, to, url } = await aSend("12.340001")
    await page.goto(url)
    const text = await page.locator("main").textContent()
    const short = `Payer (${to.slice(0, 6)}…${to.slice(-4)})`
    for (const shown of ["12.340001 USDC", to, from, short, "Rent for <b>May</b>"]) {
      assert.include(text, shown)
    }
    await isSound()
    const before = await run(treasury.balanceOf(to))
    await page.evaluate("window.stays = true")
    await press("Approve with your passkey")
    await page
      .getByText(/^executing|^completed/iu)
      .first()
      .waitFor()
    await run(
      treasury.until(
        "the send completes",
        Effect.gen(function* () {
          yield* treasury.mine(1)
          const { status } = yield* treasury.calls.get_proposal({ proposalId })
          return status === "completed" ? status : undefined
        })
      )
    )
    assert.strictEqual((await run(treasury.balanceOf(to))) - before, 12_340_001n)
    // Nobody reloads: the page follows what happens.
    await page.getByText("completed", { exact: true }).waitFor()
    const history = page.getByRole("table", { name: "History" })
    const signed = history.locator("tr", { hasText: "Signed with a passkey" })
    await signed.getByText("Ada, in the console").waitFor()
    assert.isTrue(await page.evaluate("window.stays"), "The page was loaded again.")
    await history
      .getByText(/svc_hu_/u)
      .first()
      .waitFor()
    await isSound()
  })

  it("signs nothing for whom the device does not verify, after a change, or for another proposal", async () => {
    const { proposalId, url } = await aSend("1")
    const other = await aSend("2")
    await page.goto(url)
    await device.verifies(false)
    await press("Approve with your passkey")
    await said("could not verify you")
    await device.verifies(true)
    // The answer for this proposal, posted for the other.
    const approval = `**/console/proposals/${proposalId}/approve`
    await page.route(approval, (route) =>
      route.continue({ url: route.request().url().replace(proposalId, other.proposalId) })
    )
    await press("Approve with your passkey")
    await said("start again")
    await page.unroute(approval)
    // Whoever owns the database doubles the amount while the device is asking.
    await page.route(approval, async (route) => {
      await run(
        treasury.operate(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* sql`alter table proposal disable trigger user`
            yield* sql`update proposal
              set terms = terms || '{"amountSmallestUnit":"2000000"}'
              where id = ${proposalId}`
            yield* sql`alter table proposal enable trigger user`
          })
        )
      )
      await route.continue()
    })
    await press("Approve with your passkey")
    await said("response is invalid")
    assert.strictEqual(await statusOf(proposalId), "requires_action")
    assert.strictEqual(await statusOf(other.proposalId), "requires_action")
    await page.unroute(approval)
    await page.goto(other.url)
    await press("Reject")
    await page.getByText("cancelled", { exact: true }).waitFor()
  })

  it("signs a change of who may do what, seen before and after", async () => {
    const { id } = await run(treasury.agent.get_account({}))
    await run(treasury.calls.invite_cosigner({ cosignerUserId: id, nickname: "Grace" }))
    await page.goto(treasury.consoleUrl)
    await page.locator('a[href^="/console/governance/"]').click()
    await page.getByText("This account has no co-signers.").waitFor()
    await page.getByText(`Grace (${id}), once they accept`).waitFor()
    await isSound()
    await press("Sign with your passkey")
    await page.getByText("applied", { exact: true }).waitFor()
    const { incoming_cosigner_invites } = await run(
      treasury.agent.list_incoming_cosigner_invites({})
    )
    assert.lengthOf(incoming_cosigner_invites, 1)
  })

  it("makes a key with caveats, shows it once, and revokes it", async () => {
    await page.goto(`${treasury.consoleUrl}/keys`)
    await page.getByLabel("Label").fill("Till")
    await page.getByLabel("proposals:write").check()
    await page.getByText("Restrictions:").click()
    await page.getByLabel(/^Allowed IP addresses/u).fill("127.0.0.1\n::1")
    await page.getByLabel(/^Payer/u).check()
    await page.getByLabel(/^Daily limit in USDC/u).fill("5")
    await isSound()
    await press("Create key with your passkey")
    await said("Store it now")
    const apiKey = (await page.locator("#secret").textContent()) ?? ""
    assert.match(apiKey, /^svc_hu_/u)
    await page.reload()
    assert.strictEqual(await page.locator("#secret").textContent(), "")
    await page.getByText("Daily limit: 5.00 USDC").waitFor()
    const { api_keys } = await run(treasury.calls.list_api_keys({}))
    assert.deepInclude(api_keys[0], {
      label: "Till",
      ipRanges: ["127.0.0.1/32", "::1/128"],
      dailyCapUsd: "5.00",
      scopes: ["proposals:write"]
    })
    await press(`Revoke ${api_keys[0]?.prefix}…${api_keys[0]?.lastFour}`)
    await page.getByText(/^Revoked/u).waitFor()
    assert.isNotNull((await run(treasury.calls.list_api_keys({}))).api_keys[0]?.revokedAt)
  })

  it.each([
    [
      "with all made from it",
      "Revoke with all keys created from it",
      /all keys created from it/u,
      true
    ],
    ["alone", "Revoke only this key", /only this key/u, false]
  ] as const)("revokes a key %s, as its human chooses", async (title, button, sure, endsBoth) => {
    const scopes = ["account:read", "keys:manage"] as const
    const maker = await run(treasury.calls.create_api_key({ scopes, label: `Maker, ${title}` }))
    const makersCalls = treasury.callsWith(String(maker.apiKey))
    const made = await run(makersCalls.create_api_key({ scopes, label: `Made, ${title}` }))
    const nameOf = ({ lastFour, prefix }: typeof made) => `${prefix}…${lastFour}`
    await page.goto(`${treasury.consoleUrl}/keys`)
    const row = page.getByRole("listitem").filter({ hasText: `Maker, ${title}` })
    await row.getByText(`Active keys created from it: ${nameOf(made)}`).waitFor()
    const picture = endsBoth ? "console-keys" : "console-keys-of-one-revoked"
    await assertSoundInBothThemes(watched, picture, { meant: refusals })
    const asked = page.waitForEvent("dialog")
    await press(`${button} ${nameOf(maker)}`)
    assert.match((await asked).message(), sure)
    await row.getByText(/^Revoked/u).waitFor()
    const { api_keys } = await run(treasury.calls.list_api_keys({}))
    const isRevoked = (id: string) => api_keys.find((each) => each.id === id)?.revokedAt !== null
    assert.deepStrictEqual([isRevoked(maker.id), isRevoked(made.id)], [true, endsBoth])
    const left = page.getByRole("listitem").filter({ hasText: `Made, ${title}` })
    assert.strictEqual(await left.getByRole("button").count(), endsBoth ? 0 : 1)
  })

  it("keeps the way out on the line of who is signed in, on a desk and on a phone", async () => {
    const before = page.viewportSize() ?? { width: 1280, height: 900 }
    const middleOf = async (part: string) => {
      const box = await page.locator(part).boundingBox()
      return box === null ? Number.NaN : box.y + box.height / 2
    }
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${treasury.consoleUrl}/settings`)
      const apart = (await middleOf(".bar > p")) - (await middleOf(".bar > button"))
      assert.isBelow(Math.abs(apart), 4, `${width} px`)
    }
    await page.setViewportSize(before)
  })

  it("begins the bar of sections at the one that is open, where it does not fit", async () => {
    const before = page.viewportSize() ?? { width: 1280, height: 900 }
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${treasury.consoleUrl}/settings`)
    const open = await page.locator(".sections a[aria-current]").boundingBox()
    assert.isAtMost((open?.x ?? Infinity) + (open?.width ?? 0), 390)
    await page.setViewportSize(before)
  })

  it("gives a link for a second passkey, and takes one away", async () => {
    await page.goto(`${treasury.consoleUrl}/passkeys`)
    await press("Create link")
    await page.locator("#once").waitFor()
    const link = await page.locator("#link").getAttribute("href")
    await device.replace()
    await page.goto(link ?? "")
    await page.getByLabel("Device name").fill("Phone")
    await press("Create passkey")
    await page.getByRole("heading", { name: "Pending approvals" }).waitFor()
    await page.goto(`${treasury.consoleUrl}/passkeys`)
    await press("Remove Passkey")
    await page.getByText(/^Suspended/u).waitFor()
    await isSound()
  })

  it("stops everything at a press, lets it go on by a passkey, and shows pages to nobody who is not signed in", async () => {
    await page.goto(`${treasury.consoleUrl}/settings`)
    await press("Pause this account")
    await page.getByText(/^This account is paused since/u).waitFor()
    await isSound()
    await press("Resume with your passkey")
    await page.getByText(/^This account is paused since/u).waitFor({ state: "detached" })
    await press("Pause this account")
    await page.getByRole("button", { name: "Resume with your passkey" }).waitFor()
    await page.context().clearCookies()
    await page.goto(`${treasury.consoleUrl}/proposals/anything`)
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
  })
})
