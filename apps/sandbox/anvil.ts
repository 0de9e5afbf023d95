/**
 * An EVM node on this machine: anvil's own binary from npm, heard on loopback only and bound to this
 * process. It ends with the scope, and with this process however that ends.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import * as Rpc from "../../adapters/evm/rpc.ts"
import { ChainNotStarted } from "./chain-not-started.ts"
import * as LeftWaiting from "./left-waiting.ts"

export interface Options {
  /** A free one, unless one is given. */
  readonly port?: number
  /** By its EIP-155 number; the sandbox's first chain when left out. */
  readonly chainId?: number
}

export interface Anvil {
  readonly rpcUrl: string
  readonly rpc: Rpc.Rpc
  /** One call that must succeed; the node is ours, so a failure is a defect. */
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<unknown>
}

export const chainId = 31337

const startWithinMs = 15_000
const callTimeoutMs = 60_000

/** Blocks are mined on demand and in the order of arrival; accounts 0 and 1 are unlocked. */
const flags = (port: number, number: number, scratch: string): ReadonlyArray<string> => [
  ...["--host", "127.0.0.1", "--port", String(port), "--chain-id", String(number)],
  ...["--no-mining", "--order", "fifo", "--accounts", "2", "--no-request-size-limit"],
  // Two blocks later a block is finalized, and not 64.
  ...["--slots-in-an-epoch", "1"],
  // Left alone, anvil writes the state at every block to the home directory, gigabytes a day.
  ...["--prune-history", "128", "--cache-path", scratch]
]

/**
 * Becomes the command, and leaves behind a reader of the pipe from this process. The pipe ends when
 * this process does, whatever ends it, and the reader then kills the command and clears up after it.
 */
const bound =
  'exec 3<&0; (cat <&3; kill -9 $$; rmdir "$0") >/dev/null 2>&1 & exec "$@" </dev/null 3<&-'

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }

const binary = Effect.try({
  try: () => {
    const { platform, arch } = process
    const [name, file] = platform === "win32" ? ["win32", "anvil.exe"] : [platform, "anvil"]
    const nearHere = createRequire(import.meta.url)
    const nearAnvil = createRequire(nearHere.resolve("@foundry-rs/anvil/package.json"))
    return nearAnvil.resolve(`@foundry-rs/anvil-${name}-${architectures[arch]}/bin/${file}`)
  },
  catch: () =>
    new ChainNotStarted({
      reason: "not_installed",
      detail: `@foundry-rs/anvil has no binary here for ${process.platform} ${process.arch}`
    })
})

const scratchDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-anvil-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const launch = (path: string, given: ReadonlyArray<string>, scratch: string): ChildProcess =>
  process.platform === "win32"
    ? spawn(path, given, { stdio: ["ignore", "pipe", "pipe"], env: {} })
    : spawn("/bin/sh", ["-c", bound, scratch, path, ...given], {
        stdio: ["pipe", "pipe", "pipe"],
        env: { PATH: process.env.PATH },
        // A group of its own, so that Ctrl-C reaches this process alone and the state is saved first.
        detached: true
      })

const kill = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      resume(Effect.void)
      return
    }
    child.once("exit", () => resume(Effect.void))
    if (process.platform === "win32") child.kill("SIGKILL")
    else process.kill(-child.pid, "SIGKILL")
  })

/** Waits until the node says where it listens. */
const listening = (child: ChildProcess, port: number) =>
  Effect.callback<string, ChainNotStarted>((resume) => {
    let said = ""
    const settle = (outcome: Effect.Effect<string, ChainNotStarted>) => {
      clearTimeout(timer)
      resume(outcome)
    }
    const fail = (reason: ChainNotStarted["reason"], detail: string) =>
      settle(Effect.fail(new ChainNotStarted({ reason, detail })))
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-4096)
      const at = /Listening on (\S+)/u.exec(said)?.[1]
      if (at !== undefined) settle(Effect.succeed(`http://${at}`))
    }
    const timer = setTimeout(() => fail("failed", "anvil did not listen in time"), startWithinMs)
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    child.once("error", (error) => fail("failed", error.message))
    child.once("close", () =>
      /address already in use/iu.test(said)
        ? fail("port_taken", `port ${port} is taken`)
        : fail("failed", said.trim().slice(-500))
    )
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * Where a chain keeps the hashes of its last 8,191 blocks (EIP-2935), which nothing here asks for. Anvil hashes the whole of
 * it again at each block, ten milliseconds once it is full, and writes it out with each state.
 */
const hashesOfBlocks = "0x0000F90827F1C53a10cb7A02335B175320002935"

/** The node that listens at an address, or will. */
export const at = (rpcUrl: string): Anvil => {
  const rpc = Rpc.make(rpcUrl, { timeoutMs: callTimeoutMs })
  return {
    rpcUrl,
    rpc,
    call: (method, ...params) =>
      rpc([{ method, params }]).pipe(
        Effect.map(([result]) => result),
        Effect.orDie
      )
  }
}

export const start = Effect.fnUntraced(function* ({
  port = 0,
  chainId: number = chainId
}: Options = {}): Effect.fn.Return<Anvil, ChainNotStarted, Scope.Scope> {
  const path = yield* binary
  const scratch = yield* scratchDirectory
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => launch(path, flags(port, number, scratch), scratch)),
    kill
  )
  const anvil = at(yield* listening(child, port))
  yield* anvil.call("anvil_setLoggingEnabled", false)
  yield* anvil.call("anvil_setCode", hashesOfBlocks, "0x")
  yield* Effect.forkScoped(LeftWaiting.keep(anvil.call))
  return anvil
})
