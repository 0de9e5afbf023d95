/**
 * The places that work holds in a lane, and when each is given on. One timer looks after all of them: most work
 * is over within its turn of the event loop, and none of it pays for a timer of its own.
 */
import { type EventLoopUtilization, performance } from "node:perf_hooks"
import * as Present from "../present.ts"

export interface Place {
  readonly heldMs: number
  readonly beganMs: number
  readonly useBefore: EventLoopUtilization
  lookAtMs: number
  readonly give: () => void
  /** Leaves those who are looked after. */
  leave: () => void
}

export interface Places {
  /** Takes a place; unless it is left before, it is given on once it is old. */
  readonly hold: (heldMs: number, give: () => void) => Place
  readonly leave: (place: Place) => void
}

/** A reading of the event loop's use serves all who come within so long. */
const readingMs = 5

/** Timers go by whole milliseconds. */
const roundingMs = 1

/** Where the event loop has no rest, work is old because it waits for us, and has longer. */
export const make = (maxHeldBusyMs: number): Places => {
  const held = Present.make<Place>()
  let timer: NodeJS.Timeout | undefined
  let wakesAtMs = Number.POSITIVE_INFINITY
  let use = performance.eventLoopUtilization()
  let readAtMs = Number.NEGATIVE_INFINITY

  const useAt = (nowMs: number) => {
    if (nowMs - readAtMs < readingMs) return use
    readAtMs = nowMs
    use = performance.eventLoopUtilization()
    return use
  }

  const wake = (nowMs: number, atMs: number) => {
    if (atMs >= wakesAtMs) return
    clearTimeout(timer)
    wakesAtMs = atMs
    timer = setTimeout(look, Math.max(1, atMs - nowMs)).unref()
  }

  const isOld = ({ beganMs, useBefore }: Place, nowMs: number) =>
    nowMs - beganMs >= maxHeldBusyMs ||
    performance.eventLoopUtilization(useBefore).utilization <= 0.5

  const look = () => {
    const nowMs = performance.now()
    wakesAtMs = Number.POSITIVE_INFINITY
    for (const place of held) {
      const isDue = nowMs + roundingMs >= place.lookAtMs
      if (isDue && isOld(place, nowMs)) {
        place.leave()
        place.give()
        continue
      }
      if (isDue) place.lookAtMs = nowMs + place.heldMs
      wake(nowMs, place.lookAtMs)
    }
  }

  return {
    hold: (heldMs, give) => {
      const beganMs = performance.now()
      const lookAtMs = beganMs + heldMs
      const useBefore = useAt(beganMs)
      const place: Place = { heldMs, beganMs, useBefore, lookAtMs, give, leave: () => undefined }
      place.leave = held.enter(place)
      wake(beganMs, lookAtMs)
      return place
    },
    leave: (place) => place.leave()
  }
}
