/**
 * Lighthouse over the pages people meet: `node bench/lighthouse.ts`, for a nightly run. It opens a sandbox of
 * its own, and ends with an error when a page is slower or harder to use than it was. Lighthouse itself is
 * brought by npm for the run, because it is larger than all else together.
 */
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { freePort } from "../apps/sandbox/free-port.ts"
import { openSandbox } from "../apps/sandbox/sandbox.ts"
import { Visitor } from "../test/support/console-visitor.ts"

const run = promisify(execFile)

const version = "13.5.0"

/** Least scores of a hundred. Searching for these pages is nobody's business, so it is not scored. */
const least: Readonly<Record<string, number>> = {
  performance: 95,
  accessibility: 100,
  "best-practices": 100
}

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
}

/** A page, and the headers of whoever looks at it. */
interface Looked {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

const scoresOf = async ({
  headers = {},
  url
}: Looked): Promise<Readonly<Record<string, number>>> => {
  const { stdout } = await run(
    "npm",
    [
      "exec",
      "--yes",
      `--package=lighthouse@${version}`,
      "--",
      "lighthouse",
      url,
      "--quiet",
      "--output=json",
      `--extra-headers=${JSON.stringify(headers)}`,
      `--only-categories=${Object.keys(least).join(",")}`,
      "--chrome-flags=--headless=new --no-sandbox --disable-gpu"
    ],
    {
      env: { CHROME_PATH: "/usr/bin/chromium", ...process.env },
      maxBuffer: 64 * 1024 * 1024
    }
  )
  const { categories } = JSON.parse(stdout) as Report
  return Object.fromEntries(
    Object.keys(least).map((name) => [name, Math.round((categories[name]?.score ?? 0) * 100)])
  )
}

/** A payment link as a merchant gets it. */
const paymentUrl = async (baseUrl: string, key: string): Promise<string> => {
  const answer = await fetch(`${baseUrl}/checkout/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ customer: { externalId: "demo_customer" }, amountUsd: 49 })
  })
  const { data } = (await answer.json()) as { readonly data: { readonly checkoutUrl: string } }
  return data.checkoutUrl
}

/** A send that waits for a passkey. */
const proposalUrl = async (siteUrl: string, baseUrl: string, key: string): Promise<string> => {
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
    const { data } = (await answer.json()) as { readonly data: Record<string, unknown> }
    return data
  }
  const { recipients } = (await ask("/recipients")) as {
    readonly recipients: ReadonlyArray<{ readonly id: string; readonly chainId: string }>
  }
  const recipient = recipients.find(({ chainId }) => chainId === "local")
  const { wallets } = (await ask("/wallets?kind=standard")) as {
    readonly wallets: ReadonlyArray<{ readonly id: string; readonly chainId: string }>
  }
  const wallet = wallets.find(({ chainId }) => chainId === "local")
  const sent = { recipientId: recipient?.id, fromWalletId: wallet?.id, amountUsdc: "12.50" }
  const { proposalId } = await ask("/proposals/transfers", sent)
  return `${siteUrl}/console/proposals/${proposalId}`
}

const failed = (url: string, scores: Readonly<Record<string, number>>) =>
  Object.entries(least)
    .filter(([name, score]) => (scores[name] ?? 0) < score)
    .map(([name, score]) => `${url}: ${name} is ${scores[name]}, and was at least ${score}`)

const looking = Effect.fnUntraced(function* (directory: string) {
  const port = yield* Effect.promise(freePort)
  const own = `http://localhost:${port}`
  const { baseUrl, developerKey, enrolmentUrl, siteUrl } = yield* openSandbox({
    directory,
    port,
    siteUrl: own
  })
  const visitor = new Visitor(siteUrl, siteUrl)
  yield* visitor.enrol(enrolmentUrl ?? "")
  const headers = visitor.cookie
  return yield* Effect.promise(async () => {
    const pages: ReadonlyArray<Looked> = [
      { url: await paymentUrl(baseUrl, developerKey) },
      { url: `${siteUrl}/docs` },
      { url: `${siteUrl}/docs/errors` },
      { url: `${siteUrl}/console/login` },
      { url: `${siteUrl}/console`, headers },
      { url: `${siteUrl}/console/payments`, headers },
      { url: await proposalUrl(siteUrl, baseUrl, developerKey), headers }
    ]
    const faults: Array<string> = []
    for (const looked of pages) {
      const scores = await scoresOf(looked)
      console.log(looked.url, JSON.stringify(scores))
      faults.push(...failed(looked.url, scores))
    }
    return faults
  })
})

const directory = await mkdtemp(join(tmpdir(), "bursar-lighthouse-"))
try {
  const faults = await Effect.runPromise(Effect.scoped(looking(directory)))
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
