/**
 * I2 of bridges, where three processes on one database work on one bridge at once: they take turns by its leases, one of
 * them with a clock by which these have run out. The money leaves once, whatever becomes of what they hand over.
 */
import { Effect, Exit, Scope } from "effect"
import * as Child from "../kill/child.ts"
import { chanceOf } from "../simulation/chance.ts"
import * as JsonRpcProxy from "../support/json-rpc-proxy.ts"
import type { Plot } from "./bridge-points.ts"
import { called, openScene, type Replica, type Scene } from "./bridge-scene.ts"
import { doneOnce, drift, ends, inputOf, type Lane, stage } from "./bridges.ts"
import type { Figure, Part, Run } from "./part.ts"

/** How the node of the chain that it leaves takes what is handed over. */
type Weather = "clear" | "lossy"

/** A little longer than a process may hold a wait. */
const leaseMs = 61_000
/** So many hand-overs are lost, by turns before and after the node has them; each costs half a minute. */
const lost = 4
/** And one of so many batches of questions, by chance: by turns, a look of as many batches would never come through. */
const dropsOneOf = 8
const racesOfScene = 8

const plots = ["minted", "filled"] as const satisfies ReadonlyArray<Plot>
const weathers: ReadonlyArray<Weather> = ["clear", "lossy"]

interface Race {
  readonly plot: (typeof plots)[number]
  readonly weather: Weather
}

const races: ReadonlyArray<Race> = plots.flatMap((plot) =>
  weathers.map((weather) => ({ plot, weather }))
)

/** Loses hand-overs and answers. */
const lossy = (seed: number) => {
  let handedOver = 0
  const chance = chanceOf(seed, "nodes")
  const tampering: JsonRpcProxy.Tampering = async (asked, pass) => {
    if (asked.some(({ method }) => method === "eth_sendRawTransaction")) {
      handedOver += 1
      if (handedOver > lost) return pass(asked)
      if (handedOver % 2 === 0) await pass(asked)
      return "hang up"
    }
    return chance.below(dropsOneOf) === 0 ? "hang up" : pass(asked)
  }
  return tampering
}

/** A proxy before the source, until it is closed. */
const openProxy = async ({ chains }: Scene) => {
  const scope = Scope.makeUnsafe()
  const proxied = await Effect.runPromise(
    Scope.provide(JsonRpcProxy.between(chains.one.connection.rpcUrl), scope)
  )
  return { ...proxied, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

interface Runners {
  readonly proxy: Awaited<ReturnType<typeof openProxy>>
  readonly lane: Lane
  readonly all: ReadonlyArray<Replica>
}

/** All confirm it at once, and all carry it. */
const race = async ({ all, lane, proxy }: Runners, { plot, weather }: Race, cents: number) => {
  const { scene, service: first } = lane
  const { account, chains } = scene
  await stage(scene, plot)
  const before = await chains.balances(account.from.address, account.to.address)
  const { proposalId } = await called(scene, first, "propose_bridge", inputOf(scene, cents))
  try {
    await Effect.runPromise(proxy.tamper(weather === "lossy" ? lossy(cents) : undefined))
    const confirmed = all.map((replica) =>
      called(scene, replica, "confirm_proposal", { proposalId }).catch(() => undefined)
    )
    if ((await Promise.all(confirmed)).every((each) => each === undefined)) {
      throw new Error("Nobody could confirm it.")
    }
    await ends(lane, proposalId, plot)
  } finally {
    await Effect.runPromise(proxy.tamper())
  }
  const { boughtAmount } = await called(scene, first, "get_proposal", { proposalId })
  const amount = BigInt(cents) * 10_000n
  await doneOnce(scene, plot, { amount, before, bought: BigInt(boughtAmount) })
}

/** Races of processes of which the last has its clock so far ahead; how many held. */
const under = async (
  { say }: Run,
  scene: Scene,
  aheadMs: number,
  work: ReadonlyArray<Race>,
  firstCents: number
) => {
  const proxy = await openProxy(scene)
  const start = (offsetMs: number) => scene.start({ sourceUrl: proxy.rpcUrl, offsetMs })
  const all = [await start(0), await start(0), await start(aheadMs)] as const
  const [service, second, third] = all
  const others = [
    { service: second, aheadMs: 0 },
    { service: third, aheadMs }
  ]
  const lane: Lane = { scene, service, others, offsetMs: 0, nextCents: 0 }
  let held = 0
  for (const [at, each] of work.entries()) {
    try {
      await race({ all, lane, proxy }, each, firstCents + at)
      held += 1
    } catch (error) {
      say(`  ${each.plot}, ${each.weather}, one clock ${aheadMs / 1000} s ahead: ${error}`)
    }
  }
  await Promise.all(all.map(({ child }) => child.stop()))
  await proxy.close()
  // What they held has run out by the next.
  await scene.chains.passes(leaseMs / 1000)
  return held
}

/** In a scene of its own: on the long chain of many races, each look takes longer than there is patience for. */
const raceSome = async (
  run: Run,
  bundle: Child.Bundle,
  aheadMs: number,
  work: ReadonlyArray<Race>,
  firstCents: number
) => {
  const scene = await openScene(bundle)
  try {
    const held = await under(run, scene, aheadMs, work, firstCents)
    return { held, drifted: (await drift(scene)).length }
  } finally {
    await scene.close()
  }
}

const raceAll = async (run: Run, bundle: Child.Bundle): Promise<Figure> => {
  // A quick run takes the hardest clocks and burns alone.
  const some = run.quick ? races.filter(({ plot }) => plot === "minted") : races
  const work = Array.from({ length: run.times(5, 1) }, () => some).flat()
  const skews = run.quick ? [leaseMs] : [0, leaseMs]
  let [held, drifted, cents] = [0, 0, 4_001]
  for (const aheadMs of skews) {
    for (let from = 0; from < work.length; from += racesOfScene) {
      const mine = work.slice(from, from + racesOfScene)
      const seen = await raceSome(run, bundle, aheadMs, mine, cents)
      held += seen.held
      drifted += seen.drifted
      cents += mine.length
      run.say(`  ${held} held so far`)
    }
  }
  const count = work.length * skews.length
  return {
    invariant: "I2",
    what: "three processes on one database race to make one bridge leave",
    seen: `${count} races in ${weathers.length} weathers, clocks up to ${leaseMs / 1000} s apart, ${held} left and arrived once; drift ${drifted}`,
    holds: held === count && drifted === 0
  }
}

export const part: Part = {
  name: "bridge-races",
  promise: "a bridge that three processes carry at once leaves once and arrives once",
  run: async (run) => {
    const bundle = await Child.bundle("test/money/bridge-service.ts")
    try {
      return [await raceAll(run, bundle)]
    } finally {
      bundle.remove()
    }
  }
}
