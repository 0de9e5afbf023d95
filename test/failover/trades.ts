/**
 * Failovers while agents trade. A standby that lacks the newest commits is promoted, each call is repeated under its
 * idempotency key, and the chains' own logs say what was done.
 */
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import * as KeyStore from "../../adapters/secrets/timeline.ts"
import { until } from "../kill/scene.ts"
import * as Servers from "./servers.ts"

/** Longer than anything that was signed lives. */
const lifeSeconds = 1300
const daySeconds = 24 * 3600

/** What a process on records that were replaced answers to whoever would begin something. */
export const fenced = /^SENDING_HELD: Other records have taken the place of these,/u
/** What becomes of a trade on a day that is closed. */
const closed = /^The records were replaced by older ones on the day of this trade,/u

type Input = Readonly<Record<string, unknown>>

/** A process of the service. */
export interface Process {
  /** What is refused is thrown. */
  readonly call: (name: string, input: Input, key?: string) => Promise<Answer>
  readonly clock: (offsetMs: number) => Promise<void>
  readonly stop: () => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: the answer's form is what a round asserts on.
type Answer = any

/** One trade of a round, which no other equals in what it sells. */
export interface Trade {
  readonly key: string
  readonly cents: number
  readonly plot: string
  /** How far it comes before the records are lost. */
  readonly stage: "confirmed" | "completed"
}

/** Where trades are made. */
export interface Market {
  readonly operation: string
  readonly plots: ReadonlyArray<string>
  readonly directory: string
  /** How many chains there are. */
  readonly chains: number
  readonly start: (databaseUrl: string, offsetMs: number) => Promise<Process>
  readonly inputOf: (cents: number) => Input
  /** Sets the stage for a trade of this kind. */
  readonly stage: (plot: string) => Promise<void>
  /** Lets time pass on the chains, with blocks. */
  readonly passes: (seconds: number) => Promise<void>
  /** The time of the chain that is behind the others, in seconds. */
  readonly now: () => Promise<number>
  /** The cap on what may be sold in a day, and all that was ever sold: in millionths of a USD. */
  readonly cap?: { readonly dailyMicro: bigint; readonly sold: () => Promise<bigint> }
  /** How often the chain has taken what the trade sells out of the wallet. */
  readonly timesOf: (trade: Trade) => Promise<number>
  readonly close: () => Promise<void>
}

export interface Tally {
  rounds: number
  forgotten: number
  twice: number
  undone: number
  /** Not made, as nobody knew any more what was left of their day's cap. */
  putOff: number
  /** What a process on the old records answered when it was to begin a trade: that it is fenced, or anything else. */
  fenced: number
  unfenced: number
  /** Made before the records were lost, and told as made by those that had forgotten them. */
  recovered: number
  /** By how much more was sold in a day than its cap allows. */
  overMicro: bigint
  durable: number
  brokenPromises: number
}

/** The time of a block as a node gives it. */
export const timeOf = (block: unknown) =>
  Number((block as { readonly timestamp: string }).timestamp)

const empty = (): Tally => ({
  rounds: 0,
  forgotten: 0,
  twice: 0,
  undone: 0,
  putOff: 0,
  fenced: 0,
  unfenced: 0,
  recovered: 0,
  overMicro: 0n,
  durable: 0,
  brokenPromises: 0
})

/** A world of two databases and a market, whose clock goes ahead of the real one. */
interface World {
  readonly market: Market
  readonly running: Set<Process>
  pair: Servers.Pair
  offsetMs: number
}

const start = async (world: World, url: string) => {
  const started = await world.market.start(url, world.offsetMs)
  world.running.add(started)
  return started
}

/** Lets time pass for all. Blocks that come fast have brought the chains ahead of the clock, so their time is asked. */
const passes = async (world: World, seconds: number) => {
  const { market } = world
  const wanted = (await market.now()) + seconds
  for (let now = wanted - seconds; now < wanted; now = await market.now()) {
    await market.passes(wanted - now)
  }
  world.offsetMs = Math.max(world.offsetMs, wanted * 1000 - Date.now())
  await Promise.all([...world.running].map(({ clock }) => clock(world.offsetMs)))
}

const stop = async (world: World, one: Process) => {
  world.running.delete(one)
  await one.stop()
}

/** What a process that has just started does not know yet, or a line that is held does not do. */
const isPassing = ({ message }: Error) =>
  /^(?:SENDING_HELD|PRICE_|VENUE_|WALLET_BUSY)/u.test(message)

/** Repeats a call until it is not refused for now. */
const insist = async (sentence: string, call: () => Promise<Answer>) => {
  let refusal = ""
  for (let tries = 0; tries < 4; tries++) {
    const last = await until(sentence, () =>
      call().catch((error: Error) => {
        if (!isPassing(error)) throw error
        refusal = error.message
        return undefined
      })
    ).catch((error: Error) => error)
    if (!(last instanceof Error)) return last
    if (!last.message.startsWith("Not within")) throw last
  }
  throw new Error(`Never, so that ${sentence}: ${refusal}`)
}

/** Waits for the end of a trade, with time going on for looks that were put off. */
const ended = async (world: World, service: Process, proposalId: string) => {
  for (let tries = 0; tries < 6; tries++) {
    const last = await until(`${proposalId} has ended`, async () => {
      const found = await service.call("get_proposal", { proposalId })
      return ["completed", "failed"].includes(found.status) ? found : undefined
    }).catch((error: Error) => error)
    if (!(last instanceof Error)) return last
    await passes(world, 16)
  }
  const { outcome, status, statusReason, steps, subStatus } = await service.call("get_proposal", {
    proposalId
  })
  const seen = JSON.stringify({ outcome, status, statusReason, subStatus, steps })
  throw new Error(`${proposalId} has not ended: ${seen}`)
}

/** Proposes under the trade's key, confirms, and if it is to be, waits for its end. */
const carry = async (world: World, service: Process, trade: Trade, waits: boolean) => {
  const { market } = world
  await market.stage(trade.plot)
  const input = market.inputOf(trade.cents)
  const { proposalId } = await insist("it is proposed", () =>
    service.call(market.operation, input, trade.key)
  )
  await insist("it is confirmed", () => service.call("confirm_proposal", { proposalId }))
  return waits ? ended(world, service, proposalId) : undefined
}

/** Whether a process on the old records says that it is fenced: nothing else keeps it from beginning something. */
const isFenced = (service: Process, proposalId: string) =>
  service
    .call("confirm_proposal", { proposalId })
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

const propose = async ({ market }: World, service: Process, cents: number, key: string) => {
  const { proposalId } = await insist("it is proposed", () =>
    service.call(market.operation, market.inputOf(cents), key)
  )
  return proposalId as string
}

/** Cancels each at a time of its own; the ids of those that a standby is said to have. */
const cancelled = async (service: Process, ids: ReadonlyArray<string>) => {
  const told = await Promise.all(
    ids.map(async (proposalId) => {
      // At any moment around the cut, which no event of ours marks.
      await setTimeout(Math.random() * 300)
      const said = await service.call("cancel_proposal", { proposalId })
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
      cents: 2_001 + number * 20 + at,
      plot,
      stage: "completed" as const
    })),
    { key: `round-${number}-last`, cents: 2_011 + number * 20, plot: last, stage: "confirmed" }
  ]
}

const round = async (world: World, number: number, tally: Tally) => {
  const { market, pair } = world
  await passes(world, daySeconds - ((await market.now()) % daySeconds) + 3600)
  const soldBefore = (await market.cap?.sold()) ?? 0n
  const old = await start(world, pair.primaryUrl)
  await market.stage(market.plots[0] as string)
  const cents = 2_013 + number * 20
  const stray = await propose(world, old, cents, `stray-${number}`)
  const ids = [
    await propose(world, old, cents + 1, `withdrawn-${number}-1`),
    await propose(world, old, cents + 2, `withdrawn-${number}-2`)
  ]
  await pair.caughtUp()
  const early = await cancelled(old, ids.slice(0, 1))
  await pair.cut()
  const durable = [...early, ...(await cancelled(old, ids.slice(1)))]
  tally.durable += durable.length
  const trades = tradesOf(world, number)
  for (const trade of trades) await carry(world, old, trade, trade.stage === "completed")
  tally.forgotten += trades.length
  // Half of the time the machine is lost; the other half both are there and think that they are the one.
  const isSplit = number % 2 === 0
  if (!isSplit) {
    await stop(world, old)
    await pair.crash()
  }
  const kept = async () => (await Effect.runPromise(KeyStore.read(market.directory)))?.number ?? 0
  const keptBefore = await kept()
  await pair.promote()
  const next = await start(world, pair.standbyUrl)
  await until("the new line is in the key store", async () =>
    (await kept()) > keptBefore ? true : undefined
  )
  if (isSplit) tally[(await isFenced(old, stray)) ? "fenced" : "unfenced"] += 1
  for (const proposalId of durable) {
    const { status } = await next.call("get_proposal", { proposalId })
    if (status !== "cancelled") tally.brokenPromises += 1
  }
  await until("the wait for each chain has begun", async () => {
    const [row] = await pair.onStandby<{ since: string }>(
      "select sealed::jsonb -> 'held' ->> 'since' as since from key_material where name = 'records_timeline'"
    )
    return Object.keys(JSON.parse(row?.since ?? "{}")).length >= market.chains ? true : undefined
  })
  await passes(world, lifeSeconds)
  // Of what was made, nobody says anything until the rest of the cap was asked for.
  if (market.cap !== undefined) await sellMore(world, next, number)
  for (const trade of trades) await repeat(world, next, trade, tally)
  if (market.cap !== undefined) {
    const over = (await market.cap.sold()) - soldBefore - market.cap.dailyMicro
    if (over > 0n) tally.overMicro += over
  }
  tally.rounds += 1
  for (const each of [...world.running]) await stop(world, each)
  world.pair = await pair.renewed()
}

export const told = (tally: Tally): string =>
  `${tally.rounds} failovers, ${tally.forgotten} trades forgotten: ${tally.twice} made twice, ${tally.undone} not made or not told, ${tally.putOff} put off to the next day, ${tally.recovered} found on the chain, ${tally.overMicro} micro over the cap, ${tally.fenced} old processes that said that they were fenced and ${tally.unfenced} that did not, ${tally.durable} cancelled for sure and ${tally.brokenPromises} of them undone`

export const holds = (tally: Tally): boolean =>
  tally.rounds > 0 &&
  tally.durable >= tally.rounds &&
  // A round in which nothing was forgotten proves nothing, nor does one in which no old process was asked.
  tally.recovered >= tally.rounds &&
  tally.fenced >= tally.rounds / 2 &&
  tally.twice + tally.undone + tally.unfenced + tally.brokenPromises === 0 &&
  tally.overMicro === 0n

export const rounds = async (
  open: (pair: Servers.Pair) => Promise<Market>,
  count: number,
  say: (line: string) => void
): Promise<Tally> => {
  const pair = await Servers.open()
  const market = await open(pair)
  const world: World = { market, pair, running: new Set(), offsetMs: 0 }
  const tally = empty()
  try {
    for (let number = 0; number < count; number++) {
      await round(world, number, tally)
      say(`  round ${number}: ${told(tally)}`)
    }
  } finally {
    for (const each of [...world.running]) await stop(world, each)
    await market.close()
    await world.pair.close()
  }
  return tally
}
