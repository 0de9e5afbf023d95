/**
 * One request on its way through the surfaces, and whether it is a key's. It keeps the place that it was let in
 * with until a key in force was seen, or was not.
 */
import type { IncomingMessage } from "node:http"
import { Context, Effect } from "effect"
import { addressOf, clientOf } from "../client-address.ts"
import type { Overloaded } from "../refusals.ts"
import type { Entry } from "./entry.ts"
import type * as Turns from "./turns.ts"

export interface Facts {
  /** Of the client, as far as our proxies know it. */
  readonly address: () => string
  readonly client: string
  readonly isKeyed: () => boolean
  /**
   * It brought a key that is in force, or was lately: it waits for its key's turn, and strangers make way
   * while it is looked up and answered.
   */
  readonly inTurnOfKey: (key: string) => Effect.Effect<void, Overloaded>
  /** Between two pieces of work that one request brings: others who wait go first. */
  readonly nextTurn: Effect.Effect<void>
  /** The key turned out not to be in force, or the request is answered. */
  readonly end: () => void
  /** Does more work of a stranger's request in its client's turn. */
  readonly inTurn: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
}

export class Visit extends Context.Service<Visit, Facts>()("bursar/http/Visit") {}

export const make = (
  request: IncomingMessage,
  proxies: number,
  turns: Turns.Turns,
  entry: Entry
): Facts => {
  let named: string | undefined
  let keyed = entry.key
  let leave: (() => void) | undefined = entry.leave
  // Most calls bring a key and need no name.
  const client = () => {
    named ??= clientOf(request, proxies)
    return named
  }
  const release = () => {
    leave?.()
    leave = undefined
  }
  const end = () => {
    keyed = undefined
    release()
  }
  const entered = <E>(place: Effect.Effect<() => void, E>) =>
    Effect.map(place, (left) => {
      const madeWay = turns.makeWay()
      leave = () => {
        madeWay()
        left()
      }
    })
  return {
    address: () => addressOf(request, proxies),
    get client() {
      return client()
    },
    isKeyed: () => keyed !== undefined,
    inTurnOfKey: (key) => {
      keyed = key
      release()
      return entered(turns.enter(key))
    },
    nextTurn: Effect.suspend(() => {
      if (keyed === undefined) return Effect.void
      release()
      return entered(turns.enterAgain(keyed))
    }),
    end,
    inTurn: (work) => Effect.suspend(() => turns.take(client())(work))
  }
}
