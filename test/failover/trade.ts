/**
 * A trade that an agent asks for under an idempotency key and repeats under the same key, and where it is made: a world
 * of two databases and a market.
 */

import { until } from "../kill/scene.ts"
import type * as Route from "./route.ts"
import type { Pair } from "./servers.ts"
import type { Drawn } from "./takings.ts"

/** Whose trades a round is about. */
export const first = 0
/** Others, who trade all the while: each has an account of its own, so that no cap and no day is shared. */
export const others = [1, 2] as const
/** What a process on records that were replaced answers to whoever would begin something. */
export const fenced = /^SENDING_HELD: Other records have taken the place of these,/u
type Input = Readonly<Record<string, unknown>>

/** A process of the service. */
export interface Process {
  /** An operation as one of the traders; what is refused is thrown. */
  readonly call: (trader: number, name: string, input: Input, key?: string) => Promise<Answer>
  readonly clock: (offsetMs: number) => Promise<void>
  readonly stop: () => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: the answer's form is what a round asserts on.
export type Answer = any

/** One trade of a round, which no other of its trader equals in what it sells. */
export interface Trade {
  readonly key: string
  /** Whose account and wallet it is: the first trader's, or of those who trade all the while. */
  readonly trader: number
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
  readonly inputOf: (cents: number, trader: number) => Input
  /** Sets the stage for a trade of this kind. */
  readonly stage: (plot: string) => Promise<void>
  /** Lets time pass on the chains, with blocks. */
  readonly passes: (seconds: number) => Promise<void>
  /** The time of each chain, in seconds. */
  readonly times: () => Promise<ReadonlyArray<number>>
  /** The cap on what the first trader may sell in a day, and all they ever sold: in millionths of a USD. */
  readonly cap?: { readonly dailyMicro: bigint; readonly sold: () => Promise<bigint> }
  /** How often the chain has taken what the trade sells out of the wallet. */
  readonly timesOf: (trade: Trade) => Promise<number>
  readonly close: () => Promise<void>
}

/** The time of a block as a node gives it. */
export const secondsOf = (block: unknown) =>
  Number((block as { readonly timestamp: string }).timestamp)

/** A world of two databases and a market, whose clock goes ahead of the real one. */
export interface World {
  readonly market: Market
  readonly route: Route.Route
  readonly random: Drawn
  readonly running: Set<Process>
  pair: Pair
  offsetMs: number
}

export const start = async (world: World, url: string) => {
  const started = await world.market.start(url, world.offsetMs)
  world.running.add(started)
  return started
}

/** The time of the chain that is behind the others. */
export const timeOf = async ({ times }: Market) => Math.min(...(await times()))

/** Lets time pass for all. Blocks that come fast have brought the chains ahead of the clock, so their time is asked. */
export const passes = async (world: World, seconds: number) => {
  const { market } = world
  const wanted = (await timeOf(market)) + seconds
  for (let now = wanted - seconds; now < wanted; now = await timeOf(market)) {
    await market.passes(wanted - now)
  }
  world.offsetMs = Math.max(world.offsetMs, wanted * 1000 - Date.now())
  await Promise.all([...world.running].map(({ clock }) => clock(world.offsetMs)))
}

export const stop = async (world: World, one: Process) => {
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
const ended = async (world: World, service: Process, proposalId: string, trader: number) => {
  for (let tries = 0; tries < 6; tries++) {
    const last = await until(`${proposalId} has ended`, async () => {
      const found = await service.call(trader, "get_proposal", { proposalId })
      return ["completed", "failed"].includes(found.status) ? found : undefined
    }).catch((error: Error) => error)
    if (!(last instanceof Error)) return last
    await passes(world, 16)
  }
  const { outcome, status, statusReason, steps, subStatus } = await service.call(
    trader,
    "get_proposal",
    { proposalId }
  )
  const seen = JSON.stringify({ outcome, status, statusReason, subStatus, steps })
  throw new Error(`${proposalId} has not ended: ${seen}`)
}

/** Proposes under the trade's key, confirms, and if it is to be, waits for its end. */
export const carry = async (world: World, service: Process, trade: Trade, waits: boolean) => {
  const { market } = world
  const { cents, key, plot, trader } = trade
  await market.stage(plot)
  const input = market.inputOf(cents, trader)
  const { proposalId } = await insist("it is proposed", () =>
    service.call(trader, market.operation, input, key)
  )
  await insist("it is confirmed", () => service.call(trader, "confirm_proposal", { proposalId }))
  return waits ? ended(world, service, proposalId, trader) : undefined
}

export const propose = async ({ market }: World, service: Process, cents: number, key: string) => {
  const { proposalId } = await insist("it is proposed", () =>
    service.call(first, market.operation, market.inputOf(cents, first), key)
  )
  return proposalId as string
}
