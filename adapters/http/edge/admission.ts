/**
 * Lets requests in: a supervisor's and a key's that was in force lately at once, all others in their client's
 * turn. Nothing is begun for a request before that, so a crowd without keys costs little more than being read.
 */
import type { IncomingMessage } from "node:http"
import { clientOfIncoming } from "../client-address.ts"
import type { Doorkeeper } from "../guards/intake.ts"
import { type Entry, straight } from "./entry.ts"
import * as Strangers from "./strangers.ts"
import type * as Turns from "./turns.ts"

export interface Admission {
  readonly doorkeeper: Doorkeeper
  readonly entryOf: (request: IncomingMessage) => Entry
}

/** Who looks up a key has its place until that is done. */
const maxLookUpMs = 5_000

const bearer = /^bearer +/iu

/** The key a request offers; empty when it offers none. */
export const keyIn = (authorization: string | undefined): string =>
  authorization !== undefined && bearer.test(authorization) ? authorization.replace(bearer, "") : ""

export interface Options {
  readonly turns: Turns.Turns
  readonly proxies: number
  readonly wasInForce: (key: string) => boolean
}

export const make = ({ proxies, turns, wasInForce }: Options): Admission => {
  const entries = new WeakMap<IncomingMessage, Entry>()
  return {
    entryOf: (request) => entries.get(request) ?? straight,
    doorkeeper: (request, answer, begin) => {
      const asked = Strangers.askedBy(request)
      const kind = Strangers.kindOf(asked)
      if (kind === "supervisor") return begin()
      if (kind === "key" && wasInForce(keyIn(request.headers.authorization))) return begin()
      let quit = (): void => undefined
      const left = () => quit()
      const enter = (entry: Entry) => {
        answer.off("close", left)
        entries.set(request, entry)
        begin()
      }
      answer.once("close", left)
      quit = turns.await(
        kind === "key" ? "strangers" : Strangers.lineOf(asked),
        clientOfIncoming(request, proxies),
        {
          begin: (leave) => enter({ isStranger: true, isRefused: false, leave }),
          refuse: () => enter({ isStranger: true, isRefused: true, leave: () => undefined })
        },
        kind === "key" ? maxLookUpMs : undefined
      )
    }
  }
}
