/**
 * I2 and I3 for bridges to Solana: a process is killed with SIGKILL at each step from the account that receives to the
 * end. Each is burnt once and given out once, and the sums on both chains say so.
 */
import * as Child from "../kill/child.ts"
import { labelOf, type Point } from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import { openScene, type Replica, type Scene } from "./bridge-to-solana-scene.ts"
import type { State, Wallets } from "./bridge-to-solana-settings.ts"
import type { Figure, Part, Run } from "./part.ts"

/** A little longer than a process may hold a step. */
const leaseMs = 61_000
const amountUsd = "10.00"
const units = 10_000_000n

const burning = ["EvmRelay.signCall", "SubmissionStore.save"]
const bringing = ["SolanaRelay.signDelivery", "SubmissionStore.save"]

/** Before and after each signature, each hand-over, each write of the journal, each end. */
const points: ReadonlyArray<Point> = [
  { call: "TokenAccounts.open", edge: "before" },
  { call: "TokenAccounts.open", edge: "after" },
  { call: "WaitStore.save", edge: "after", since: "TokenAccounts.open" },
  { call: "EvmRelay.signCall", edge: "before" },
  { call: "EvmRelay.signCall", edge: "after" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.signCall" },
  { call: "EvmRelay.broadcast", edge: "after", since: burning },
  { call: "SolanaRelay.tryDelivery", edge: "before" },
  { call: "SolanaRelay.tryDelivery", edge: "after" },
  { call: "Outlay.charge", edge: "after", since: "SolanaRelay.tryDelivery" },
  { call: "SolanaRelay.signDelivery", edge: "before" },
  { call: "SolanaRelay.signDelivery", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.signDelivery" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.signDelivery" },
  { call: "SolanaRelay.broadcast", edge: "before", since: bringing },
  { call: "SolanaRelay.broadcast", edge: "after", since: bringing },
  { call: "SubmissionStore.save", edge: "after", since: [...bringing, "SolanaRelay.broadcast"] },
  { call: "SolanaRelay.traceDelivery", edge: "after" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.traceDelivery" },
  { call: "Spending.consume", edge: "before", since: "SolanaRelay.traceDelivery" },
  { call: "Spending.consume", edge: "after", since: "SolanaRelay.traceDelivery" },
  { call: "Atomically.run", edge: "inside", within: "Spending.consume" },
  { call: "Atomically.run", edge: "after", within: "Spending.consume" }
]

interface Lane {
  readonly scene: Scene
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

/** One death, and another process that goes on. */
const dieAt = async (lane: Lane, point: Point, name: string) => {
  const { chains, fund } = lane.scene
  const wallets = (await lane.replica.ask({ ask: "wallets", name })) as Wallets
  await fund(wallets.from.address, units)
  const asked = { ask: "propose", wallets, amountUsd } as const
  const proposalId = String(await lane.replica.ask(asked))
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
  const arrived = await chains.arrived(wallets.to.address)
  if (arrived !== bought) throw new Error(`${arrived} arrived, and ${bought} were told`)
}

const sweep = async ({ bundle, say }: Run, all: ReadonlyArray<Point>): Promise<Figure> => {
  const scene = await openScene(bundle)
  try {
    const lane: Lane = { scene, replica: await scene.start(), aheadMs: 0 }
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
    const after = await chains.sums()
    const burnt = before.supply + scene.minted() - after.supply
    const given = before.custody - after.custody
    const meant = BigInt(all.length) * units
    return {
      invariant: "I2, I3",
      what: "Bridges to Solana: killed with SIGKILL",
      seen: `${points.length} points, ${all.length} runs, ${all.length - held} stuck; ${burnt} burnt and ${given} given out for ${meant} meant`,
      holds: held === all.length && burnt === meant && given === meant
    }
  } finally {
    await scene.close()
  }
}

export const part: Part = {
  name: "bridge-to-solana",
  promise: "a bridge to Solana burns once and arrives once, wherever its process dies",
  run: async (run) => {
    const bundle = await Child.bundle("test/money/bridge-to-solana-service.ts")
    try {
      // As a test, one point of each kind; each of them is seconds.
      const few = points.filter((_, at) => at % 5 === 1)
      const times = run.times(20, 1)
      const all = run.quick ? few : Array.from({ length: times }, () => points).flat()
      return [await sweep({ ...run, bundle }, all)]
    } finally {
      bundle.remove()
    }
  }
}
