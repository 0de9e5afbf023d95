/** One seed, from its storm to its rest: what happened in it, and every rule that was broken. */
import { DateTime } from "effect"
import { settlementOf } from "../../core/x402/settlement.ts"
import type { Bug } from "./bugs/bug.ts"
import { judgeAuditCommit, judgeAuditRest } from "./rules/audit.ts"
import { judgeCommit } from "./rules/commit.ts"
import { judgeRest } from "./rules/rest.ts"
import { Town } from "./scenario.ts"
import { paying, type Setting } from "./setting.ts"
import { judgeSends } from "./solana/sends.ts"
import { payingOnSolana } from "./solana/setting.ts"
import type { Commit } from "./stores.ts"
import { startsAtMs, World } from "./world.ts"

export interface Outcome {
  readonly seed: number
  readonly turns: number
  readonly calls: number
  readonly faults: number
  readonly crashes: number
  readonly requests: number
  readonly paid: number
  readonly transfers: number
  /** Sends that were paid. */
  readonly sent: number
  /** Signatures that paid, and those that failed. */
  readonly settled: number
  readonly failed: number
  readonly events: number
  readonly arrivals: number
  /** Parcels that brought an event an endpoint had been brought before. */
  readonly duplicates: number
  readonly violations: ReadonlyArray<string>
  /** Equal for two runs that took the same way. */
  readonly trace: string
}

const second = 1000
const minute = 60 * second
const longestRestMs = 9 * 24 * 60 * minute
const ends = ["paid", "expired", "cancelled"]

/** The next moment something is due, or a while. */
const nextMs = (world: World): number => {
  const dueMs = [
    ...world.stores
      .all("payment requests")
      .filter(({ status }) => !ends.includes(status))
      .map(({ expiresAt }) => expiresAt),
    ...world.stores.all("submissions").flatMap(({ submission }) => submission.nextLookAt ?? []),
    ...world.stores.all("deliveries").flatMap(({ delivery }) => delivery.nextAttemptAt ?? [])
  ].map((due) => DateTime.toEpochMillis(due) + second)
  const ahead = dueMs.filter((atMs) => atMs > world.nowMs)
  return ahead.length === 0 ? world.nowMs + 2 * minute : Math.min(...ahead)
}

const isAtRest = (world: World, town: Town): boolean =>
  world.stores.all("cursors").every(({ head }) => head === world.head) &&
  world.stores.all("tasks").length === 0 &&
  world.stores.all("audit").every(({ sequence }) => sequence !== null) &&
  world.stores.all("payment requests").every(({ status }) => ends.includes(status)) &&
  world.stores.all("submissions").every(({ submission }) => submission.nextLookAt === null) &&
  world.stores
    .all("deliveries")
    .every(({ delivery }) => delivery.status !== "pending" && delivery.status !== "retrying") &&
  town.conversations.every(({ isOpen }) => !isOpen)

/** Faults have stopped; time runs on until everything is done, or should have been. */
const settle = (world: World, town: Town): void => {
  world.heal()
  town.miner.comesBack()
  world.timeline.runUntil(world.nowMs + minute)
  const untilMs = world.nowMs + longestRestMs
  do {
    town.miner.mine(world.profile.confirmations + 1)
    world.timeline.runUntil(world.nowMs + 30 * second)
    if (isAtRest(world, town)) return
    world.timeline.runUntil(nextMs(world))
  } while (world.nowMs < untilMs)
}

const judge = (world: World, commit: Commit): void => {
  judgeCommit(world, commit)
  judgeAuditCommit(world, commit)
}

const outcomeOf = (world: World, sent: number): Outcome => {
  const { calls, crashes, faults } = world.counters
  const { scheduler } = world.timeline
  const webhookRequests = new Set(
    world.arrivals.map(({ headers, url }) => `${url} ${headers["svc-webhook-id"]}`)
  )
  const requests = world.stores.all("payment requests")
  const settled = (end: "paid" | "failed") =>
    world.stores
      .all("submissions")
      .filter(({ submission }) => submission.terms.signed !== null)
      .filter(({ submission }) => settlementOf(submission).outcome === end).length
  return {
    seed: world.seed,
    turns: scheduler.turns,
    calls,
    faults,
    crashes,
    requests: requests.length,
    paid: requests.filter(({ status }) => status === "paid").length,
    transfers: world.stores.all("transfers").length,
    sent,
    settled: settled("paid"),
    failed: settled("failed"),
    events: world.stores.all("events").length,
    arrivals: world.arrivals.length,
    duplicates: world.arrivals.length - webhookRequests.size,
    violations: world.violations,
    trace: `${scheduler.turns} ${scheduler.trace} ${world.digest}`
  }
}

/** Plays a seed; with a bug planted, if one is given. */
export const simulate = (seed: number, bug?: Bug, setting: Setting = paying): Outcome => {
  const world = new World(seed, bug, judge, setting)
  world.start()
  const town = new Town(world)
  town.start()
  world.timeline.runUntil(startsAtMs + world.profile.chaosMs)
  settle(world, town)
  judgeRest(world, town.conversations)
  judgeAuditRest(world)
  return outcomeOf(world, judgeSends(world))
}

/** The same on Solana. */
export const simulateOnSolana = (seed: number, bug?: Bug): Outcome =>
  simulate(seed, bug, payingOnSolana)

/** Lets what a seed left behind be done with before the next one. */
export const rest = (): Promise<void> => new Promise((resume) => setImmediate(resume))
