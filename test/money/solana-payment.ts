/**
 * A payer's own transaction on Solana (x402), whose settlement dies with SIGKILL at each of its steps on PostgreSQL. The
 * payer hands the same transaction in again, and the request is paid once.
 */
import { labelOf, type Point } from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import { type Figure, type Part, type Run, someOf } from "./part.ts"
import { withBundle } from "./solana.ts"
import { openScene, type Replica, type Scene } from "./solana-scene.ts"
import type { Requested, SettledState } from "./solana-settings.ts"

/** A little longer than a process may hold a settlement. */
const leaseMs = 61_000
/** A payer's block is good for 150 slots, which must be enough for a process that starts on a busy machine. */
const slotMs = 100

const signed = ["SolanaRelay.countersign", "SubmissionStore.save"]

const points: ReadonlyArray<Point> = [
  { call: "SubmissionStore.open", edge: "before" },
  { call: "SubmissionStore.open", edge: "after" },
  { call: "Atomically.run", edge: "inside", within: "SubmissionStore.open" },
  { call: "Atomically.run", edge: "after", within: "SubmissionStore.open" },
  { call: "SubmissionStore.claim", edge: "after" },
  { call: "SolanaRelay.trySigned", edge: "after", since: "SubmissionStore.claim" },
  { call: "SolanaRelay.countersign", edge: "before" },
  { call: "SolanaRelay.countersign", edge: "after" },
  { call: "Outlay.charge", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.countersign" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.countersign" },
  { call: "SolanaRelay.broadcast", edge: "before", since: signed },
  { call: "SolanaRelay.broadcast", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.broadcast" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.broadcast" },
  { call: "SolanaRelay.traceSigned", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.traceSigned" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.traceSigned" }
]

interface Lane {
  readonly scene: Scene
  replica: Replica
  aheadMs: number
}

let nextMicro = 2_000_000n

const dieAt = async (lane: Lane, point: Point) => {
  const { chain } = lane.scene
  const amountMicro = nextMicro++
  const asked = { ask: "request", amountMicro: `${amountMicro}` } as const
  const requested = (await lane.replica.ask(asked)) as Requested
  // Its token account is open.
  await chain.mint(requested.payTo, 1n)
  const feePayer = String(await lane.replica.ask({ ask: "relayer" }))
  const { payTo, pid: memo } = requested
  const wire = await chain.signedPayment({ payTo, amountMicro, feePayer, memo })
  await lane.replica.ask({ ask: "arm", point })
  chain.runs(true, slotMs)
  void lane.replica.ask({ ask: "pay", requested, wire }).catch(() => undefined)
  const { signal } = await within(`it dies ${labelOf(point)}`, lane.replica.child.died)
  chain.runs(false)
  if (signal !== "SIGKILL") throw new Error(`It did not die ${labelOf(point)}: ${signal}`)
  lane.aheadMs += leaseMs
  lane.replica = await lane.scene.start({ aheadMs: lane.aheadMs })
  chain.runs(true, slotMs)
  try {
    // As a client of x402 does, until it has an end.
    await until("the payment has an end", async () => {
      const answer = (await lane.replica.ask({ ask: "pay", requested, wire })) as {
        readonly outcome: string | null
        readonly reason: string | null
      }
      if (answer.outcome === "failed") throw new Error(`It failed: ${answer.reason}`)
      return answer.outcome === "paid" ? true : undefined
    })
    const state = await until("the request is paid", async () => {
      const now = (await lane.replica.ask({ ask: "settled", requested })) as SettledState
      return now.status === "paid" && now.open === 0 ? now : undefined
    })
    const held = await chain.held(payTo)
    const isOnce =
      held === amountMicro + 1n && state.receivedMicro === `${amountMicro}` && state.transfers === 1
    if (!isOnce) throw new Error(`The vault holds ${held}: ${JSON.stringify(state)}`)
  } finally {
    chain.runs(false)
  }
}

const sweep = async ({ bundle, quick, say, times }: Run): Promise<Figure> => {
  const scene = await openScene(bundle)
  try {
    const lane: Lane = { scene, replica: await scene.start(), aheadMs: 0 }
    const all = Array.from({ length: times(20, 1) }, () => someOf(points, quick)).flat()
    let held = 0
    for (const [at, point] of all.entries()) {
      try {
        await dieAt(lane, point)
        held++
      } catch (error) {
        say(`  ${labelOf(point)} since ${[point.since].flat().at(-1)}: ${error}`)
        await lane.replica.child.stop()
        lane.aheadMs += leaseMs
        lane.replica = await scene.start({ aheadMs: lane.aheadMs })
      }
      if ((at + 1) % 20 === 0) say(`  ${at + 1} of ${all.length}`)
    }
    await lane.replica.child.stop()
    return {
      invariant: "I2, I3",
      what: "Solana: a settlement by x402 killed with SIGKILL, and handed in again",
      seen: `${new Set(all).size} points, ${all.length} runs, ${held} paid once`,
      holds: held === all.length
    }
  } finally {
    await scene.close()
  }
}

export const part: Part = {
  name: "solana-payment",
  promise: "what a payer signed on Solana is settled once, wherever its process dies",
  run: (run) => withBundle(run, async (own) => [await sweep(own)])
}
