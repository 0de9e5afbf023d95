/**
 * Who waits, a line for each client, each in its turn; a client who has waited for nothing lately goes first.
 * So however many wait with much, one who comes with little waits for nobody's second request.
 */

export interface Waiter {
  readonly begin: () => void
  /** It has waited in vain: somebody who waits with less was given its place in the line. */
  readonly yieldPlace: () => void
}

type Line = Array<Waiter>

export interface FairQueue {
  readonly size: () => number
  readonly sizeOf: (client: string) => number
  readonly join: (client: string, waiter: Waiter) => void
  readonly quit: (client: string, waiter: Waiter) => void
  readonly next: () => Waiter | undefined
  /** Whether somebody who waits with more than this client would gave up a place for it. */
  readonly makeRoomFor: (client: string) => boolean
}

/** Of those who wait for nothing more. */
const maxRemembered = 10_000

export const make = (): FairQueue => {
  const fresh = new Map<string, Line>()
  // A line stays here empty until its turn comes round, so that nobody is fresh again in the same round.
  const known = new Map<string, Line>()
  let all = 0

  const lineOf = (client: string) => fresh.get(client) ?? known.get(client)

  const first = (): readonly [string, Line] | undefined => {
    for (const lines of [fresh, known]) {
      for (const [client, line] of lines) {
        lines.delete(client)
        if (line.length > 0) return [client, line]
      }
    }
    return undefined
  }

  const forgetOne = () => {
    for (const [client, line] of known) {
      if (line.length === 0) known.delete(client)
      return
    }
  }

  const longest = (): Line => {
    let found: Line = []
    for (const lines of [fresh, known]) {
      for (const line of lines.values()) if (line.length > found.length) found = line
    }
    return found
  }

  return {
    size: () => all,
    sizeOf: (client) => lineOf(client)?.length ?? 0,
    join: (client, waiter) => {
      const line = lineOf(client)
      if (line === undefined) fresh.set(client, [waiter])
      else line.push(waiter)
      all += 1
    },
    quit: (client, waiter) => {
      const line = lineOf(client) ?? []
      const place = line.indexOf(waiter)
      if (place < 0) return
      line.splice(place, 1)
      all -= 1
    },
    next: () => {
      const found = first()
      if (found === undefined) return undefined
      const [client, line] = found
      all -= 1
      // Who comes after nobody waited any more is fresh again; so nobody is remembered for ever.
      if (all === 0) known.clear()
      else known.set(client, line)
      if (known.size > maxRemembered) forgetOne()
      return line.shift()
    },
    makeRoomFor: (client) => {
      const line = longest()
      if (line.length <= (lineOf(client)?.length ?? 0) + 1) return false
      const last = line.pop()
      all -= 1
      last?.yieldPlace()
      return true
    }
  }
}
