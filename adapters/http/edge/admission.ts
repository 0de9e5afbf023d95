/**
 * Lets requests in: a supervisor's at once, a key's that was in force lately in that key's turn, all others in
 * their client's. Nothing is begun before that, so a crowd without keys costs little more than being read.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { clientOf } from "../client-address.ts"
import type { Doorkeeper } from "../guards/intake.ts"
import { type Entry, straight } from "./entry.ts"
import type * as Lane from "./lane.ts"
import * as Strangers from "./strangers.ts"
import type * as Turns from "./turns.ts"

export interface Admission {
  readonly doorkeeper: Doorkeeper
  readonly entryOf: (request: IncomingMessage) => Entry
}

/** Kept on the request itself: a map of requests that is weak costs more than all else that the door does. */
const entered = Symbol("entered")

type Entering = IncomingMessage & { [entered]?: Entry }

/** Who looks up a key has its place until that is done. */
const maxLookUpMs = 5_000

const bearer = /^bearer +/iu

/** The key a request offers; empty when it offers none. */
export const keyIn = (authorization = ""): string => {
  // As almost everybody writes it.
  if (authorization.startsWith("Bearer s")) return authorization.slice("Bearer ".length)
  return authorization.slice(bearer.exec(authorization)?.[0].length ?? authorization.length)
}

export interface Options {
  readonly turns: Turns.Turns
  readonly proxies: number
  readonly wasInForce: (key: string) => boolean
}

export const make = ({ proxies, turns, wasInForce }: Options): Admission => {
  /** Begins once there is a place, unless the client leaves before that. */
  const once = (
    request: IncomingMessage,
    answer: ServerResponse,
    begin: () => void,
    place: (arrival: Lane.Arrival) => () => void,
    { asked, isStranger, key }: Omit<Entry, "leave" | "refusal">
  ) => {
    let hasBegun = false
    const enter = (leave: () => void, refusal: Entry["refusal"]) => {
      hasBegun = true
      ;(request as Entering)[entered] = { asked, key, isStranger, refusal, leave }
      begin()
    }
    const quit = place({
      begin: (leave) => enter(leave, undefined),
      refuse: (refusal) => enter(() => undefined, refusal)
    })
    if (!hasBegun) answer.once("close", quit)
  }

  return {
    entryOf: (request: Entering) => request[entered] ?? straight(Strangers.askedBy(request)),
    doorkeeper: (request, answer, begin) => {
      const asked = Strangers.askedBy(request)
      const kind = Strangers.kindOf(asked)
      if (kind === "supervisor") return begin()
      const key = kind === "key" ? keyIn(asked.headers.authorization) : ""
      if (wasInForce(key)) {
        const place = (arrival: Lane.Arrival) => turns.awaitKey(key, arrival)
        return once(request, answer, begin, place, { asked, key, isStranger: false })
      }
      const client = clientOf(request, proxies)
      const [line, heldMs] =
        kind === "key" ? (["strangers", maxLookUpMs] as const) : [Strangers.lineOf(asked)]
      const place = (arrival: Lane.Arrival) => turns.await(line, client, arrival, heldMs)
      once(request, answer, begin, place, { asked, key: undefined, isStranger: true })
    }
  }
}
