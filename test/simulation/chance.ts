/** All chance of a simulated run comes from its seed, a stream for each purpose, so that runs replay. */
import { randomOf } from "../../apps/testing/scheduler.ts"

export interface Chance {
  /** A number in [0, 1). */
  readonly next: () => number
  /** A whole number in [0, limit). */
  readonly below: (limit: number) => number
  readonly has: (probability: number) => boolean
  readonly pick: <A>(among: readonly [A, ...ReadonlyArray<A>]) => A
  /** One of them, or nothing when there are none. */
  readonly some: <A>(among: ReadonlyArray<A>) => A | undefined
}

const purposes = [
  "profile",
  "faults",
  "chain",
  "receivers",
  "clients",
  "signing",
  "trading",
  "outside",
  "chain of arrival",
  "sending",
  "nodes"
] as const

export type Purpose = (typeof purposes)[number]

export const chanceOf = (seed: number, purpose: Purpose): Chance => {
  const next = randomOf(
    Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(purposes.indexOf(purpose) + 1, 0x85ebca6b)
  )
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    has: (probability) => next() < probability,
    pick: (among) => among[below(among.length)] ?? among[0],
    some: (among) => among[below(among.length)]
  }
}
