/**
 * What kind of a world a seed makes: busy or slow, calm or full of faults, with short or long expiries.
 * Every seed has its own, so that no one setting hides what another would show.
 */
import { chanceOf } from "./chance.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

export interface Profile {
  readonly replicas: number
  /** How long faults and clients go on. */
  readonly chaosMs: number
  readonly lookAgainMs: number
  readonly pollMs: number
  readonly confirmations: number
  readonly blockMs: number
  readonly clients: number
  readonly payers: number
  /** How often a client goes on at once instead of pausing. */
  readonly burst: number
  /** How often somebody waits for a moment that matters, such as an expiry. */
  readonly boundary: number
  readonly customers: number
  readonly endpoints: number
  /** How long requests live, short enough to end within the run. */
  readonly expiryMinutes: number
  /** Probabilities for each call of a port. */
  readonly faults: {
    readonly before: number
    readonly after: number
    readonly delay: number
    readonly crash: number
    /** Of a hint to be lost. */
    readonly hint: number
  }
  readonly slowest: number
  readonly reorganisation: number
  readonly outage: number
  /** How often the node that answers lacks the newest blocks, where there are several. */
  readonly lag: number
  /** How often a receiver answers 2xx. */
  readonly goodReceiver: number
  /** How often the reply to a client is lost, or the client hangs up. */
  readonly lostReply: number
}

export const profileOf = (seed: number): Profile => {
  const chance = chanceOf(seed, "profile")
  const chaosMs = chance.pick([10 * minute, 40 * minute, 3 * hour, 12 * hour])
  const isCalm = chance.has(0.08)
  const rate = (most: number) => (isCalm ? 0 : most * chance.next())
  return {
    replicas: chance.pick([1, 2, 2]),
    chaosMs,
    lookAgainMs: Math.round(chaosMs / (30 + chance.below(90))),
    pollMs: Math.round(chaosMs / (30 + chance.below(90))),
    confirmations: chance.pick([2, 3, 4, 6]),
    blockMs: Math.round(chaosMs / (40 + chance.below(120))),
    clients: 1 + chance.below(3),
    payers: 1 + chance.below(3),
    burst: 0.2 + 0.7 * chance.next(),
    boundary: 0.2 + 0.5 * chance.next(),
    customers: chance.pick([1, 2, 4]),
    endpoints: 1 + chance.below(3),
    expiryMinutes: Math.max(1, Math.round((chaosMs / minute) * chance.pick([0.02, 0.1, 0.3]))),
    faults: {
      before: rate(0.01),
      after: rate(0.01),
      delay: rate(0.05),
      crash: rate(0.0006),
      hint: rate(0.5)
    },
    slowest: chance.pick([50, 3 * second, 31 * second, 70 * second, 70 * second]),
    reorganisation: chance.pick([0.05, 0.2, 0.4]),
    outage: rate(0.06),
    lag: 0,
    goodReceiver: chance.pick([0.2, 0.5, 0.8]),
    lostReply: rate(0.4)
  }
}
