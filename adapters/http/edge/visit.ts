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
  /** The key in whose turn it is. */
  readonly key: string | undefined
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

class Visiting implements Facts {
  readonly #request: IncomingMessage
  readonly #proxies: number
  readonly #turns: Turns.Turns
  #named: string | undefined
  #keyed: string | undefined
  #leave: (() => void) | undefined

  constructor(request: IncomingMessage, proxies: number, turns: Turns.Turns, entry: Entry) {
    this.#request = request
    this.#proxies = proxies
    this.#turns = turns
    this.#keyed = entry.key
    this.#leave = entry.leave
  }

  address() {
    return addressOf(this.#request, this.#proxies)
  }

  // Most calls bring a key and need no name.
  get client() {
    this.#named ??= clientOf(this.#request, this.#proxies)
    return this.#named
  }

  isKeyed() {
    return this.#keyed !== undefined
  }

  get key() {
    return this.#keyed
  }

  inTurnOfKey(key: string) {
    this.#keyed = key
    this.#release()
    return this.#entered(this.#turns.enter(key))
  }

  get nextTurn() {
    return Effect.suspend(() => {
      if (this.#keyed === undefined) return Effect.void
      this.#release()
      return this.#entered(this.#turns.enterAgain(this.#keyed))
    })
  }

  end() {
    this.#keyed = undefined
    this.#release()
  }

  inTurn<A, E, R>(work: Effect.Effect<A, E, R>) {
    return Effect.suspend(() => this.#turns.take(this.client)(work))
  }

  #release() {
    this.#leave?.()
    this.#leave = undefined
  }

  #entered<E>(place: Effect.Effect<() => void, E>) {
    return Effect.map(place, (left) => {
      const madeWay = this.#turns.makeWay()
      this.#leave = () => {
        madeWay()
        left()
      }
    })
  }
}

export const make = (
  request: IncomingMessage,
  proxies: number,
  turns: Turns.Turns,
  entry: Entry
): Facts => new Visiting(request, proxies, turns, entry)
