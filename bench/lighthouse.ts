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
import { openSandbox } from "../apps/sandbox/sandbox.ts"
import { freePort } from "./servers/free-port.ts"

const run = promisify(execFile)

const version = "13.5.0"

/** Least scores of a hundred. Searching for these pages is nobody's business, so it is not scored. */
const least: Readonly<Record<string, number>> = {
  performance: 90,
  accessibility: 100,
  "best-practices": 100
}

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
}

const scoresOf = async (url: string): Promise<Readonly<Record<string, number>>> => {
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

const failed = (url: string, scores: Readonly<Record<string, number>>) =>
  Object.entries(least)
    .filter(([name, score]) => (scores[name] ?? 0) < score)
    .map(([name, score]) => `${url}: ${name} is ${scores[name]}, and was at least ${score}`)

const looking = Effect.fnUntraced(function* (directory: string) {
  const port = yield* Effect.promise(freePort)
  const { baseUrl, developerKey, siteUrl } = yield* openSandbox({ directory, port })
  return yield* Effect.promise(async () => {
    const urls = [
      await paymentUrl(baseUrl, developerKey),
      `${siteUrl}/docs`,
      `${siteUrl}/docs/errors`
    ]
    const faults: Array<string> = []
    for (const url of urls) {
      const scores = await scoresOf(url)
      console.log(url, JSON.stringify(scores))
      faults.push(...failed(url, scores))
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
