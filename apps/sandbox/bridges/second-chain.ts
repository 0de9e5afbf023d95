/**
 * A second EVM chain beside the sandbox's own. Until it starts only its port is held; once it has started it keeps its
 * state in the data directory, like the first.
 */
import { existsSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { Effect } from "effect"
import * as Chain from "../../../core/chains/chain.ts"
import { finality } from "../../../core/chains/usdc.ts"
import * as Anvil from "../anvil.ts"
import * as ChainState from "../chain-state.ts"
import * as CircleUsdc from "../circle-usdc.ts"
import * as Pace from "../pace.ts"

const chainId = "local-2"
const blockMs = 1_000
/** Whoever asks it in its first moments waits for it. */
const timeoutMs = 20_000
const plentyWei = "0x3635c9adc5dea00000"
const payerMicro = 1_000_000_000_000n

/** Keeps others from a port of this machine until it is let go, so that it can be told before anybody listens. */
const heldPort = Effect.gen(function* () {
  const server = createServer((socket) => socket.destroy())
  const letGo = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => letGo
  )
  const { port } = server.address() as AddressInfo
  return { port, letGo }
})

/** Deploys what every start needs; a chain that was kept has it already. */
const newChain = Effect.fnUntraced(function* (anvil: Anvil.Anvil, payer: string) {
  const usdc = yield* CircleUsdc.deploy(anvil)
  yield* anvil.call("anvil_setBalance", payer, plentyWei)
  yield* CircleUsdc.mint(anvil, usdc, payer, payerMicro)
})

/** Holds its place for as long as the scope lives. */
export const hold = Effect.fnUntraced(function* (directory: string) {
  const chain = Chain.find(chainId) as Chain.Chain
  const file = ChainState.fileIn(directory, "second-chain")
  const { letGo, port } = yield* heldPort
  const anvil = Anvil.at(`http://127.0.0.1:${port}`)
  const usdc = CircleUsdc.onNewChain

  /** Starts it until the scope ends, without blocks of its own; who pays on the first chain has money here too. */
  const start = Effect.fnUntraced(function* (payer: string) {
    yield* letGo
    yield* Anvil.start({ port, chainId: Chain.eip155(chain) })
    const restored = yield* ChainState.restore(anvil, file, ["usdc"])
    if (restored === undefined) yield* newChain(anvil, payer)
  })

  /** Saves it from now on, and makes its blocks, until the scope ends. Before that nothing of it outlives a start that fails. */
  const keep = Effect.gen(function* () {
    const save = ChainState.save(anvil, file, { usdc })
    yield* save
    // A chain that has died cannot be saved any more; what was saved before stands.
    yield* Effect.addFinalizer(() => Effect.ignoreCause(save))
    yield* Effect.forkScoped(Pace.keep(anvil, blockMs, save))
  })

  return {
    linked: { chainId, anvil, usdc },
    connection: {
      chain,
      usdc,
      rpcUrl: anvil.rpcUrl,
      confirmations: finality[chainId]?.confirmations ?? 3,
      pollMs: finality[chainId]?.pollMs ?? 250,
      mayRestart: true,
      timeoutMs
    },
    /** Whether an earlier run has left its state. */
    wasStarted: existsSync(file),
    start,
    keep,
    giveGas: (to: string) => Effect.asVoid(anvil.call("anvil_setBalance", to, plentyWei))
  }
})

export type SecondChain = Effect.Success<ReturnType<typeof hold>>
