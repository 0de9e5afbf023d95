/**
 * Makes the pictures in `docs/pictures`: `node test/browser/pictures.ts`. It opens a sandbox of its own, lets a
 * merchant's day happen in it by the API, and looks at five pages of the console as whoever is signed in sees them, and
 * at a page to pay as a customer does.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { openSandbox } from "../../apps/sandbox/sandbox.ts"
import { openBrowsing } from "../support/browser.ts"
import { openAuthenticator } from "../support/virtual-authenticator.ts"

const pictures = join(import.meta.dirname, "../../docs/pictures")

type Json = Record<string, unknown>

const apiOf =
  (baseUrl: string, key: string) =>
  async (method: "GET" | "POST", path: string, body?: Json): Promise<Json> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const { data, error } = (await answer.json()) as { data?: Json; error?: Json }
    if (data === undefined) throw new Error(`${method} ${path}: ${JSON.stringify(error)}`)
    return data
  }

type Api = ReturnType<typeof apiOf>

const until = async <A>(look: () => Promise<A | undefined>): Promise<A> => {
  for (let at = 0; at < 240; at++) {
    const seen = await look()
    if (seen !== undefined) return seen
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error("What the pictures are to show did not happen.")
}

const customers = ["Harbour Cafe", "Birch & Sons", "Linden Press"]

/** Invoices in several states, of which some are paid with the sandbox's money. */
const invoices = async (api: Api, siteUrl: string) => {
  for (const [at, amountUsd] of [240, 1250.5, 86.2, 512, 49].entries()) {
    const { pid } = await api("POST", "/checkout/sessions", {
      customer: { externalId: "demo_customer" },
      amountUsd,
      description: `Order ${2041 + at} for ${customers[at % customers.length]}`,
      externalReference: `INV-${2041 + at}`
    })
    if (at > 2) continue
    await fetch(`${siteUrl}/pay/${pid}/trial-payment`, { method: "POST", redirect: "manual" })
    await until(async () =>
      (await api("GET", `/payment-requests/${pid}`)).status === "paid" ? true : undefined
    )
  }
}

type Browsing = Awaited<ReturnType<typeof openBrowsing>>
type Page = Awaited<ReturnType<Browsing["open"]>>["page"]

/** The name that payers see, which takes the passkey of whoever is signed in. */
const named = async (page: Page, siteUrl: string, name: string) => {
  await page.goto(`${siteUrl}/console/new/update_account_settings`)
  await page.getByLabel("Name payers see").fill(name)
  await page.getByRole("button", { name: "Save with your passkey" }).click()
  await page.getByRole("heading", { name: "Account", level: 1 }).waitFor()
}

/** A page to pay on a phone, in both themes. */
const checkout = async (browsing: Browsing, api: Api) => {
  const { checkoutUrl } = await api("POST", "/checkout/sessions", {
    customer: { externalId: "demo_customer" },
    amountUsd: 1250.5,
    description: "Order 2046"
  })
  const { close, page } = await browsing.open(String(checkoutUrl))
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await page.screenshot({ path: join(pictures, `checkout-${colorScheme}.png`), fullPage: true })
  }
  await close()
}

const wait = (api: Api, proposalId: string, status: string) =>
  until(async () =>
    (await api("GET", `/proposals/${proposalId}`)).status === status ? true : undefined
  )

/** A send that waits for whoever looks at it, and what it is paid to. */
const aSend = async (api: Api, fromWalletId: string | undefined) => {
  const { recipients } = (await api("GET", "/recipients")) as {
    recipients: Array<{ id: string; chainId: string }>
  }
  const { proposalId } = await api("POST", "/proposals/transfers", {
    recipientId: recipients.find(({ chainId }) => chainId === "local")?.id,
    fromWalletId,
    amountUsdc: "312.50",
    memo: "Freight, November"
  })
  await api("POST", `/proposals/${proposalId}/confirm`, {})
  await wait(api, String(proposalId), "requires_action")
  return String(proposalId)
}

const taken = Effect.fnUntraced(function* (directory: string) {
  const port = yield* Effect.promise(freePort)
  const siteUrl = `http://localhost:${port}`
  const facts = yield* openSandbox({ directory, port, siteUrl })
  yield* Effect.promise(async () => {
    const browsing = await openBrowsing()
    const api = apiOf(facts.baseUrl, facts.developerKey)
    await invoices(api, facts.siteUrl)
    const wallet = facts.wallets.find(
      ({ account, chainId, kind }) =>
        account === "developer" && kind === "standard" && chainId === "local"
    )
    const proposalId = await aSend(api, wallet?.id)
    const options = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 }
    const { close, page } = await browsing.open(
      facts.enrolmentUrl ?? facts.siteUrl,
      options,
      openAuthenticator
    )
    await page.getByRole("button", { name: "Create passkey" }).click()
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    const shots = [
      ["overview", ""],
      ["payments", "/payments"],
      ["approval", `/proposals/${proposalId}`],
      ["send", "/new/propose_transfer"],
      ["audit", "/audit"]
    ] as const
    for (const [name, path] of shots) {
      await page.emulateMedia({ colorScheme: name === "approval" ? "dark" : "light" })
      await page.goto(`${siteUrl}/console${path}`)
      await page.screenshot({ path: join(pictures, `console-${name}.png`) })
    }
    await named(page, siteUrl, "Northwind Supply")
    await checkout(browsing, api)
    await close()
    await browsing.close()
  })
})

const directory = await mkdtemp(join(tmpdir(), "bursar-pictures-"))
try {
  await Effect.runPromise(Effect.scoped(taken(directory)))
} finally {
  await rm(directory, { recursive: true, force: true })
}
