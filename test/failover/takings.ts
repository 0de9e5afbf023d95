/**
 * Writes that take authority away around a failover, drawn at random. What was said to be on a standby must hold on
 * the one that is promoted; nothing that was written after the cut may say so.
 */
import { createHash } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Replica } from "../money/scene.ts"
import type { Scene } from "./scene.ts"
import { type Kind, kinds } from "./taking-kinds.ts"
import { ready, type Taking } from "./ways.ts"

export interface Drawn {
  /** At least zero and below one. */
  readonly fraction: () => number
  readonly oneOf: <A>(all: ReadonlyArray<A>) => A
  readonly shuffled: <A>(all: ReadonlyArray<A>) => ReadonlyArray<A>
}

/** Numbers that follow from a seed. */
export const drawnFrom = (seed: string): Drawn => {
  let count = 0
  const fraction = () =>
    createHash("sha256").update(`${seed} ${count++}`).digest().readUInt32BE() / 2 ** 32
  const oneOf = <A>(all: ReadonlyArray<A>) => all[Math.floor(fraction() * all.length)] as A
  const shuffled = <A>(all: ReadonlyArray<A>) =>
    all
      .map((each) => ({ each, at: fraction() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ each }) => each)
  return { fraction, oneOf, shuffled }
}

interface Count {
  /** How often it came up in a turn of all kinds. */
  dealt: number
  /** Said to be on a standby, and of those the ones that came back. */
  durable: number
  undone: number
  /** Said to be on one server alone. */
  undurable: number
  /** Written after the cut and said to be on a standby. */
  boasted: number
}

export type Tally = Readonly<Record<Kind, Count>>

const none = (): Count => ({ dealt: 0, durable: 0, undone: 0, undurable: 0, boasted: 0 })

export const empty = (): Tally =>
  Object.fromEntries(kinds.map((kind) => [kind, none()])) as Record<Kind, Count>

/** How many are drawn while the stream is being cut, and how many after it. */
const drawnAround = 4
const drawnAfter = 4

/** How many of each turn of all kinds a round takes while a standby follows. */
const dealtEach = 8

/** All kinds, turn after turn, each turn in an order of its own. */
export const deckOf = ({ shuffled }: Drawn) => {
  let rest: ReadonlyArray<Kind> = []
  return (count: number): ReadonlyArray<Kind> => {
    while (rest.length < count) rest = [...rest, ...shuffled(kinds)]
    const dealt = rest.slice(0, count)
    rest = rest.slice(count)
    return dealt
  }
}
export type Deck = ReturnType<typeof deckOf>

interface OfKind extends Taking {
  readonly kind: Kind
}

interface Drawing {
  /** Whether all kinds are taken after the cut, and not some that are drawn. */
  readonly isAllLate: boolean
  readonly random: Drawn
  readonly deck: Deck
  readonly tally: Tally
}

/** Sets up what a round takes away: what its turn has of all kinds before the cut, and more that is drawn. */
export const prepare = async (
  scene: Scene,
  replica: Replica,
  { deck, isAllLate, random, tally }: Drawing
) => {
  const draw = (count: number) => Array.from({ length: count }, () => random.oneOf(kinds))
  const dealt = deck(dealtEach)
  for (const kind of dealt) tally[kind].dealt += 1
  const [early, around, late] = await Promise.all(
    [dealt, draw(drawnAround), isAllLate ? kinds : draw(drawnAfter)].map((drawn) =>
      Promise.all(drawn.map(async (kind) => ({ kind, ...(await ready(scene, replica, kind)) })))
    )
  )
  const kept: Array<OfKind> = []
  /** Each at a time of its own within so long. */
  const takeAll = (all: ReadonlyArray<OfKind> = [], withinMs: number, isCut: boolean) =>
    Promise.all(
      all.map(async (taking) => {
        await setTimeout(random.fraction() * withinMs)
        const { durable } = await taking.take()
        if (durable === undefined)
          throw new Error(`${taking.kind} does not say what a standby has.`)
        const count = tally[taking.kind]
        if (!durable) count.undurable += 1
        else if (isCut) count.boasted += 1
        if (!durable) return
        count.durable += 1
        kept.push(taking)
      })
    )
  return {
    whileFollowed: () => takeAll(early, 100, false),
    aroundCut: () => takeAll(around, 600, false),
    afterCut: () => takeAll(late, 300, true),
    /** Tries on the promoted server what a standby was said to have taken away. */
    judge: async (promoted: Replica) => {
      for (const taking of kept) {
        if (!(await taking.isGone(promoted))) tally[taking.kind].undone += 1
      }
    }
  }
}

export type Takings = Awaited<ReturnType<typeof prepare>>

const sum = (tally: Tally, field: keyof Count) =>
  kinds.reduce((total, kind) => total + tally[kind][field], 0)

/** Those that came up and never were said to be on a standby: of these a run has proved nothing. */
const unseen = (tally: Tally) =>
  kinds.filter((kind) => tally[kind].dealt > 0 && tally[kind].durable === 0)

/** Rounds in which all kinds come up. */
const roundsOfTurn = Math.ceil(kinds.length / dealtEach)

export const told = (tally: Tally): string => {
  const each = kinds.map((kind) => {
    const { boasted, durable, undone, undurable } = tally[kind]
    const broken = undone + boasted === 0 ? "" : `, ${undone} undone, ${boasted} after the cut`
    return `${kind} ${durable} and ${undurable}${broken}`
  })
  const missing = unseen(tally)
  const lacks = missing.length === 0 ? "" : `; never for sure: ${missing.join(", ")}`
  return `authority taken away for sure and not (${each.join("; ")}), ${sum(tally, "undone")} undone, ${sum(tally, "boasted")} said to be sure after the cut${lacks}`
}

/** A run of fewer rounds than it takes for all kinds to come up has seen those that did. */
export const holds = (tally: Tally, rounds: number): boolean =>
  sum(tally, "undone") + sum(tally, "boasted") === 0 &&
  unseen(tally).length === 0 &&
  (rounds < roundsOfTurn || kinds.every((kind) => tally[kind].dealt > 0))

/** Whether it saw authority of each kind come back that was said to be gone for sure. */
export const sees = (tally: Tally): boolean =>
  kinds.every((kind) => tally[kind].undone > 0 && tally[kind].boasted > 0)
