/**
 * Failovers while agents trade. A standby that lacks the newest commits is promoted, each call is repeated under its
 * idempotency key, and the chains' own logs say what was done.
 */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import * as KeyStore from "../../adapters/secrets/timeline.ts"
import * as Load from "./load.ts"
import * as Promotion from "./promotion.ts"
import { restart, waitOf } from "./restart.ts"
import * as Route from "./route.ts"
import * as Servers from "./servers.ts"
import { drawnFrom } from "./takings.ts"
import {
  type Answer,
  carry,
  fenced,
  first,
  type Market,
  others,
  type Process,
  passes,
  propose,
  start,
  stop,
  type Trade,
  timeOf,
  type World
} from "./trade.ts"
import { empty, type Tally, told } from "./trades-tally.ts"

/** Longer than anything that was signed lives. */
const lifeSeconds = 1300
const daySeconds = 24 * 3600

/** Within a day's cap. */
const tradesOfOther = 6

/** What becomes of a trade on a day that is closed. */
const closed = /^The records were replaced by older ones on the day of this trade,/u

/** Whether a process on the old records says that it is fenced: nothing else keeps it from beginning something. */
const isFenced = (service: Process, proposalId: string) =>
  service
    .call(first, "confirm_proposal", { proposalId })
    .then(() => false)
    .catch(({ message }: Error) => fenced.test(message))

/** A trade that the cap of the day refuses; any other failure stays one. */
const overCap = (error: Error): Answer => {
  if (!error.message.startsWith("POLICY_LIMIT_EXCEEDED")) throw error
  return { status: "refused" }
}

/** Sells so much more that the cap of the day would be passed, were what was forgotten not known. */
const sellMore = async (world: World, service: Process, number: number) => {
  const [plot = ""] = world.market.plots
  for (const at of [0, 1, 2]) {
    const trade: Trade = {
      key: `more-${number}-${at}`,
      trader: first,
      cents: 3_001 + number * 20 + at,
      plot,
      stage: "completed"
    }
    await carry(world, service, trade, true).catch(overCap)
  }
}

/** Repeats a call that was forgotten, and says by the chain what came of it. */
const repeat = async (world: World, service: Process, trade: Trade, tally: Tally) => {
  const { timesOf } = world.market
  const before = await timesOf(trade)
  // What has used up the cap in its place keeps it from being told.
  const { status, statusReason } = await carry(world, service, trade, true).catch(overCap)
  const times = await timesOf(trade)
  const isDone = status === "completed"
  if (isDone && before === 1 && times === 1) tally.recovered += 1
  if (times > 1) tally.twice += 1
  if (times > 0 && isDone) return
  if (times === 0 && closed.test(statusReason ?? "")) tally.putOff += 1
  else tally.undone += 1
}

/** Cancels each at a time of its own; the ids of those that a standby is said to have. */
const cancelled = async ({ random }: World, service: Process, ids: ReadonlyArray<string>) => {
  const told = await Promise.all(
    ids.map(async (proposalId) => {
      // At any moment around the cut, which no event of ours marks.
      await setTimeout(random.fraction() * 300)
      const said = await service.call(first, "cancel_proposal", { proposalId })
      return said.durable === true ? [proposalId] : []
    })
  )
  return told.flat()
}

const tradesOf = ({ market }: World, number: number): ReadonlyArray<Trade> => {
  const all = market.plots.map((plot, at) => ({ plot, at }))
  const last = market.plots[number % market.plots.length] as string
  // One sale of a wallet is open at a time, so only the last may be under way.
  return [
    ...all.map(({ at, plot }) => ({
      key: `round-${number}-${at}`,
      trader: first,
      cents: 2_001 + number * 20 + at,
      plot,
      stage: "completed" as const
    })),
    {
      key: `round-${number}-last`,
      trader: first,
      cents: 2_011 + number * 20,
      plot: last,
      stage: "confirmed"
    }
  ]
}

/** Others trade all the while, each one thing after the other. */
const loadOf = ({ market, random }: World, number: number, tally: Tally, both: Both) =>
  Load.start<Process, Trade>({
    agents: others.length,
    random,
    targets: both,
    tally: tally.load,
    next: (agent, at) =>
      at < tradesOfOther
        ? {
            key: `round-${number}-load-${agent}-${at}`,
            trader: others[agent] ?? first,
            cents: 1_001 + number * 10 + at,
            plot: market.plots[0] ?? "",
            stage: "confirmed"
          }
        : undefined,
    attempt: async (target, { cents, key, trader }) => {
      const input = market.inputOf(cents, trader)
      const { proposalId } = await target.call(trader, market.operation, input, key)
      await target.call(trader, "confirm_proposal", { proposalId, waitMs: 3000 })
    }
  })

type Both = readonly [old: Process, lasting: Process]

/** In every third round nobody outlives the wait. */
const restarted = async (
  world: World,
  next: Process,
  lasting: Process,
  strayId: string,
  tally: Tally
) => {
  const { market, pair } = world
  return restart(
    {
      pair,
      chains: market.chains,
      passes: (seconds) => passes(world, seconds),
      now: async () => Math.max(...(await market.times())),
      // Blocks come by themselves.
      whileMining: (work) => work,
      replace: async () => {
        await Promise.all([stop(world, next), stop(world, lasting)])
        return start(world, pair.standbyUrl)
      },
      isHeld: (service) =>
        service
          .call(first, "confirm_proposal", { proposalId: strayId })
          .then(() => false)
          .catch(({ message }: Error) => message.startsWith("SENDING_HELD"))
    },
    tally.restarted
  )
}

/** What is known of a round until its records are lost. */
interface Lost {
  readonly old: Process
  readonly lasting: Process
  readonly load: Load.Load<Process, Trade>
  readonly stray: string
  readonly durable: ReadonlyArray<string>
  readonly trades: ReadonlyArray<Trade>
}

/** Cuts the stream under calls of others, and trades what the standby will never hear of. */
const forget = async (world: World, number: number, tally: Tally): Promise<Lost> => {
  const { market, pair, route } = world
  route.lead(pair.primaryUrl)
  const both = await Promise.all([start(world, pair.primaryUrl), start(world, route.url)])
  const [old, lasting] = both
  await market.stage(market.plots[0] as string)
  const cents = 2_013 + number * 20
  const stray = await propose(world, old, cents, `stray-${number}`)
  const ids = [
    await propose(world, old, cents + 1, `withdrawn-${number}-1`),
    await propose(world, old, cents + 2, `withdrawn-${number}-2`)
  ]
  await pair.caughtUp()
  const early = await cancelled(world, old, ids.slice(0, 1))
  const load = loadOf(world, number, tally, both)
  await setTimeout(world.random.fraction() * 300)
  load.count("cut")
  await pair.cut()
  const durable = [...early, ...(await cancelled(world, old, ids.slice(1)))]
  tally.durable += durable.length
  const trades = tradesOf(world, number)
  for (const trade of trades) await carry(world, old, trade, trade.stage === "completed")
  tally.forgotten += trades.length
  return { old, lasting, load, stray, durable, trades }
}

/** Repeats all calls once the wait is over: of the first trader in the order of its plots, of each other in its own. */
const recover = async (
  world: World,
  next: Process,
  {
    loaded,
    number,
    trades
  }: {
    readonly number: number
    readonly trades: ReadonlyArray<Trade>
    readonly loaded: ReadonlyArray<Trade>
  },
  tally: Tally
) => {
  const { market } = world
  // Of what was made, nobody says anything until the rest of the cap was asked for.
  if (market.cap !== undefined) await sellMore(world, next, number)
  for (const trade of trades) await repeat(world, next, trade, tally)
  await Promise.all(
    others.map(async (other) => {
      for (const trade of loaded.filter(({ trader }) => trader === other)) {
        await repeat(world, next, trade, tally)
      }
    })
  )
}

const round = async (world: World, number: number, tally: Tally) => {
  const { market, pair, route } = world
  await passes(world, daySeconds - ((await timeOf(market)) % daySeconds) + 3600)
  const soldBefore = (await market.cap?.sold()) ?? 0n
  const lost = await forget(world, number, tally)
  const { durable, lasting, load, old, stray, trades } = lost
  // Half of the time the machine is lost; the other half both are there and think that they are the one.
  const isSplit = number % 2 === 0
  const promoted = await Promotion.promote({
    ...{ pair, route, load, old, lasting, isSplit },
    start: (url) => start(world, url),
    stop: (one) => stop(world, one),
    kept: async () => (await Effect.runPromise(KeyStore.read(market.directory)))?.number ?? 0
  })
  if (isSplit) tally[(await isFenced(old, stray)) ? "fenced" : "unfenced"] += 1
  for (const proposalId of durable) {
    const { status } = await promoted.call(first, "get_proposal", { proposalId })
    if (status !== "cancelled") tally.brokenPromises += 1
  }
  const loaded = await load.stop()
  await waitOf(pair, market.chains)
  const next = number % 3 === 0 ? await restarted(world, promoted, lasting, stray, tally) : promoted
  await passes(world, lifeSeconds)
  await recover(world, next, { number, trades, loaded }, tally)
  if (market.cap !== undefined) {
    const over = (await market.cap.sold()) - soldBefore - market.cap.dailyMicro
    if (over > 0n) tally.overMicro += over
  }
  tally.rounds += 1
  for (const each of [...world.running]) await stop(world, each)
  world.pair = await pair.renewed()
}

export const rounds = async (
  open: (pair: Servers.Pair) => Promise<Market>,
  count: number,
  say: (line: string) => void
): Promise<Tally> => {
  const pair = await Servers.open()
  const market = await open(pair)
  const route = await Route.open(pair.primaryUrl)
  const seed = process.env.FAILOVER_SEED ?? randomUUID()
  say(`  FAILOVER_SEED=${seed}`)
  const random = drawnFrom(seed)
  const world: World = { market, route, random, pair, running: new Set(), offsetMs: 0 }
  const tally = empty()
  try {
    for (let number = 0; number < count; number++) {
      await round(world, number, tally)
      say(`  round ${number}: ${told(tally)}`)
    }
  } finally {
    for (const each of [...world.running]) await stop(world, each)
    await market.close()
    route.close()
    await world.pair.close()
  }
  return tally
}
