/**
 * The sandbox's second chain as a newcomer meets it: nothing of it runs before somebody asks for a bridge, and what it
 * has is there again after the process was killed in the middle of one.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Rpc from "../../../adapters/evm/rpc.ts"
import * as SecondChain from "../../../apps/sandbox/bridges/second-chain.ts"
import type { SandboxFacts } from "../../../apps/sandbox/facts.ts"
import { freePort } from "../../../apps/sandbox/free-port.ts"
import { callerOf, type Fields, walletOn } from "../../../apps/sandbox/telling.ts"
import * as Child from "../../kill/child.ts"

const directory = mkdtempSync(join(tmpdir(), "bursar-second-"))
let child: ChildProcess | undefined
let bundle: Child.Bundle

/** Asks until there is an answer; the patience of the test ends it otherwise. */
const until = async <A>(ask: () => Promise<A | undefined> | A | undefined): Promise<A> => {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await new Promise((resume) => setTimeout(resume, 50))
  }
}

const start = async (port: number) => {
  const run = spawn(process.execPath, [bundle.file], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      BURSAR_DATA_DIR: directory,
      ...Child.cacheOf(bundle)
    }
  })
  child = run
  let said = ""
  const hear = (chunk: Buffer) => {
    said += chunk.toString("utf8")
  }
  run.stdout.on("data", hear)
  run.stderr.on("data", hear)
  await until(() => {
    assert.isNull(run.exitCode, said)
    return said.includes("ready in") ? true : undefined
  })
  return said
}

const end = async (signal: NodeJS.Signals) => {
  const run = child
  if (run === undefined || run.exitCode !== null || run.signalCode !== null) return
  const ended = new Promise((resume) => run.once("exit", resume))
  run.kill(signal)
  await ended
}

const facts = (): SandboxFacts => JSON.parse(readFileSync(join(directory, "sandbox.json"), "utf8"))

const second = () => facts().secondChain ?? assert.fail("The sandbox names no second chain.")

/** Whether anybody answers there. */
const isRunning = () =>
  Effect.runPromise(
    Rpc.make(second().rpcUrl, { timeoutMs: 2_000 })([{ method: "eth_chainId", params: [] }]).pipe(
      Effect.as(true),
      Effect.catch(() => Effect.succeed(false))
    )
  )

const file = join(directory, "second-chain.json")

describe("The sandbox's second chain", () => {
  let port = 0
  let bridge: Fields = {}
  const call = (method: string, path: string, body?: unknown) =>
    callerOf(facts(), facts().agentKey)(method, path, body)
  const proposal = () => call("GET", `/proposals/${bridge.proposalId}`)
  const balance = async (chainId: string) => {
    const id = await walletOn(call, chainId)
    const { holdings } = await call("GET", `/portfolio/holdings?walletId=${id}`)
    const usdc = (holdings as ReadonlyArray<Fields>).find(({ symbol }) => symbol === "USDC")
    return BigInt(String(usdc?.balance ?? "0"))
  }

  beforeAll(async () => {
    bundle = await Child.bundle("apps/sandbox/main.ts")
    port = await freePort()
  }, 120_000)

  afterAll(async () => {
    await end("SIGKILL")
    rmSync(directory, { recursive: true, force: true })
    bundle.remove()
  })

  it("does not run, and is nobody's business, before somebody asks for a bridge", async () => {
    const said = await start(port)
    assert.include(said, `${second().rpcUrl}, once a bridge is asked for`)
    const { pid } = await call("POST", "/payment-requests", {
      walletMappingId: facts().wallets.find(
        ({ account, kind }) => account === "agent" && kind === "collection"
      )?.id,
      amountUsd: 5
    })
    assert.isString(pid)
    const portfolio = await call("GET", "/portfolio")
    assert.strictEqual(portfolio.totalsComplete, true)
    assert.isUndefined(facts().wallets.find(({ chainId }) => chainId === second().chainId))
    assert.isFalse(await isRunning())
    assert.isFalse(existsSync(file))
  }, 120_000)

  it("starts with the bridges when one is first asked for, and who asks waits", async () => {
    // An approval for limit orders needs their contract on the first chain.
    const approval = await call("POST", "/proposals/token-approve", {
      fromWalletId: await walletOn(call, "local"),
      tokenAddress: facts().chain.usdc,
      flow: "limit_order_bridge",
      amountSmallestUnit: "1000000"
    })
    assert.strictEqual(approval.status, "pending_confirm")
    assert.isTrue(await isRunning())
    assert.isTrue(existsSync(file))
    const { tools } = await call(
      "GET",
      `/trade/routing-guide?fromChainId=local&toChainId=${second().chainId}`
    )
    const available = (tools as ReadonlyArray<Fields>).filter((tool) => tool.available)
    assert.sameMembers(
      available.map(({ protocol }) => protocol),
      ["cctp", "dln"]
    )
    const { chainId } = second()
    assert.lengthOf(
      facts().wallets.filter((wallet) => wallet.chainId === chainId),
      4
    )
    assert.strictEqual((await call("GET", "/portfolio")).totalsComplete, true)
  }, 120_000)

  it("has what arrived, also where the process is killed in the middle of a bridge", async () => {
    const { chainId, usdc } = second()
    const before = await balance("local")
    const asked = {
      fromWalletId: await walletOn(call, "local"),
      toWalletId: await walletOn(call, chainId),
      sellSymbol: "USDC",
      buySymbol: "USDC",
      sellTokenAddress: facts().chain.usdc,
      buyTokenAddress: usdc,
      amountUsd: "20.00"
    }
    bridge = await call("POST", "/proposals/bridges", asked)
    await call("POST", `/proposals/${bridge.proposalId}/confirm`, {})
    await until(async () => {
      const { steps } = await proposal()
      return (steps as ReadonlyArray<Fields>).some(({ kind }) => kind === "attest")
        ? true
        : undefined
    })
    await end("SIGKILL")
    const said = await start(port)
    assert.notInclude(said, "once a bridge is asked for")
    const done = await until(async () => {
      const now = await proposal()
      return now.status === "executing" ? undefined : now
    })
    assert.strictEqual(done.outcome, "executed")
    const arrived = BigInt(String(done.boughtAmount))
    assert.strictEqual(await balance(chainId), arrived)
    assert.strictEqual(await balance("local"), before - 20_000_000n)
    await end("SIGINT")
    await start(port)
    assert.strictEqual(await balance(chainId), arrived)
    assert.strictEqual((await proposal()).outcome, "executed")
  }, 240_000)

  it("that cannot be restored keeps nothing else from starting, and it is said why", async () => {
    await end("SIGINT")
    writeFileSync(file, "{")
    const said = await start(port)
    assert.include(said, "second-chain.json cannot be read")
    assert.isFalse(await isRunning())
    assert.strictEqual((await call("GET", "/portfolio")).totalsComplete, true)
  }, 120_000)
})

describe("A second chain that is begun", () => {
  it("is not kept before all of it is there", async () => {
    const own = mkdtempSync(join(tmpdir(), "bursar-begun-"))
    const kept = join(own, "second-chain.json")
    const payer = `0x${"aa".repeat(20)}`
    const begin = (isWhole: boolean) =>
      Effect.gen(function* () {
        const { keep, start } = yield* SecondChain.hold(own)
        yield* start(payer)
        yield* Effect.sleep("1500 millis")
        if (isWhole) yield* keep
      }).pipe(Effect.scoped, Effect.runPromise)
    try {
      await begin(false)
      assert.isFalse(existsSync(kept))
      await begin(true)
      assert.isTrue(existsSync(kept))
    } finally {
      rmSync(own, { recursive: true, force: true })
    }
  }, 60_000)
})
