/** One seed of a world of traders, from its storm to its rest: what happened in it, and every rule that was broken. */
import { DateTime } from "effect"
import type { Bug } from "../bugs/bug.ts"
import { startsAtMs, World } from "../world.ts"
import { Outside } from "./outside.ts"
import { judgeTradeRest } from "./rest.ts"
import { judgeTradeCommit } from "./rules.ts"
import { furnish, trading } from "./setting.ts"
import { Traders } from "./traders.ts"

export interface Outcome {
  readonly seed: number
  readonly turns: number
  readonly calls: number
  readonly faults: number
  readonly crashes: number
  readonly proposals: number
  readonly swaps: number
  readonly bridges: number
  readonly sends: number
  readonly approvals: number
  readonly refunds: number
  readonly notExecuted: number
  readonly stopped: number
  readonly orders: number
  readonly waits: number
  readonly violations: ReadonlyArray<string>
  /** Equal for two runs that took the same way. */
  readonly trace: string
}

const second = 1000
const minute = 60 * second
/** A proposal that nobody confirmed ends after a day. */
const longestRestMs = 30 * 60 * minute

const waiting = ["executing", "pending_confirm", "requires_action"]

const isAtRest = (world: World, traders: Traders): boolean =>
  world.stores.all("proposals").every(({ status }) => !waiting.includes(status)) &&
  world.stores.all("submissions").every(({ submission }) => submission.nextLookAt === null) &&
  world.stores.all("waits").every(({ wait }) => wait.ended !== null) &&
  traders.conversations.every(({ isOpen }) => !isOpen)

/** When something is due next, or a while: whatever begins meanwhile needs blocks before long. */
const nextMs = (world: World): number => {
  const dueMs = [
    ...world.stores.all("submissions").flatMap(({ submission }) => submission.nextLookAt ?? []),
    ...world.stores.all("waits").flatMap(({ wait }) => wait.nextLookAt ?? []),
    ...world.stores
      .all("proposals")
      .flatMap(({ expiresAt, status }) => (status === "pending_confirm" ? expiresAt : []))
  ].map((due) => DateTime.toEpochMillis(due) + second)
  const ahead = dueMs.filter((atMs) => atMs > world.nowMs)
  return Math.min(world.nowMs + 2 * minute, ...ahead)
}

const settle = (world: World, outside: Outside, traders: Traders): void => {
  world.heal()
  outside.heal()
  world.timeline.runUntil(world.nowMs + minute)
  const untilMs = world.nowMs + longestRestMs
  do {
    for (const miner of outside.miners) miner.mine(world.profile.confirmations + 1)
    world.timeline.runUntil(world.nowMs + 20 * second)
    if (isAtRest(world, traders)) return
    world.now(outside.fillSome(0.5))
    world.timeline.runUntil(nextMs(world))
  } while (world.nowMs < untilMs)
}

const outcomeOf = (seed: number, world: World): Outcome => {
  const { calls, crashes, faults } = world.counters
  const proposals = world.stores.all("proposals")
  const executed = (kind: string) =>
    proposals.filter((each) => each.kind === kind && each.outcome === "executed").length
  const waits = world.stores.all("waits")
  const { scheduler } = world.timeline
  return {
    seed,
    turns: scheduler.turns,
    calls,
    faults,
    crashes,
    proposals: proposals.length,
    swaps: executed("swap"),
    bridges: executed("bridge"),
    sends: executed("send"),
    approvals: executed("token_approve"),
    refunds: executed("refund"),
    notExecuted: proposals.filter(
      ({ confirmedAt, outcome }) => confirmedAt !== null && outcome !== "executed"
    ).length,
    stopped: proposals.filter(({ stopAskedAt }) => stopAskedAt !== null).length,
    orders: waits.filter(({ wait }) => wait.journal.signed !== undefined).length,
    waits: waits.length,
    violations: world.violations,
    trace: `${scheduler.turns} ${scheduler.trace} ${world.digest}`
  }
}

/** Plays a seed; with a bug planted, if one is given. */
export const simulateTrades = (seed: number, bug?: Bug): Outcome => {
  let traders: Traders | undefined
  const world = new World(
    seed,
    bug,
    (judged, commit) => {
      judgeTradeCommit(judged, commit)
      traders?.heard(commit)
    },
    trading
  )
  for (const wallet of world.stores.all("wallets")) {
    if (wallet.kind === "standard") furnish(world.chain, wallet, world.nowMs)
  }
  const outside = new Outside(world)
  // What they begin with is final.
  for (const miner of outside.miners) miner.mine(world.profile.confirmations + 1)
  world.start()
  traders = new Traders(world, outside.miners[0])
  outside.start()
  traders.start()
  world.timeline.runUntil(startsAtMs + world.profile.chaosMs)
  settle(world, outside, traders)
  judgeTradeRest(world, outside, traders.conversations)
  return outcomeOf(seed, world)
}
