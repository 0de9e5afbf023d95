/**
 * An event as logs tell of it: only its own contract tells of it, under its own topic, and in a block that stands. A
 * log of anything else tells nothing.
 */
import type { AbiEvent, DecodeEventLogReturnType, Hex } from "viem"
import { decodeEventLog, toEventSelector } from "viem/utils"
import { address, keyOf } from "./contract.ts"

type ArgsOf<Event extends AbiEvent> = DecodeEventLogReturnType<readonly [Event]>["args"]

export interface Told<Event extends AbiEvent> {
  /** The first topic of its logs; logs of other events have another. */
  readonly topic: Hex
  /** What a log says when it is this event of this contract; undefined for any other log. */
  readonly in: (log: unknown, contract: string) => ArgsOf<Event> | undefined
}

export const of = <const Event extends AbiEvent>(event: Event): Told<Event> => {
  // A hash: no start needs to make those of all events.
  let selector: Hex | undefined
  const topicOf = () => (selector ??= toEventSelector(event))
  return {
    get topic() {
      return topicOf()
    },
    in: (log, contract) => {
      const { address: at, data, removed, topics } = log as Record<string, unknown>
      if (removed === true || keyOf(String(at)) !== keyOf(contract)) return undefined
      if (!Array.isArray(topics) || topics[0] !== topicOf()) return undefined
      try {
        const { args } = decodeEventLog({
          abi: [event as AbiEvent],
          data: address(String(data)),
          topics: topics as [Hex, ...Array<Hex>]
        })
        return args as ArgsOf<Event>
      } catch {
        return undefined
      }
    }
  }
}
