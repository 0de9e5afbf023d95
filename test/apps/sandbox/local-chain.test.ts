/** The sandbox's chain is there at once with money on it, and goes on where it was, however it ended. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as Evm from "../../../adapters/evm/chains.ts"
import { sendUsdc } from "../../../adapters/evm/usdc.ts"
import * as LocalChain from "../../../apps/sandbox/local-chain.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { type Block, Chains } from "../../../core/ports/chains.ts"
import * as Value from "../../support/chain-values.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const ada = `0x${"ad".repeat(20)}`

const directory = temporaryFolder("bursar-chain-")

type Running = LocalChain.LocalChain["Service"]

/** Runs with a local chain that is closed at the end. */
const running = <A, E>(
  options: LocalChain.Options,
  work: (chain: Running) => Effect.Effect<A, E, Chains>
) =>
  Effect.gen(function* () {
    const chain = yield* LocalChain.LocalChain
    const connection = {
      chain: Chain.find("local") as Chain.Chain,
      rpcUrl: chain.rpcUrl,
      usdc: chain.usdc,
      confirmations: 2,
      pollMs: 50
    }
    return yield* Effect.provide(work(chain), Evm.layer([connection]))
  }).pipe(Effect.provide(LocalChain.layer(options)))

const tip = Effect.flatMap(Chains, (chains) => chains.tip("local"))
const holdings = (address: string) =>
  Effect.map(
    Effect.flatMap(Chains, (chains) => chains.balances("local", [Value.address(address)])),
    ([heldMicro]) => heldMicro
  )

it.live("a new chain has USDC and a payer who has a million of it", () =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* running({ directory: path, blockMs: null }, ({ payer, chainId, rpcUrl }) =>
      Effect.gen(function* () {
        assert.strictEqual(chainId, 31337)
        assert.match(rpcUrl, /^http:\/\/127\.0\.0\.1:\d+$/u)
        assert.strictEqual(yield* holdings(payer.address), 1_000_000_000_000n)
      })
    )
    assert.strictEqual(statSync(join(path, "local-chain.json")).mode & 0o777, 0o600)
  })
)

it.live("each data directory has a payer of its own", () =>
  Effect.gen(function* () {
    const payerOf = (path: string) =>
      running({ directory: path, blockMs: null }, ({ payer }) => Effect.succeed(payer.privateKey))
    const keys = [yield* payerOf(yield* directory), yield* payerOf(yield* directory)]
    assert.strictEqual(new Set(keys).size, 2)
  })
)

it.live("a chain that was closed goes on at the same block, for a watcher as if nothing were", () =>
  Effect.gen(function* () {
    const options = { directory: yield* directory, blockMs: null }
    const before = yield* running(options, ({ mine, mint, payer, usdc }) =>
      Effect.gen(function* () {
        const start = yield* tip
        yield* mint(ada, 7n)
        yield* mine(70)
        return { start, tip: yield* tip, payer, usdc }
      })
    )
    yield* running(options, ({ mint, payer, usdc }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual({ payer, usdc }, { payer: before.payer, usdc: before.usdc })
        assert.deepStrictEqual(yield* tip, before.tip)
        const { look } = yield* Chains
        const whole = yield* look("local", { blocks: [before.start] })
        assert.deepStrictEqual(
          whole.transfers.map(({ amountMicro }) => amountMicro),
          [7n]
        )
        yield* mint(ada, 8n)
        const next = yield* look("local", { blocks: [before.tip] })
        assert.strictEqual(next.commonNumber, before.tip.number)
        assert.deepStrictEqual(
          next.transfers.map(({ amountMicro }) => amountMicro),
          [8n]
        )
      })
    )
  })
)

/** Whether anything still answers there. */
const answers = (rpcUrl: string) =>
  Effect.promise(() =>
    fetch(rpcUrl).then(
      () => true,
      () => false
    )
  )

it.live("a holder that is killed leaves no chain running, and none of its payments is lost", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const program = fileURLToPath(new URL("chain-holder.ts", import.meta.url))
    const holder = spawn(process.execPath, [program, path, ada], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [line] = yield* Effect.promise(() => once(holder.stdout, "data"))
    const rpcUrl = String(line).trim()
    assert.isTrue(yield* answers(rpcUrl))
    // The block with the payment is saved right after it is mined.
    const saved = () => readFileSync(join(path, "local-chain.json"), "utf8").length
    const first = saved()
    yield* Effect.sync(saved).pipe(
      Effect.repeat({ until: (length) => length !== first, schedule: Schedule.spaced("20 millis") })
    )
    const gone = once(holder, "exit")
    holder.kill("SIGKILL")
    yield* Effect.promise(() => gone)
    yield* answers(rpcUrl).pipe(
      Effect.repeat({ while: (isThere) => isThere, schedule: Schedule.spaced("20 millis") })
    )
    yield* running({ directory: path, blockMs: null }, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* holdings(ada), 49_000_000n)
      })
    )
  })
)

it.live("blocks come by themselves and quickly while something happens", () =>
  Effect.gen(function* () {
    yield* running({ directory: yield* directory, blockMs: 20 }, ({ payer, rpcUrl, usdc }) =>
      Effect.gen(function* () {
        const { privateKey } = payer
        yield* Effect.promise(() =>
          sendUsdc({ rpcUrl, privateKey, token: usdc, to: ada, amountMicro: 5n })
        )
        const paid = yield* tip
        const later = yield* Effect.repeat(tip, {
          until: (block: Block) => block.number >= paid.number + 3,
          schedule: Schedule.spaced("10 millis")
        })
        assert.isAtLeast(later.number, paid.number + 3)
        assert.strictEqual(yield* holdings(ada), 5n)
      })
    )
  })
)

it.live("a port somebody listens at is refused by name", () =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* running({ directory: path, blockMs: null }, ({ rpcUrl }) =>
      Effect.gen(function* () {
        const port = Number(new URL(rpcUrl).port)
        const other = yield* directory
        const refused = yield* Effect.flip(
          running({ directory: other, port, blockMs: null }, () => Effect.void)
        )
        assert.propertyVal(refused, "_tag", "ChainNotStarted")
        assert.propertyVal(refused, "reason", "port_taken")
        assert.include(String(refused), String(port))
      }).pipe(Effect.scoped)
    )
  })
)

it.live.each(["", "{}", '{"usdc":"0x","payerPrivateKey":"0x","state":"0x1f8b"}'])(
  "a state that cannot be read is refused, not overwritten: %s",
  (text) =>
    Effect.gen(function* () {
      const path = yield* directory
      const file = join(path, "local-chain.json")
      writeFileSync(file, text)
      const refused = yield* Effect.flip(
        running({ directory: path, blockMs: null }, () => Effect.void)
      )
      assert.propertyVal(refused, "reason", "state_unreadable")
      assert.strictEqual(readFileSync(file, "utf8"), text)
    })
)
