/**
 * What of an account is under way between two chains: while something is stuck there, nothing else is sent that way by
 * the same bridge, and a wallet has one order there at a time.
 */
import { Effect, Schema } from "effect"
import type { Protocol } from "../ports/bridge.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { type Terms, terms } from "./terms.ts"

const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Schema.Struct(terms)))

/** Of those that are under way, as many as are looked at. */
const maxLookedAt = 100

/** The account's bridges that are under way, newest first. */
export const underWay = Effect.fnUntraced(function* (accountId: string) {
  const filter = { kind: "bridge", status: "executing" } as const
  const { rows } = yield* (yield* Proposals).list(accountId, filter, { limit: maxLookedAt })
  return rows.map(({ id, terms: stored }) => ({ proposalId: id, approved: decode(stored) }))
})

export const blocked =
  "An earlier bridge between these chains is stuck; nothing else is sent that way until it has arrived."

/** The bridges by which something of the account is stuck between two chains. */
export const stuckProtocols = Effect.fnUntraced(function* (
  accountId: string,
  fromChainId: string,
  toChainId: string
) {
  const same = (yield* underWay(accountId)).filter(
    ({ approved: { buy, sell } }) => sell.chainId === fromChainId && buy.chainId === toChainId
  )
  if (same.length === 0) return []
  const waits = yield* (yield* WaitStore).ofProposals(same.map(({ proposalId }) => proposalId))
  const isStuck = ({ proposalId }: { readonly proposalId: string }) =>
    waits.some((wait) => wait.proposalId === proposalId && wait.isStuck && wait.ended === null)
  const stuck: ReadonlyArray<Protocol> = same
    .filter(isStuck)
    .map(({ approved }) => approved.protocol)
  return stuck
})

export const isBlocked = Effect.fnUntraced(function* (accountId: string, approved: Terms) {
  const { buy, protocol, sell } = approved
  return (yield* stuckProtocols(accountId, sell.chainId, buy.chainId)).includes(protocol)
})

/** Another order of the wallet that is alive between the same two chains. */
export const liveOrder = Effect.fnUntraced(function* (
  accountId: string,
  { buy, fromWalletId, protocol, sell }: Terms,
  proposalId?: string
) {
  if (protocol !== "dln") return undefined
  const found = (yield* underWay(accountId)).find(
    ({ approved, proposalId: other }) =>
      other !== proposalId &&
      approved.protocol === protocol &&
      approved.fromWalletId === fromWalletId &&
      approved.sell.chainId === sell.chainId &&
      approved.buy.chainId === buy.chainId
  )
  return found?.proposalId
})
