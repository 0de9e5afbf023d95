/**
 * An endpoint in the hands of this process: what of it waits here to be sent and what is under way. Its places
 * are counted here and nowhere else, as nobody else sends to it while its lease lasts.
 */
import type { HeldEndpoint, LeasedDelivery } from "./delivery-store.ts"
import type { Held } from "./dispatch.ts"
import { maxWhileFailing, type Standing } from "./health.ts"

/** How many deliveries of one endpoint may be under way at once, over all replicas. */
export const maxPerEndpoint = 4

/** The most deliveries of one endpoint that wait here for a place. */
export const maxAhead = 64

/** An endpoint that always has more is given back after this, so that processes that came later get their part. */
const maxHoldMs = 10_000

export interface Hold extends Held {
  readonly endpointId: string
  readonly lease: string
  readonly sinceMs: number
  readonly ready: Array<LeasedDelivery>
  /** The ids of what is on its way to the receiver. */
  readonly sending: Set<string>
  /** The ids of what was answered, and is being written down. */
  readonly recording: Set<string>
  /** Whose result could not be written: they are due again when the lease has ended by itself. */
  readonly stuck: Set<string>
  /** How many were answered since more was asked for. */
  answered: number
  /** How many more were last asked for. */
  wanted: number
  /** When it was last handed something, or asked for more. */
  askedMs: number
  /** Whether more may be due than is here. */
  hasMore: boolean
  isAsking: boolean
  /** It was asked for with nothing of it here: if nothing is found, that has given it back. */
  isIdle: boolean
  /** It is given back, with its last result or because nothing more was found. */
  isEnding: boolean
}

const placesOf = ({ isFailing }: Standing) => (isFailing ? maxWhileFailing : maxPerEndpoint)

/** A hold of what was handed out with it, all of one endpoint. */
export const make = (rows: ReadonlyArray<LeasedDelivery>, sinceMs: number): Hold => {
  const [first] = rows
  if (first === undefined) throw new Error("An endpoint is taken with a delivery of it")
  const { delivery, isAiling, isFailing, lease } = first
  const wanted = placesOf({ isAiling, isFailing })
  return {
    endpointId: delivery.endpointId,
    lease,
    sinceMs,
    isAiling,
    isFailing,
    secrets: new Map(),
    ready: [...rows],
    sending: new Set(),
    recording: new Set(),
    stuck: new Set(),
    answered: 0,
    wanted,
    askedMs: sinceMs,
    hasMore: rows.length >= wanted,
    isAsking: false,
    isIdle: false,
    isEnding: false
  }
}

/** A place is free as soon as the receiver has answered; what is not written down yet is bounded too. */
export const hasPlace = (hold: Hold): boolean =>
  hold.sending.size < placesOf(hold) && hold.recording.size < maxAhead

const isOver = ({ sinceMs }: Hold, nowMs: number) => nowMs - sinceMs >= maxHoldMs

/** Whether more of it may be asked for: it answers, or has a place, and less than half of a batch waits here. */
export const mayAsk = (hold: Hold, nowMs: number): boolean => {
  const { answered, hasMore, isAsking, isEnding, ready, sending, stuck, wanted } = hold
  const places = placesOf(hold)
  return (
    hasMore &&
    !isAsking &&
    !isEnding &&
    stuck.size === 0 &&
    !isOver(hold, nowMs) &&
    ready.length < Math.max(places, wanted >> 1) &&
    (answered > 0 || ready.length + sending.size < places)
  )
}

/** Whether it must be asked for now, as its places are soon empty; others are asked for along with it. */
export const mustAsk = (hold: Hold, nowMs: number): boolean =>
  hold.ready.length < Math.max(placesOf(hold), hold.wanted >> 2) && mayAsk(hold, nowMs)

/** Everything of it that is here. */
export const inHand = (hold: Hold): HeldEndpoint => {
  const { endpointId, lease, ready, recording, sending, stuck } = hold
  const waiting = ready.map(({ delivery }) => delivery.id)
  return {
    id: endpointId,
    lease,
    inHand: [...waiting, ...sending, ...recording, ...stuck],
    wanted: 0
  }
}

/** Several times as many as were answered meanwhile: one that answers at once is asked for by the batch. */
const nextWanted = (hold: Hold): number =>
  Math.max(placesOf(hold), Math.min(maxAhead, 4 * hold.answered))

/** Of those that may be asked for, as many as want `most` together; the others come first the next time. */
export const together = <H extends { readonly hold: Hold }>(
  all: ReadonlyArray<H>,
  nowMs: number,
  most: number
): ReadonlyArray<H> => {
  let left = most
  return all
    .filter(({ hold }) => mayAsk(hold, nowMs))
    .sort((one, other) => one.hold.askedMs - other.hold.askedMs)
    .filter(({ hold }) => {
      left -= nextWanted(hold)
      return left >= 0
    })
}

/** What it is asked for with: everything that is here of it, and how many more it wants. */
export const asking = (hold: Hold, nowMs: number): HeldEndpoint => {
  hold.isAsking = true
  hold.hasMore = false
  hold.askedMs = nowMs
  hold.wanted = nextWanted(hold)
  hold.answered = 0
  const held = inHand(hold)
  hold.isIdle = held.inHand.length === 0
  return { ...held, wanted: hold.wanted }
}

/** Takes what was found. */
export const handed = (hold: Hold, rows: ReadonlyArray<LeasedDelivery>): void => {
  hold.ready.push(...rows)
  if (rows.length >= hold.wanted) hold.hasMore = true
  if (hold.isIdle && rows.length === 0) hold.isEnding = true
}

/** Whether nothing is left to do but to write down so many. */
export const isDone = (hold: Hold, recording: number, nowMs: number): boolean => {
  const { hasMore, isAsking, isEnding, ready, sending, stuck } = hold
  const nothingMore = isEnding || !hasMore || stuck.size > 0 || isOver(hold, nowMs)
  const nothingHere = ready.length === 0 && sending.size === 0
  return nothingHere && hold.recording.size === recording && !isAsking && nothingMore
}
