/** `bursar pay` reads a stranger's link: what it refuses to pay, without anything having been sent. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { TestClock } from "effect/testing"
import { untilPaid } from "../../../apps/cli/pay/command.ts"
import { dueOf } from "../../../apps/cli/pay/due.ts"
import { Shell } from "../../../apps/cli/shell.ts"
import { usdc } from "../../../core/chains/usdc.ts"
import { ran } from "../../support/command-line.ts"

const pid = "pr_4fzQx0aB7cDeFgHiJkLmNo"
const to = `0x${"ab".repeat(20)}`
const uriFor = (token: string, number = 8453, units = "49000000") =>
  `ethereum:${token}@${number}/transfer?address=${to}&uint256=${units}`

const shown = {
  status: "open",
  merchant: "Corner Shop",
  amount: "49.00",
  symbol: "USDC",
  chainName: "Base",
  payable: { amount: "49.00", uri: uriFor(usdc.base) },
  confirmations: null,
  receipt: null
}

/** The link of a service that tells one state and waits, and a node of a chain; what the node was asked. */
const offering = (state: object, chainId = "0x2105") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<string> = []
      const server = createServer(async (request, response) => {
        if (request.method === "POST") {
          const { method } = JSON.parse(Buffer.concat(await request.toArray()).toString("utf8"))
          asked.push(method)
          return response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: chainId }))
        }
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`retry: 1000\n\nid: 1\nevent: shown\ndata: ${JSON.stringify(state)}\n\n`)
      })
      await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      return { asked, server, url, link: `${url}/pay/${pid}` }
    }),
    ({ server }) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((resume) => server.close(resume))
      })
  )

const keyFile = (mode: number, text = `0x${"11".repeat(32)}`) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = mkdtempSync(join(tmpdir(), "bursar-payer-"))
      const path = join(directory, "key")
      writeFileSync(path, text)
      chmodSync(path, mode)
      return { directory, path }
    }),
    ({ directory }) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ).pipe(Effect.map(({ path }) => path))

const localUsdc = `0x${"cd".repeat(20)}`

/** The directory of a sandbox that says it is at this address. */
const sandboxAt = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = mkdtempSync(join(tmpdir(), "bursar-sandbox-"))
      const facts = {
        siteUrl: url,
        chain: { chainId: "local", rpcUrl: url, usdc: localUsdc },
        payer: { address: to, privateKey: `0x${"11".repeat(32)}` }
      }
      writeFileSync(join(directory, "sandbox.json"), JSON.stringify(facts))
      return directory
    }),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  )

describe("what a link asks for", () => {
  it("is USDC as its issuer published it, and nothing else", () => {
    const due = dueOf(pid, uriFor(usdc.base.toLowerCase()))
    assert.deepStrictEqual([due?.chain.id, due?.amountMicro, due?.to], ["base", 49_000_000n, to])
    const weth = "0x4200000000000000000000000000000000000006"
    assert.isUndefined(dueOf(pid, uriFor(weth)))
    assert.isUndefined(dueOf(pid, uriFor(usdc.base, 1)))
    assert.isUndefined(dueOf(pid, uriFor(usdc.base, 31337)))
    assert.isUndefined(dueOf(pid, uriFor(usdc.base, 8453, "0")))
    assert.isUndefined(dueOf(pid, to))
    assert.isDefined(dueOf(pid, uriFor(weth, 31337), { local: weth }))
  })

  it("is read from a Solana Pay URL with its reference, for the mints we know", () => {
    const owner = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
    const uri = (mint: string) =>
      `solana:${owner}?amount=1.5&spl-token=${mint}&reference=ref1&label=Shop`
    const due = dueOf(pid, uri("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"))
    assert.deepStrictEqual(
      [due?.chain.id, due?.to, due?.amountMicro, due?.reference],
      ["solana", owner, 1_500_000n, "ref1"]
    )
    assert.isUndefined(dueOf(pid, uri(owner)))
  })
})

describe("bursar pay sends nothing", () => {
  const paid = (link: string, ...words: ReadonlyArray<string>) =>
    ran(["pay", link, ...words], { BURSAR_DATA_DIR: "nowhere" })

  it.live("to a link that is none, or that is not encrypted", () =>
    Effect.gen(function* () {
      for (const link of ["pr_1", "https://x.example/pay/pr_1", `http://x.example/pay/${pid}`]) {
        assert.strictEqual((yield* paid(link)).exitCode, 2, link)
      }
    })
  )

  it.live("without being told how much at most, or above that", () =>
    Effect.gen(function* () {
      const { asked, link, url } = yield* offering(shown)
      const path = yield* keyFile(0o600)
      const means = ["--key-file", path, "--rpc-url", url]
      const unbounded = yield* paid(link, ...means)
      assert.deepStrictEqual([unbounded.exitCode, asked], [2, []])
      assert.include(unbounded.stderr, "--up-to")
      const above = yield* paid(link, ...means, "--up-to", "48.999999")
      assert.deepStrictEqual([above.exitCode, asked], [1, []])
      assert.include(above.stderr, "asks for 49.00 USDC")
      assert.strictEqual((yield* paid(link)).exitCode, 2)
    })
  )

  it.live("above what was said, or through another node, when the sandbox's own payer pays", () =>
    Effect.gen(function* () {
      const { link, url } = yield* offering({
        ...shown,
        payable: { amount: "49.00", uri: uriFor(localUsdc, 31337) }
      })
      const home = yield* sandboxAt(url)
      const ask = (...words: ReadonlyArray<string>) =>
        ran(["pay", link, ...words], { BURSAR_DATA_DIR: home })
      const above = yield* ask("--up-to", "48.999999")
      assert.strictEqual(above.exitCode, 1)
      assert.include(above.stderr, "asks for 49.00 USDC, more than --up-to 48.999999")
      const elsewhere = yield* ask("--rpc-url", url)
      assert.strictEqual(elsewhere.exitCode, 2)
      assert.include(elsewhere.stderr, "leave --rpc-url out")
    })
  )

  it.live("by a key that others can read, or through a node of another chain", () =>
    Effect.gen(function* () {
      const { asked, link, url } = yield* offering(shown, "0x1")
      const rest = ["--rpc-url", url, "--up-to", "49"]
      const open = yield* paid(link, "--key-file", yield* keyFile(0o644), ...rest)
      assert.deepStrictEqual([open.exitCode, asked], [2, []])
      assert.include(open.stderr, "chmod 600")
      const elsewhere = yield* paid(link, "--key-file", yield* keyFile(0o600), ...rest)
      assert.deepStrictEqual([elsewhere.exitCode, asked], [2, ["eth_chainId"]])
      assert.include(elsewhere.stderr, "not one of Base")
    })
  )

  it.live("for a request that is paid, or that asks for another token", () =>
    Effect.gen(function* () {
      const done = yield* offering({ ...shown, status: "paid", payable: null })
      const again = yield* paid(done.link)
      assert.strictEqual(again.exitCode, 1)
      assert.include(again.stderr, "paid already. Nothing was sent.")
      const payable = { amount: "49.00", uri: uriFor(to) }
      const other = yield* offering({ ...shown, payable })
      assert.include((yield* paid(other.link)).stderr, "something else than USDC")
    })
  )
})

describe("bursar pay, once it has sent", () => {
  const read = { rewriteLine: undefined, environment: {}, columns: undefined }
  const site = (url: string) => ({ siteUrl: url, pid, url: `${url}/pay/${pid}` })

  const followedFor = Effect.fnUntraced(function* (state: object) {
    const { url } = yield* offering(state)
    const lines: Array<string> = []
    const console = { ...globalThis.console, error: (line: string) => lines.push(line) }
    yield* untilPaid(site(url), "0xabc").pipe(
      Effect.provideService(Shell, read),
      Effect.provideService(Console.Console, console),
      Effect.forkScoped
    )
    const pause = () => new Promise((resume) => setTimeout(resume, 5))
    while (lines.length === 0) yield* Effect.promise(pause)
    yield* TestClock.adjust("29 seconds")
    const before = lines.length
    yield* TestClock.adjust("5 minutes")
    return lines.slice(before)
  })

  it.effect("says once what it may be that a request stays open", () =>
    Effect.gen(function* () {
      const [line, ...more] = yield* followedFor(shown)
      assert.include(line, "still open, though 0xabc was sent")
      assert.deepStrictEqual(more, [])
    })
  )

  it.effect("says nothing of one whose money was seen", () =>
    Effect.gen(function* () {
      const seen = { ...shown, confirmations: { seen: 1, needed: 12 } }
      assert.deepStrictEqual(yield* followedFor(seen), [])
    })
  )
})
