/**
 * Where bridges to Solana and back are killed: an EVM chain with Circle's USDC, a Solana and their attesters, whose blocks and slots
 * pass while somebody lives to see them, a PostgreSQL database, and processes of the service on them.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as Links from "../../apps/sandbox/bridges/links.ts"
import { LocalSolana, layer as localSolana } from "../../apps/sandbox/solana/local-solana.ts"
import * as Child from "../kill/child.ts"
import * as PostgresServer from "../support/postgres-server.ts"
import { unitsOf } from "../support/solana-swaps.ts"
import { open } from "../support/two-anvils.ts"
import type { Beginning, Question, Settings } from "./bridge-solana-settings.ts"

export interface Replica {
  readonly child: Child.Child<object>
  readonly ask: (question: Question) => Promise<unknown>
}

const blockMs = 20
const slotMs = 4

const openChains = async () => {
  const scope = Scope.makeUnsafe()
  const built = await Effect.runPromise(
    Effect.gen(function* () {
      const context = yield* Layer.build(localSolana({ directory: null, slotMs: null }))
      const solana = Context.get(context, LocalSolana)
      const evm = yield* open("local")
      const links = yield* Links.open([evm], solana)
      return { context, solana, evm, links }
    }).pipe(Scope.provide(scope))
  )
  const { context, evm, links, solana } = built
  let isOn = false
  let timer: NodeJS.Timeout | undefined
  /** One block after the other: a machine that is busy makes fewer. */
  const mining = async () => {
    while (isOn) {
      await Effect.runPromise(Effect.ignore(evm.mine(1)))
      await setTimeout(blockMs)
    }
  }
  return {
    evm,
    solana,
    links,
    /** Whether blocks and slots pass. */
    runs: (isRunning: boolean) => {
      clearInterval(timer)
      isOn = isRunning
      if (!isRunning) return
      void mining()
      timer = setInterval(() => Effect.runSync(solana.advance(1)), slotMs)
    },
    /** What an address holds on Solana. */
    held: (owner: string) =>
      Effect.runPromise(Effect.provideContext(unitsOf(owner, solana.usdc), context)),
    /** What was burnt on the one and given out on the other, against what there was at first. */
    sums: () => Effect.runPromise(Effect.all({ supply: evm.supply, custody: solana.cctp.custody })),
    close: () => {
      clearInterval(timer)
      isOn = false
      return Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

export const openScene = async (bundle: Child.Bundle) => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-bridge-scene-"))
  const [chains, server] = await Promise.all([openChains(), PostgresServer.start()])
  const { evm, links, solana } = chains
  const launch = async (agentKey: string | null, aheadMs: number): Promise<Replica> => {
    const settings: Settings = {
      directory,
      databaseUrl: server.url("postgres"),
      evm: { rpcUrl: evm.anvil.rpcUrl, usdc: evm.usdc },
      solana: { rpcUrl: solana.rpcUrl, usdc: solana.usdc, table: links.table ?? "" },
      attestationUrl: links.bridging.attestations.local,
      agentKey,
      payer: evm.stranger,
      aheadMs
    }
    const child = await Child.start<object>(bundle, settings)
    return { child, ask: child.ask }
  }
  const first = await launch(null, 0)
  const { agentKey, relayers } = (await first.ask({ ask: "begin" })) as Beginning
  await first.child.stop()
  await Effect.runPromise(evm.anvil.call("anvil_setBalance", relayers.evm, "0x3635c9adc5dea00000"))
  await Effect.runPromise(solana.giveGas(relayers.solana))
  return {
    chains,
    start: (aheadMs = 0) => launch(agentKey, aheadMs),
    close: async () => {
      await chains.close()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

export type Scene = Awaited<ReturnType<typeof openScene>>
