/** A part of the verification: what it takes to run it, and the figures it comes to. */
import type * as Child from "../kill/child.ts"

export interface Figure {
  /** As the plan of invariants numbers it. */
  readonly invariant: string
  readonly what: string
  readonly seen: string
  /** Whether what must hold did. */
  readonly holds: boolean
}

export interface Run {
  readonly bundle: Child.Bundle
  /** Each thing as seldom as the suite does it, and not as often as figures need. */
  readonly quick: boolean
  /** How often: of a full run's number the share that was asked for, or the few of a quick one. */
  readonly times: (full: number, few: number) => number
  readonly say: (line: string) => void
}

export interface Part {
  readonly name: string
  /** What holds when all of its figures do. */
  readonly promise: string
  readonly run: (run: Run) => Promise<ReadonlyArray<Figure>>
}

/** Of these each third in a quick run, as a test has no time for all; all of them in a verification. */
export const someOf = <A>(all: ReadonlyArray<A>, quick: boolean): ReadonlyArray<A> =>
  quick ? all.filter((_, at) => at % 3 === 0) : all

/** The numbers of a quick run, or a share of those of a full one. */
export const timesOf =
  (quick: boolean, share: number): Run["times"] =>
  (full, few) =>
    quick ? few : Math.max(few, Math.round(full * share))

export const program = "test/money/service.ts"

/** Scenes that run side by side, as each leaves a core idle half of the time. */
export const lanes = 2

/** Deals work over lanes. */
export const dealt = <A>(work: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: lanes }, (_, lane) => work.filter((_, at) => at % lanes === lane))
