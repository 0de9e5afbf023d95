/**
 * A webhook event: written in the transaction of the change it tells of, its bytes fixed from then on. A notice is
 * written and sent in the same way, and is no event: no list of events has it.
 */
import type { DateTime } from "effect"
import { type Facts, version } from "../timeline/identity.ts"
import type { MessageType } from "./endpoint.ts"

/** The version every envelope carries (spec section 9). */
export const apiVersion = "2026-08-19"

export interface Event {
  /** `evt_`, or `ntc_` of a notice, and 24 base62 characters that follow from what it tells; the receiver's key to tell duplicates. */
  readonly id: string
  /** What its envelope says it is. */
  readonly object: "event" | "notice"
  readonly accountId: string
  readonly type: MessageType
  /** The payment request it tells of; null for a test or a notice. */
  readonly pid: string | null
  /** The vault of that request, by which a customer's events are found; null for a test or a notice. */
  readonly vaultId: string | null
  /** Which event of its request this is, from 1 on; null for a test or a notice. */
  readonly version: number | null
  /** The exact JSON text that is signed and sent. */
  readonly body: string
  readonly createdAt: DateTime.Utc
}

/**
 * What an event is known by for ever: what it tells, and of several that tell the same which one it is, from 1 on. When
 * records were lost and the same is told again, it has the id that receivers know.
 */
export const factsOf = (
  { accountId, object, type }: Pick<Event, "accountId" | "object" | "type">,
  about: ReadonlyArray<string>,
  nth: number
): Facts => [version, accountId, object, type, ...about, String(nth)]

const prefixes: Readonly<Record<Event["object"], string>> = { event: "evt", notice: "ntc" }

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const idLength = 24

/** So many digits make a number that is exact. */
const exactDigits = 8
const idPower = 62n ** BigInt(exactDigits)

/** The id of an event by its identity in hex: the last digits of it in base 62. */
export const idOf = (object: Event["object"], identity: string): string => {
  let rest = 0n
  for (let at = 0; at < identity.length; at += exactDigits) {
    const part = identity.slice(at, at + exactDigits)
    rest = rest * 16n ** BigInt(part.length) + BigInt(Number.parseInt(part, 16))
  }
  let text = ""
  while (text.length < idLength) {
    let part = Number(rest % idPower)
    rest /= idPower
    for (let at = 0; at < exactDigits; at++) {
      text = digits.charAt(part % 62) + text
      part = Math.floor(part / 62)
    }
  }
  return `${prefixes[object]}_${text}`
}
