/** `bursar export` on a real chain: what it writes is taken by hledger, whether or not a service is running. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as Operator from "../../../apps/cli/operator/listen.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { shown } from "../../../core/chains/address.ts"
import { usdc as listed } from "../../../core/chains/usdc.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Anvil from "../../support/anvil.ts"
import * as Books from "../../support/bookkeeping.ts"
import { ran } from "../../support/command-line.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-export-test-")

/** The chain of the test answers as Base does: its number is that one's, and so is the place of its USDC. */
const likeBase = Effect.fnUntraced(function* ({ proxy, usdc }: Anvil.AnvilChain["Service"]) {
  const [here, there] = [usdc.slice(2).toLowerCase(), (listed.base ?? "").slice(2).toLowerCase()]
  const swap = <A>(value: A, from: string, to: string): A =>
    JSON.parse(JSON.stringify(value ?? null).replaceAll(new RegExp(from, "giu"), to)) as A
  yield* proxy.tamper(async (asked, pass) => {
    const passed = asked.map((each) => ({ ...each, params: swap(each.params, there, here) }))
    return (await pass(passed)).map((each, at) =>
      asked[at]?.method === "eth_chainId"
        ? { id: each.id, result: "0x2105" }
        : {
            ...each,
            ...(each.result === undefined ? {} : { result: swap(each.result, here, there) })
          }
    )
  })
})

const stranger = `0x${"57".repeat(20)}`

/** A wallet that paid twice, and the records that know nothing of it. */
const world = Effect.gen(function* () {
  const chain = yield* Anvil.AnvilChain
  yield* likeBase(chain)
  const environment = {
    BURSAR_DATA_DIR: join(yield* directory, "data"),
    BURSAR_CHAINS: "base",
    BURSAR_RPC_BASE: chain.proxy.rpcUrl
  }
  const records = office(Configuration.read(environment))
  const filling = Effect.gen(function* () {
    const account = yield* Stored.account()
    const wallet = Rows.aWallet(account.id, {
      chainId: "base",
      name: "Main",
      address: shown("base", chain.payer)
    })
    yield* (yield* Wallets).add(wallet)
    return wallet
  })
  const wallet = yield* Effect.provide(filling, records)
  yield* chain.timePasses(86_400)
  const block = (yield* chain.call("eth_getBlockByNumber", "latest", false)) as {
    readonly timestamp: string
  }
  const from = DateTime.makeUnsafe(Number(block.timestamp) * 1000)
  yield* chain.timePasses(60)
  yield* chain.pay(stranger, 12_500_001n)
  yield* chain.pay(stranger, 1n)
  yield* chain.timePasses(60)
  const to = DateTime.add(from, { minutes: 30 })
  yield* chain.timePasses(3_600)
  yield* chain.mine(100)
  const words = (format: string) => [
    ...["export", "--from", DateTime.formatIso(from), "--to", DateTime.formatIso(to)],
    ...["--format", format]
  ]
  return { chain, environment, records, wallet, words }
})

const held = Effect.fnUntraced(function* ({ call, payer, usdc }: Anvil.AnvilChain["Service"]) {
  const data = `0x70a08231${payer.slice(2).padStart(64, "0")}`
  return BigInt(String(yield* call("eth_call", { to: usdc, data }, "latest")))
})

/** The service's own settings, for as long as the test has it open. */
const serving = Effect.fnUntraced(function* ({
  environment,
  records
}: Effect.Success<typeof world>) {
  const before = { ...process.env }
  yield* Effect.acquireRelease(
    Effect.sync(() => Object.assign(process.env, environment)),
    () =>
      Effect.sync(() => {
        for (const name of Object.keys(environment)) delete process.env[name]
        Object.assign(process.env, before)
      })
  )
  const service = Operator.layer(environment.BURSAR_DATA_DIR)
  yield* Layer.build(Layer.provideMerge(service, records))
})

const patience = 300_000

describe("bursar export", () => {
  it.live(
    "writes books that hledger takes and that come to what the chain says, from a running service",
    () =>
      Effect.gen(function* () {
        const made = yield* world
        const { chain, environment, wallet, words } = made
        yield* serving(made)
        const done = yield* ran(words("hledger"), environment)
        assert.strictEqual(done.exitCode, 0, done.stderr)
        assert.include(done.stderr, "Wrote 2 movements.")
        const verdict = Books.checked(done.stdout)
        assert.strictEqual(verdict.stderr, "")
        assert.strictEqual(verdict.status, 0)
        const [computed] = Books.hledgerBalance(done.stdout, wallet.id.slice(-12)).split(" ")
        assert.strictEqual(computed?.replace(".", ""), String(yield* held(chain)))
        const out = Books.hledgerBalance(done.stdout, "Expenses:Unrecorded")
        assert.strictEqual(out, "12.500002 USDC")
        const asked = (from: string) =>
          ran(["export", "--from", from, "--to", "2999-01-01"], environment)
        const late = yield* asked("2026-01-01")
        assert.strictEqual(late.exitCode, 1)
        assert.include(late.stderr, "are final only up to")
        const odd = yield* asked("2030-02-30")
        assert.strictEqual(odd.exitCode, 2)
        assert.include(odd.stderr, "--from must be a day")
      }).pipe(Effect.scoped, Effect.provide(Anvil.layer)),
    patience
  )

  it.live(
    "writes them from a database that nobody has open",
    () =>
      Effect.gen(function* () {
        const { environment, words } = yield* world
        const alone = yield* ran(words("csv"), environment)
        assert.strictEqual(alone.exitCode, 0, alone.stderr)
        // The names, an opening, two movements and a closing.
        assert.lengthOf(alone.stdout.trimEnd().split("\r\n"), 1 + 1 + 2 + 1)
      }).pipe(Effect.scoped, Effect.provide(Anvil.layer)),
    patience
  )
})
