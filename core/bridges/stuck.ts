/** Whether something is stuck on the way between two chains: then nothing else is sent that way by the same bridge. */
import { Effect, Schema } from "effect"
import { Proposals } from "../proposals/proposal-store.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { type Terms, terms } from "./terms.ts"

const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Schema.Struct(terms)))

/** Of those that are under way, as many as are looked at. */
const mostLookedAt = 100

const isSameWay = (one: Terms, other: Terms) =>
  one.protocol === other.protocol &&
  one.sell.chainId === other.sell.chainId &&
  one.buy.chainId === other.buy.chainId

export const isBlocked = Effect.fnUntraced(function* (accountId: string, approved: Terms) {
  const filter = { kind: "bridge", status: "executing" } as const
  const { rows } = yield* (yield* Proposals).list(accountId, filter, { limit: mostLookedAt })
  const same = rows.filter((proposal) => isSameWay(decode(proposal.terms), approved))
  if (same.length === 0) return false
  const waits = yield* (yield* WaitStore).ofProposals(same.map(({ id }) => id))
  return waits.some(({ ended, isStuck }) => isStuck && ended === null)
})
