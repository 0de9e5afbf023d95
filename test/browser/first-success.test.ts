/**
 * Five newcomers, each from a fresh sandbox to their first success: a merchant, also when money came that fits nothing
 * or has to go back, a payer, an approver, an agent's builder and an operator. Commands are those that the sandbox prints; what each way takes is counted and printed.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Page } from "playwright-core"
import { createWalletClient, erc20Abi, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { afterAll, assert, beforeAll, it } from "vitest"
import type { SandboxFacts } from "../../apps/sandbox/facts.ts"
import { freePort } from "../../apps/sandbox/free-port.ts"
import * as Child from "../kill/child.ts"
import { type Browsing, describeInBrowser, openBrowsing, type Watched } from "../support/browser.ts"
import { openAuthenticator } from "../support/virtual-authenticator.ts"

/** Rejects with what the command said when it fails. */
const run = promisify(execFile)

/** Asks again until it is so; the test's own time limit is the end of patience. */
const until = async <A>(ask: () => Promise<A | undefined> | A | undefined): Promise<A> => {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await new Promise((resume) => setTimeout(resume, 100))
  }
}

describeInBrowser("A newcomer", () => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-first-"))
  const environment = { PATH: process.env.PATH, BURSAR_DATA_DIR: directory }
  let sandbox: ChildProcess
  let said = ""
  let browsing: Browsing
  /** Of who approves, once they are signed in. */
  let signedIn: Watched
  let facts: SandboxFacts

  // As `npm start` and `npm run bursar` run them: bundled.
  let program: Child.Bundle
  let command: Child.Bundle
  let startedAtMs = 0
  const taken: Array<string> = []

  /** Counts what somebody does on the way; what it came to is printed at the end. */
  const way = (who: string) => {
    const beganAtMs = performance.now()
    const count = { commands: 0, clicks: 0, calls: 0 }
    return {
      bursar: async (...words: ReadonlyArray<string>) => {
        count.commands += 1
        const env = { ...environment, ...Child.cacheOf(command) }
        return (await run(process.execPath, [command.file, ...words], { env })).stdout
      },
      click: async (page: Page, name: string | RegExp, role: "button" | "link" = "button") => {
        count.clicks += 1
        await page.getByRole(role, { name }).first().click()
      },
      tool: async (key: string, name: string, args: object) => {
        count.calls += 1
        const answer = await fetch(facts.mcpUrl, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name, arguments: args }
          })
        })
        const { result } = (await answer.json()) as {
          readonly result: { readonly structuredContent: Record<string, unknown> }
        }
        return result.structuredContent as Record<string, never>
      },
      end: () => {
        const seconds = ((performance.now() - beganAtMs) / 1000).toFixed(1)
        taken.push(
          `${who}: ${count.commands} commands, ${count.clicks} clicks, ${count.calls} calls, ${seconds} s`
        )
        return count
      }
    }
  }

  beforeAll(async () => {
    program = await Child.bundle("apps/sandbox/main.ts")
    command = await Child.bundle("apps/cli/main.ts")
    // Not before, as others may take it while this is built.
    const port = await freePort()
    startedAtMs = performance.now()
    sandbox = spawn(process.execPath, [program.file], {
      env: { ...environment, ...Child.cacheOf(program), PORT: String(port) }
    })
    for (const stream of [sandbox.stdout, sandbox.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        said += chunk.toString("utf8")
      })
    }
    await until(() => {
      if (sandbox.exitCode !== null) throw new Error(`The sandbox did not start: ${said}`)
      return said.includes("ready in") ? true : undefined
    })
    facts = JSON.parse(readFileSync(join(directory, "sandbox.json"), "utf8"))
    taken.push(`npm start: 1 command, ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`)
    browsing = await openBrowsing()
  }, 120_000)

  afterAll(async () => {
    process.stdout.write(`\n${taken.join("\n")}\n`)
    await browsing?.close()
    sandbox?.kill("SIGKILL")
    await until(() => sandbox.signalCode ?? sandbox.exitCode ?? undefined)
    rmSync(directory, { recursive: true, force: true })
    program.remove()
    command.remove()
  })

  it("who sells has a paid invoice by the two commands that the sandbox prints", async () => {
    const { bursar, end } = way("merchant")
    const [, line = ""] = /-- (create-payment-request .*)$/mu.exec(said) ?? []
    const { paymentUrl } = JSON.parse(await bursar(...line.split(" ")))
    assert.include(said, "-- pay <the paymentUrl it printed>")
    const { status } = JSON.parse(await bursar("pay", paymentUrl))
    assert.strictEqual(status, "paid")
    // With `npm install` and `npm start` these are four.
    assert.isAtMost(end().commands, 3)
  })

  const asDeveloper = async (path: string, body: object) => {
    const answer = await fetch(facts.baseUrl + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${facts.developerKey}`,
        "content-type": "application/json"
      },
      body: JSON.stringify(body)
    })
    return ((await answer.json()) as { readonly data: Record<string, never> }).data
  }

  const firstVault = () =>
    facts.wallets.find(
      ({ account, chainId, kind }) =>
        account === "developer" && chainId === "local" && kind === "collection"
    )

  /** The payer on the first chain, as a form offers them. */
  const payerChoice = async (page: Page) => {
    const labels = await page.getByLabel("Recipient").locator("option").allTextContents()
    return labels.find((label) => label.startsWith("Payer, local")) ?? ""
  }

  it("who pays has paid by one click on the page behind the link", async () => {
    const { paymentUrl } = await asDeveloper("/payment-requests", {
      walletMappingId: firstVault()?.id,
      amountUsd: 12
    })
    const { click, end } = way("payer")
    const { close, page } = await browsing.open(String(paymentUrl))
    await click(page, /test money/iu)
    await page.locator(".headline", { hasText: /^Paid/u }).waitFor()
    assert.strictEqual(end().clicks, 1)
    await close()
  })

  it("who approves has signed a payment by two clicks after opening the link", async () => {
    const { click, end } = way("approver")
    signedIn = await browsing.open(facts.enrolmentUrl ?? "", {}, async (opened) => {
      await openAuthenticator(opened)
      opened.on("dialog", (dialog) => dialog.accept())
    })
    const { page } = signedIn
    await click(page, "Create passkey")
    await page.getByRole("heading", { name: "Pending approvals" }).waitFor()
    const wallet = facts.wallets.find(
      ({ account, chainId, kind }) =>
        account === "developer" && chainId === "local" && kind === "standard"
    )
    const listed = await fetch(`${facts.baseUrl}/recipients`, {
      headers: { authorization: `Bearer ${facts.developerKey}` }
    })
    const { data } = (await listed.json()) as {
      readonly data: { readonly recipients: ReadonlyArray<Record<string, string>> }
    }
    const recipient = data.recipients.find(({ chainId }) => chainId === "local")
    const { proposalId } = await asDeveloper("/proposals/transfers", {
      recipientId: recipient?.id,
      fromWalletId: wallet?.id,
      amountUsdc: "5"
    })
    const { nextAction } = await asDeveloper(`/proposals/${proposalId}/confirm`, {})
    const [{ url }] = nextAction as unknown as [{ readonly url: string }]
    await page.goto(url)
    await click(page, "Approve with your passkey")
    await page.getByText("Completed", { exact: true }).first().waitFor()
    assert.strictEqual(end().clicks, 2)
  })

  it("who sells attaches a payment that fits nothing to its request, by two clicks in the console", async () => {
    const vault = firstVault()
    const { pid } = await asDeveloper("/payment-requests", {
      walletMappingId: vault?.id,
      amountUsd: 21
    })
    await asDeveloper("/payment-requests", { walletMappingId: vault?.id, amountUsd: 22 })
    const payer = createWalletClient({
      account: privateKeyToAccount(facts.payer.privateKey as `0x${string}`),
      transport: http(facts.chain.rpcUrl)
    })
    const pay = (amountMicro: bigint) =>
      payer.writeContract({
        chain: null,
        address: facts.chain.usdc as `0x${string}`,
        abi: erc20Abi,
        functionName: "transfer",
        args: [vault?.address as `0x${string}`, amountMicro]
      })
    await pay(3_210_000n)
    const { page } = signedIn
    await until(async () => {
      await page.goto(`${facts.siteUrl}/console`)
      const isThere = await page.getByRole("link", { name: "3.21 USDC" }).isVisible()
      return isThere ? true : undefined
    })
    // Only what is final can be attached, and what is paid later is final later.
    const later = { walletMappingId: vault?.id, amountUsd: 23 }
    const { paymentUrl } = await asDeveloper("/payment-requests", later)
    await pay(23_000_000n)
    await page.goto(String(paymentUrl))
    await page.locator(".headline", { hasText: /^Paid/u }).waitFor()
    await page.goto(`${facts.siteUrl}/console`)
    const { click, end } = way("merchant, with a payment that fits nothing")
    await click(page, "3.21 USDC", "link")
    await page.getByText("It may be for any of several payment requests.").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Accept" }).count(), 0)
    await click(page, `Attach to ${String(pid).slice(0, 6)}`)
    await page.locator(".state", { hasText: "attached" }).waitFor()
    assert.strictEqual(end().clicks, 2)
  })

  it("who sells pays back a part by five clicks in the console", async () => {
    const { page } = signedIn
    await page.goto(`${facts.siteUrl}/console`)
    const { click, end } = way("merchant, who pays back")
    await click(page, "Payments", "link")
    await page.locator("tbody tr", { hasText: "paid" }).filter({ hasText: "49.00" }).waitFor()
    const paid = page.locator("tbody tr", { hasText: "49.00 USDC" }).getByRole("link")
    await click(page, (await paid.textContent()) ?? "", "link")
    await click(page, "Refund", "link")
    await page.getByLabel("Recipient").selectOption({ label: await payerChoice(page) })
    await page.getByLabel("Amount in USDC").fill("9")
    await click(page, "Propose the refund")
    await page.getByText("the address that paid").waitFor()
    await click(page, "Approve with your passkey")
    await page.getByText("Completed", { exact: true }).first().waitFor()
    assert.strictEqual(end().clicks, 5)
    await signedIn.close()
  })

  it("who builds an agent has it pay by four calls of tools", async () => {
    const { end, tool } = way("agent builder")
    const { workerKey } = facts
    const { wallets } = await tool(workerKey, "list_wallets", { kind: "standard" })
    const { recipients } = await tool(workerKey, "list_recipients", {})
    const onLocal = (all: ReadonlyArray<Record<string, string>>) =>
      all.find(({ chainId }) => chainId === "local")?.id
    const { proposalId } = await tool(workerKey, "propose_transfer", {
      fromWalletId: onLocal(wallets ?? []),
      recipientId: onLocal(recipients ?? []),
      amountUsdc: "2.50"
    })
    const confirmed = await tool(workerKey, "confirm_proposal", { proposalId, waitMs: 30_000 })
    assert.strictEqual(confirmed.proposalId, proposalId)
    // On a machine with more to do it may take longer than one call waits.
    const paid = await until(async () => {
      const answer = await fetch(`${facts.baseUrl}/proposals/${proposalId}`, {
        headers: { authorization: `Bearer ${workerKey}` }
      })
      const { data } = (await answer.json()) as { readonly data: Record<string, string> }
      return data.outcome === null ? undefined : data
    })
    assert.deepStrictEqual([paid.status, paid.outcome], ["completed", "executed"])
    assert.strictEqual(end().calls, 4)
  })

  it("who operates has an account with a key and knows that all is well by three commands", async () => {
    const { bursar, end } = way("operator")
    const opened = JSON.parse(
      await bursar("accounts", "open", "--name", "Second Shop", "--kind", "developer", "--json")
    )
    const printed = await bursar("keys", "create", opened.id, "--scopes", "all")
    const [apiKey] = /svc_hu_\w+/u.exec(printed) ?? []
    const answer = await fetch(`${facts.baseUrl}/account`, {
      headers: { authorization: `Bearer ${apiKey}` }
    })
    assert.strictEqual(answer.status, 200)
    const { relayers } = JSON.parse(await bursar("relayers", "--json"))
    assert.isTrue(relayers.every(({ status }: { readonly status: string }) => status === "ok"))
    assert.strictEqual(end().commands, 3)
  })
})
