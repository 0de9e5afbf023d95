/**
 * I2 and I3 for bridges between an EVM chain and Solana: a process is killed with SIGKILL at each step of one direction.
 * Each bridge leaves once and arrives once, and the sums on both chains say so.
 */
import { Effect } from "effect"
import * as Child from "../kill/child.ts"
import { labelOf, type Point } from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import { openScene, type Replica, type Scene } from "./bridge-solana-scene.ts"
import type { Direction, State, Wallets } from "./bridge-solana-settings.ts"
import type { Figure, Run } from "./part.ts"

/** A little longer than a process may hold a step. */
const leaseMs = 61_000
const amountUsd = "10.00"
const units = 10_000_000n

interface Lane {
  readonly scene: Scene
  readonly direction: Direction
  /** Who sent so far. */
  readonly senders: Set<string>
  replica: Replica
  aheadMs: number
}

const afresh = async (lane: Lane) => {
  lane.aheadMs += leaseMs
  lane.replica = await lane.scene.start(lane.aheadMs)
}

/** Waits for its end; what arrived, as the proposal says. */
const ended = (replica: Replica, proposalId: string) =>
  until(`${proposalId} ends`, async () => {
    const state = (await replica.ask({ ask: "state", proposalId })) as State
    if (state.status === "executing") return undefined
    if (state.outcome === "executed") return BigInt(state.bought ?? "0")
    throw new Error(`It ended as ${state.outcome}: ${state.reason}`)
  })

/** Whoever sends holds twice as much as leaves, so that leaving twice would be seen. */
const fund = async (lane: Lane, { from, to }: Wallets) => {
  const { direction, scene } = lane
  const { evm, solana } = scene.chains
  const money = direction === "to Solana" ? evm : solana
  await Effect.runPromise(money.mint(from.address, 2n * units))
  lane.senders.add(from.address)
  const onEvm = direction === "to Solana" ? from : to
  // What is left of an earlier loan would make the next one unnecessary.
  await Effect.runPromise(evm.anvil.call("anvil_setBalance", onEvm.address, "0x0"))
}

const holdings = async ({ direction, scene: { chains } }: Lane, { from, to }: Wallets) => {
  const [onEvm, onSolana] = direction === "to Solana" ? [from, to] : [to, from]
  const evm = await Effect.runPromise(chains.evm.balance(onEvm.address))
  const solana = await chains.held(onSolana.address)
  return direction === "to Solana" ? { sent: evm, got: solana } : { sent: solana, got: evm }
}

const proposed = (lane: Lane, wallets: Wallets) =>
  until("the wallet's money is seen", async () => {
    const { direction, replica } = lane
    const asked = { ask: "propose", wallets, amountUsd, direction } as const
    return replica.ask(asked).then(String, (error: Error) => {
      if (error.message.includes("INSUFFICIENT_BALANCE") || /holds less/u.test(error.message)) {
        return undefined
      }
      throw error
    })
  })

/** One death, and another process that goes on. */
const dieAt = async (lane: Lane, point: Point, name: string) => {
  const { direction } = lane
  const wallets = (await lane.replica.ask({ ask: "wallets", name, direction })) as Wallets
  await fund(lane, wallets)
  const proposalId = await proposed(lane, wallets)
  const before = await holdings(lane, wallets)
  await lane.replica.ask({ ask: "arm", point })
  // Its answer may die with the process.
  lane.replica.ask({ ask: "confirm", proposalId }).catch(() => undefined)
  const place = labelOf(point)
  const { lastWords, signal } = await within(`it dies ${place}`, lane.replica.child.died)
  if (signal !== "SIGKILL" || lastWords !== `died ${place}`) {
    throw new Error(`It did not die ${place}: ${signal}, ${lastWords}`)
  }
  await afresh(lane)
  await lane.replica.ask({ ask: "confirm", proposalId })
  const bought = await ended(lane.replica, proposalId)
  const after = await holdings(lane, wallets)
  const [left, came] = [before.sent - after.sent, after.got - before.got]
  if (left !== units) throw new Error(`${left} left, and ${units} were meant`)
  if (came !== bought) throw new Error(`${came} arrived, and ${bought} were told`)
}

type Sums = Awaited<ReturnType<Scene["chains"]["sums"]>>

/** What all bridges took away on the one chain and gave out on the other. */
const moved = async (
  { direction, scene: { chains }, senders }: Lane,
  before: Sums,
  minted: bigint
) => {
  const { custody, supply } = await chains.sums()
  if (direction === "to Solana") {
    return { burnt: before.supply + minted - supply, given: before.custody - custody }
  }
  const left = await Promise.all([...senders].map(chains.held))
  return { burnt: left.reduce((rest, each) => rest - each, minted), given: supply - before.supply }
}

const sweep = async (
  { bundle, say }: Run,
  direction: Direction,
  all: ReadonlyArray<Point>
): Promise<Figure> => {
  const scene = await openScene(bundle)
  try {
    const lane: Lane = {
      scene,
      direction,
      replica: await scene.start(),
      aheadMs: 0,
      senders: new Set()
    }
    const { chains } = scene
    chains.runs(true)
    let held = 0
    const before = await chains.sums()
    for (const [at, point] of all.entries()) {
      try {
        await dieAt(lane, point, `Run ${at}`)
        held++
      } catch (error) {
        say(`  ${labelOf(point)}: ${error}`)
        await lane.replica.child.stop()
        await afresh(lane)
      }
      if ((at + 1) % 20 === 0) say(`  ${at + 1} of ${all.length}`)
    }
    await lane.replica.child.stop()
    chains.runs(false)
    const meant = BigInt(all.length) * units
    const { burnt, given } = await moved(lane, before, 2n * meant)
    return {
      invariant: "I2, I3",
      what: `Bridges ${direction}: killed with SIGKILL`,
      seen: `${new Set(all).size} points, ${all.length} runs, ${all.length - held} stuck; ${burnt} burnt and ${given} given out for ${meant} meant`,
      holds: held === all.length && burnt === meant && given === meant
    }
  } finally {
    await scene.close()
  }
}

/** Deaths at all points of a direction. */
export const deaths = async (run: Run, direction: Direction, points: ReadonlyArray<Point>) => {
  const bundle = await Child.bundle("test/money/bridge-solana-service.ts")
  try {
    // As a test, one point of each kind; each of them is seconds.
    const few = points.filter((_, at) => at % 5 === 1)
    const times = run.times(20, 1)
    const all = run.quick ? few : Array.from({ length: times }, () => points).flat()
    return [await sweep({ ...run, bundle }, direction, all)]
  } finally {
    bundle.remove()
  }
}
