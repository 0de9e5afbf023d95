/** The sandbox as a newcomer runs it: a process that is started, stopped, killed, and started again. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sendUsdc } from "../../../adapters/evm/usdc.ts"
import * as Embedded from "../../../adapters/postgres/embedded.ts"
import type { SandboxFacts } from "../../../apps/sandbox/facts.ts"
import { freePort } from "../../../apps/sandbox/free-port.ts"
import { tell } from "../../../apps/sandbox/story.ts"
import * as Child from "../../kill/child.ts"
import * as Books from "../../support/bookkeeping.ts"
import { Visitor } from "../../support/console-visitor.ts"

const directory = mkdtempSync(join(tmpdir(), "bursar-sandbox-"))
const started = new Set<ChildProcess>()

interface Asked {
  readonly data?: {
    readonly api_keys: ReadonlyArray<{
      readonly id: string
      readonly lastFour: string
      readonly madeBy: string | null
      readonly scopes: ReadonlyArray<string>
      readonly revokedAt: string | null
    }>
  }
  readonly error?: { readonly code: string }
}

const ask = async (key: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  return (await fetch(facts().baseUrl + path, { headers, ...init })).json() as Promise<Asked>
}

/** The agent's key that is shown to be the one of this text. */
const listed = async (text: string) => {
  const { data } = await ask(facts().agentKey, "/keys")
  return data?.api_keys.find(({ lastFour }) => text.endsWith(lastFour))
}

interface Run {
  readonly child: ChildProcess
  readonly said: () => string
  readonly ended: Promise<number | null>
}

/** As `npm start` and `npm run bursar` run them: bundled. */
const programs = { sandbox: "apps/sandbox/main.ts", bursar: "apps/cli/main.ts" }
const bundles = new Map<string, Child.Bundle>()

const bundleOf = (program: string): Child.Bundle =>
  bundles.get(program) ?? assert.fail(`${program} is not bundled.`)

const start = (port: number, dataDirectory = directory, over: Record<string, string> = {}): Run => {
  const bundle = bundleOf(programs.sandbox)
  const child = spawn(process.execPath, [bundle.file], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      BURSAR_DATA_DIR: dataDirectory,
      ...Child.cacheOf(bundle),
      ...over
    }
  })
  started.add(child)
  let said = ""
  const hear = (chunk: Buffer) => {
    said += chunk.toString("utf8")
  }
  child.stdout.on("data", hear)
  child.stderr.on("data", hear)
  const ended = new Promise<number | null>((resume) => child.on("exit", resume))
  return { child, said: () => said, ended }
}

/** Asks again until it is so; the test's own time limit is the end of patience. */
const until = async <A>(ask: () => Promise<A | undefined> | A | undefined): Promise<A> => {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await new Promise((resume) => setTimeout(resume, 50))
  }
}

const ready = (run: Run) => until(() => (run.said().includes("ready in") ? true : undefined))

const facts = (): SandboxFacts => JSON.parse(readFileSync(join(directory, "sandbox.json"), "utf8"))

const get = async (path: string) => {
  const { baseUrl, developerKey } = facts()
  const response = await fetch(baseUrl + path, {
    headers: { authorization: `Bearer ${developerKey}` }
  })
  return ((await response.json()) as { data: Record<string, never> }).data
}

const post = async (path: string, body: unknown) => {
  const { baseUrl, developerKey } = facts()
  const response = await fetch(baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${developerKey}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return ((await response.json()) as { data: Record<string, string> }).data
}

const pay = (to: string, amountMicro: bigint) =>
  sendUsdc({
    rpcUrl: facts().chain.rpcUrl,
    privateKey: facts().payer.privateKey,
    token: facts().chain.usdc,
    to,
    amountMicro
  })

/** Without what is another in every run: ids, keys, addresses, ports, prices and times. */
const lasting = (line: string): string =>
  line
    .replaceAll(/svc_(hu|ag)_\S+/gu, "svc_$1_…")
    .replaceAll(/(pr_|evt_|#)\w+/gu, "$1…")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "<id>")
    .replaceAll(/0x[0-9a-f]{40,}/giu, "0x…")
    .replaceAll(/\b[1-9A-HJ-NP-Za-km-z]{32,90}\b/gu, "<base58>")
    .replaceAll(/(localhost|127\.0\.0\.1):\d+/gu, "$1:<port>")
    .replaceAll(/\d+\.\d{4,}/gu, "<price>")
    .replaceAll(/\d+\.\d s$/gu, "<time> s")

/** How far something has come is told as often as it is seen to be there. */
const isLasting = (line: string): boolean => !/^\d+\. The \w+ is \w+\.$/u.test(line)

const shownInReadme = (name: string): Array<string> => {
  const readme = readFileSync("README.md", "utf8")
  const [, block = ""] =
    new RegExp(`<!-- ${name} output: begin -->\n\`\`\`text\n(.*?)\n\`\`\`\n`, "su").exec(readme) ??
    []
  return block.split("\n").map(lasting)
}

describe("The sandbox", () => {
  let port = 0
  let run: Run

  beforeAll(async () => {
    for (const program of Object.values(programs)) {
      bundles.set(program, await Child.bundle(program))
    }
    port = await freePort()
    run = start(port)
    await ready(run)
  }, 120_000)

  afterAll(async () => {
    for (const child of started) child.kill("SIGKILL")
    await Promise.all(
      [...started].map((child) => until(() => child.signalCode ?? child.exitCode ?? undefined))
    )
    rmSync(directory, { recursive: true, force: true })
    for (const { remove } of bundles.values()) remove()
  })

  it("tells where everything is, and keeps it in a file of its owner's alone", async () => {
    assert.include(run.said(), facts().developerKey)
    assert.include(run.said(), "curl -s")
    assert.strictEqual(statSync(join(directory, "sandbox.json")).mode & 0o777, 0o600)
    const chains = facts().wallets.map(({ chainId }) => chainId)
    assert.deepStrictEqual(chains, [
      ...Array(4).fill("local"),
      ...Array(4).fill(facts().solana?.chainId ?? "none")
    ])
    assert.include(run.said(), facts().solana?.rpcUrl ?? "none")
  })

  it("gives agents a key to work with that was made from the agent's and makes no keys", async () => {
    const { agentKey, workerKey } = facts()
    assert.include(run.said(), workerKey)
    const [first, worker] = [await listed(agentKey), await listed(workerKey)]
    assert.lengthOf(first?.scopes ?? [], 10)
    const others = first?.scopes.filter((scope) => scope !== "keys:manage") ?? []
    assert.sameMembers([...(worker?.scopes ?? [])], others)
    assert.strictEqual(worker?.madeBy, first?.id)
    const refused = await ask(workerKey, "/keys", { scopes: ["account:read"] })
    assert.strictEqual(refused.error?.code, "INSUFFICIENT_SCOPE")
  })

  it("tells the demo's story to its end", async () => {
    const told: Array<string> = []
    await tell(facts(), (line) => told.push(line))
    assert.include(told, "5. The request is processing.")
    assert.include(told, "5. The request is paid.")
    assert.match(
      told.join("\n"),
      /^13\. The other account approves, and the 150\.00 are sent: 0x/mu
    )
    assert.match(told.join("\n"), /^16\. A send of 7\.25 USDC from a wallet without SOL is final/mu)
    assert.match(told.at(-1) ?? "", /^26\. One transaction sold 25\.00 USDC and bought /u)
    const shown = shownInReadme("demo").filter((line) => /^[1-9]\d?\. /u.test(line))
    assert.deepStrictEqual(told.filter(isLasting).map(lasting), shown.filter(isLasting))
  }, 240_000)

  it("prints what the README shows of it", () => {
    const shown = shownInReadme("sandbox")
    assert.strictEqual(shown.pop(), "…")
    const said = run
      .said()
      .replaceAll(directory, ".bursar")
      .replaceAll("BURSAR_DATA_DIR='.bursar' ", "")
    const lines = said.slice(said.indexOf("Bursar sandbox, ready in")).split("\n")
    assert.deepStrictEqual(lines.slice(0, shown.length).map(lasting), shown)
  })

  it("writes books of its own chains, which hledger takes", async () => {
    const command = bundleOf(programs.bursar)
    const bursar = (...words: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [command.file, ...words], {
        env: { PATH: process.env.PATH, BURSAR_DATA_DIR: directory, ...Child.cacheOf(command) },
        encoding: "utf8"
      })
    const { accounts } = JSON.parse(bursar("accounts", "list", "--json").stdout)
    const to = new Date().toISOString()
    const account = accounts.find(({ kind }: { readonly kind: string }) => kind === "developer").id
    // Long before the chains began, when nobody had anything.
    const words = ["export", account, "--from", "2020-01-01", "--to", to]
    // Where something happens blocks come soon, and the period ends with a final one.
    await pay(facts().payer.address, 1n)
    const { stderr, stdout } = await until(async () => {
      const ran = bursar(...words, "--format", "hledger")
      // Until the last blocks of the period are final.
      return ran.status === 0 ? ran : undefined
    })
    assert.notInclude(stderr, "not connected")
    assert.deepStrictEqual(Books.checked(stdout).stderr, "")
    for (const chain of ["Local-sandbox", "Local-Solana-sandbox"]) {
      assert.match(Books.hledgerBalance(stdout, `Assets:Wallets:${chain}`), /\d+\.\d{6} USDC/u)
    }
  }, 120_000)

  it("lets a person in by the link it prints, and pays what they approve with their passkey", async () => {
    const { enrolmentUrl = "", siteUrl, wallets } = facts()
    assert.include(run.said(), enrolmentUrl)
    const ada = new Visitor(siteUrl, siteUrl)
    const enrolled = await Effect.runPromise(ada.enrol(enrolmentUrl))
    assert.strictEqual(enrolled.status, 200)
    const { recipients } = (await get("/recipients")) as unknown as {
      readonly recipients: ReadonlyArray<{ readonly id: string }>
    }
    const wallet = wallets.find(
      ({ account, kind }) => account === "developer" && kind === "standard"
    )
    const wanted = { recipientId: recipients.at(-1)?.id, fromWalletId: wallet?.id, amountUsdc: "2" }
    const { proposalId } = await post("/proposals/transfers", wanted)
    const confirmed = await post(`/proposals/${proposalId}/confirm`, {})
    assert.strictEqual(confirmed.status, "requires_action")
    const at = (what: string) => `proposals/${proposalId}/${what}`
    const approved = await Effect.runPromise(ada.signing(at("options"), at("approve")))
    assert.strictEqual(approved.body.data.proposal.status, "executing")
    const path = `/proposals/${proposalId}`
    await until(async () => ((await get(path)).status === "completed" ? true : undefined))
  }, 60_000)

  it("refuses a second process on its data directory and a port that is taken, in one line", async () => {
    const second = start(await freePort())
    assert.strictEqual(await second.ended, 1)
    assert.match(second.said(), /^The data directory .+ is in use by process \d+; .+\n$/u)
    const other = mkdtempSync(join(tmpdir(), "bursar-sandbox-"))
    const taken = start(port, other)
    assert.strictEqual(await taken.ended, 1)
    assert.match(taken.said(), /^Port \d+ on 127\.0\.0\.1 is in use; .+\n$/u)
    rmSync(other, { recursive: true, force: true })
  }, 60_000)

  it("refuses settings that belong to a treasury with real money", async () => {
    const other = mkdtempSync(join(tmpdir(), "bursar-sandbox-"))
    const refused = start(await freePort(), other, { DATABASE_URL: "postgres://elsewhere/money" })
    assert.strictEqual(await refused.ended, 1)
    assert.match(refused.said(), /unset DATABASE_URL/u)
    rmSync(other, { recursive: true, force: true })
  })

  it("says that a folder of another version is to be removed, where a sandbox was in it", async () => {
    const other = mkdtempSync(join(tmpdir(), "bursar-sandbox-"))
    const made = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table migration (name text primary key)`
      yield* sql`insert into migration values ('0001-baseline')`
    })
    await Effect.runPromise(Effect.provide(made, Embedded.layer({ directory: other })))
    const strange = start(await freePort(), other)
    assert.strictEqual(await strange.ended, 1)
    assert.match(strange.said(), /^The database was made by another version, whose 0001-baseline/u)
    writeFileSync(join(other, "sandbox.json"), "{}")
    const old = start(await freePort(), other)
    assert.strictEqual(await old.ended, 1)
    assert.strictEqual(
      old.said(),
      `The sandbox in ${other} was made by another version. Remove that folder and start again: nothing in it is real.\n`
    )
    rmSync(other, { recursive: true, force: true })
  }, 120_000)

  it("finds its stores and its chain again after Ctrl-C and after a kill", async () => {
    const vault = facts().wallets.find((wallet) => wallet.kind === "collection")
    const request = await post("/payment-requests", { walletMappingId: vault?.id, amountUsd: 7 })
    await pay(vault?.address as string, 7_000_000n)
    const path = `/payment-requests/${request.pid}`
    await until(async () => ((await get(path)).status === "paid" ? true : undefined))
    const before = facts()
    const signed = await get("/audit-log/checkpoint")
    run.child.kill("SIGINT")
    await run.ended
    run = start(port)
    await ready(run)
    for (const key of ["developerKey", "agentKey", "workerKey"] as const) {
      assert.strictEqual(facts()[key], before[key])
    }
    assert.strictEqual(facts().payer.address, before.payer.address)
    assert.notStrictEqual(facts().enrolmentUrl, before.enrolmentUrl)
    assert.strictEqual((await get("/audit-log/checkpoint")).verifierKey, signed.verifierKey)
    assert.strictEqual((await get(path)).status, "paid")
    run.child.kill("SIGKILL")
    await run.ended
    run = start(port)
    await ready(run)
    const next = await post("/payment-requests", { walletMappingId: vault?.id, amountUsd: 8 })
    await pay(vault?.address as string, 8_000_000n)
    const nextPath = `/payment-requests/${next.pid}`
    await until(async () => ((await get(nextPath)).status === "paid" ? true : undefined))
    assert.strictEqual((await get(path)).status, "paid")
  }, 120_000)

  it("gives agents a new key to work with where the one before is dead", async () => {
    const { agentKey, workerKey: dead } = facts()
    const { id } = (await listed(dead)) ?? { id: "none" }
    assert.isUndefined((await ask(agentKey, `/keys/${id}/revoke`, {})).error)
    assert.strictEqual((await ask(dead, "/account")).error?.code, "UNAUTHENTICATED")
    run.child.kill("SIGINT")
    await run.ended
    run = start(port)
    await ready(run)
    const { workerKey } = facts()
    assert.strictEqual(facts().agentKey, agentKey)
    assert.notStrictEqual(workerKey, dead)
    assert.include(run.said(), workerKey)
    assert.notInclude(run.said(), dead)
    assert.isUndefined((await ask(workerKey, "/account")).error)
    assert.isNull((await listed(workerKey))?.revokedAt)
    assert.strictEqual((await listed(workerKey))?.madeBy, (await listed(agentKey))?.id)
  }, 60_000)
})
