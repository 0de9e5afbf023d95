/**
 * I2 and I3 of swaps: a process is killed with SIGKILL at each step of a swap by orders and started again. One sale is
 * made for each proposal, never below its floor, and what it reserved is given back or spent.
 */
import * as Child from "../kill/child.ts"
import { labelOf, type Point } from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import { dealt, type Figure, type Part, type Run } from "./part.ts"
import { called, openScene, type Replica, type Scene } from "./swap-scene.ts"

/** A little longer than a process may hold a wait. */
const leaseMs = 61_000
/** A look that was put off comes sooner for us. */
const hurryMs = 16_000

/** Armed before the confirmation, which may die with the process and is repeated. */
const points: ReadonlyArray<Point> = [
  { call: "Spending.reserve", edge: "after" },
  { call: "Sales.open", edge: "after" },
  { call: "WaitStore.open", edge: "after" },
  { call: "Atomically.run", edge: "inside", within: "WaitStore.open" },
  { call: "Atomically.run", edge: "after", within: "WaitStore.open" },
  { call: "WaitStore.claim", edge: "after" },
  { call: "SwapVenue.find", edge: "before" },
  { call: "SwapVenue.find", edge: "after" },
  { call: "SwapVenue.quote", edge: "after", since: "WaitStore.claim" },
  { call: "WaitStore.save", edge: "before", since: ["WaitStore.claim", "SwapVenue.quote"] },
  { call: "WaitStore.save", edge: "after", since: ["WaitStore.claim", "SwapVenue.quote"] },
  { call: "Atomically.run", edge: "after", since: "SwapVenue.quote", within: "WaitStore.save" },
  { call: "WalletKeys.sign", edge: "before" },
  { call: "WalletKeys.sign", edge: "after" },
  { call: "WaitStore.save", edge: "before", since: "WalletKeys.sign" },
  { call: "WaitStore.save", edge: "after", since: "WalletKeys.sign" },
  { call: "SwapVenue.status", edge: "after", since: "WalletKeys.sign" },
  { call: "SwapVenue.place", edge: "before" },
  { call: "SwapVenue.place", edge: "after" },
  { call: "WaitStore.save", edge: "before", since: "SwapVenue.place" },
  { call: "WaitStore.save", edge: "after", since: "SwapVenue.place" },
  { call: "SwapVenue.status", edge: "after", since: "SwapVenue.place" },
  { call: "Spending.consume", edge: "before" },
  { call: "Spending.consume", edge: "after" },
  { call: "Sales.settle", edge: "after" },
  { call: "Proposals.move", edge: "after", since: "Spending.consume" },
  { call: "Atomically.run", edge: "inside", within: "Spending.consume" },
  { call: "Atomically.run", edge: "after", within: "Spending.consume" }
]

interface Lane {
  readonly scene: Scene
  service: Replica
  offsetMs: number
  nextCents: number
}

/** Time goes on for everybody; the chain notices with its next block. */
const passes = async (lane: Lane, laterMs: number) => {
  lane.offsetMs += laterMs
  await lane.scene.chain.call("evm_increaseTime", laterMs / 1000)
  await lane.scene.chain.call("anvil_mine", 3)
}

export const inputOf = ({ account, chain }: Pick<Scene, "account" | "chain">, cents: number) => ({
  fromWalletId: account.walletId,
  ...{ sellSymbol: "USDC", sellTokenAddress: chain.usdc },
  ...{ buySymbol: "WETH", buyTokenAddress: chain.weth },
  amountUsd: (cents / 100).toFixed(2)
})

const propose = async ({ scene, service }: Lane, cents: number): Promise<string> => {
  const { proposalId } = await called(scene, service, "propose_swap", inputOf(scene, cents))
  return proposalId
}

/** Waits for the end, while time is made to pass for looks that were put off. */
const completes = async (lane: Lane, proposalId: string) => {
  let asked = 0
  await until(`${proposalId} is completed`, async () => {
    const { status, statusReason } = await called(lane.scene, lane.service, "get_proposal", {
      proposalId
    })
    if (status === "completed") return true
    if (status !== "executing") throw new Error(`It is ${status}: ${statusReason}`)
    asked += 1
    await lane.scene.chain.call("anvil_mine", 3)
    if (asked % 20 === 0) {
      await passes(lane, hurryMs)
      await lane.service.ask({ ask: "clock", offsetMs: lane.offsetMs })
    }
    return undefined
  })
}

const floorOf = async ({ database }: Scene, proposalId: string) => {
  const [row] = await database.rows<{ floor: string; sold: string }>(
    `select terms->>'minBuyAmount' as floor, terms->>'sellAmount' as sold from proposal where id = '${proposalId}'`
  )
  return { floor: BigInt(row?.floor ?? "-1"), sold: BigInt(row?.sold ?? "-1") }
}

/** The one sale that the contract made of this amount, which no other proposal sells. */
const soldOnce = async (scene: Scene, proposalId: string) => {
  const { floor, sold } = await floorOf(scene, proposalId)
  const trades = (await scene.chain.tradesOf(scene.account.address)).filter(
    (trade) => trade.sold === sold
  )
  const [only, ...others] = trades
  if (only === undefined || others.length > 0)
    throw new Error(`It was sold ${trades.length} times.`)
  if (only.bought < floor) throw new Error(`It gave ${only.bought}, and its floor is ${floor}.`)
}

/** A process that has only just started may not know prices yet, and says that the call may be repeated. */
const confirmedAgain = ({ scene, service }: Lane, proposalId: string) =>
  until("it is confirmed", () =>
    called(scene, service, "confirm_proposal", { proposalId }).catch((error: Error) => {
      if (!error.message.startsWith("PRICE_")) throw error
      return undefined
    })
  )

/** One death; what went wrong is thrown. */
const dieAt = async (lane: Lane, point: Point) => {
  const { scene, service } = lane
  const proposalId = await propose(lane, lane.nextCents++)
  await service.ask({ ask: "arm", point })
  const confirmed = called(scene, service, "confirm_proposal", { proposalId }).catch(
    () => undefined
  )
  const place = labelOf(point)
  // What is filled becomes final only as blocks go on.
  const mining = setInterval(() => void scene.chain.call("anvil_mine", 1), 200)
  const { lastWords, signal } = await within(
    `the process dies ${place}`,
    service.child.died
  ).finally(() => clearInterval(mining))
  if (signal !== "SIGKILL" || lastWords !== `died ${place}`) {
    throw new Error(`It did not die ${place}: ${signal}, ${lastWords}`)
  }
  await confirmed
  await passes(lane, leaseMs)
  lane.service = await scene.start({ offsetMs: lane.offsetMs })
  await confirmedAgain(lane, proposalId)
  await completes(lane, proposalId)
  await soldOnce(scene, proposalId)
}

/** Reservations and sales that stand otherwise than their proposal does. */
const drift = ({ database }: Scene) =>
  database.rows<{ id: string }>(
    `select p.id from proposal p left join spend_reservation r on r.proposal_id = p.id
      where p.kind = 'swap' and (p.status <> 'completed' or r.state is distinct from 'consumed')
      union all select proposal_id from sale where state = 'open'`
  )

const labelWith = (point: Point): string => {
  const last = [point.since ?? []].flat().at(-1)
  return `${labelOf(point)}${point.within === undefined ? "" : ` of ${point.within}`}${last === undefined ? "" : `, after ${last}`}`
}

const sweep = async ({ bundle, say }: Run, work: ReadonlyArray<Point>) => {
  let held = 0
  const drifted = await Promise.all(
    dealt(work).map(async (mine) => {
      const scene = await openScene(bundle)
      try {
        const lane: Lane = { scene, service: await scene.start(), offsetMs: 0, nextCents: 10_001 }
        for (const point of mine) {
          try {
            await dieAt(lane, point)
            held += 1
          } catch (error) {
            say(`  ${labelWith(point)}: ${error}`)
            await lane.service.child.stop()
            await passes(lane, leaseMs)
            lane.service = await scene.start({ offsetMs: lane.offsetMs })
          }
        }
        return (await drift(scene)).length
      } finally {
        await scene.close()
      }
    })
  )
  return { held, drifted: drifted.reduce((sum, each) => sum + each, 0) }
}

export const part: Part = {
  name: "swaps",
  promise: "a process killed anywhere in a swap leaves one sale, at its floor or better",
  run: async (run) => {
    const bundle = await Child.bundle("test/money/swap-service.ts")
    try {
      // A quick run takes every fifth place, beginning with the commit that starts a swap.
      const some = run.quick ? points.filter((_, at) => at % 5 === 4) : points
      const work = Array.from({ length: run.times(20, 1) }, () => some).flat()
      const { drifted, held } = await sweep({ ...run, bundle }, work)
      const figure: Figure = {
        invariant: "I2, I3",
        what: "killed with SIGKILL in a swap",
        seen: `${some.length} points, ${work.length} runs, ${held} held; drift ${drifted}`,
        holds: held === work.length && drifted === 0
      }
      return [figure]
    } finally {
      bundle.remove()
    }
  }
}
