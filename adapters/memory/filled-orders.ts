/** What the blocks of the scripted chains say of orders that were filled, whatever the venue remembers of them. */
import { Effect } from "effect"
import type { TransactionId } from "../../core/chains/address.ts"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import type * as Venue from "../../core/ports/swap-venue.ts"
import * as Mempool from "./mempool.ts"
import * as ScriptedChain from "./scripted-chain.ts"
import type { Book, Kept } from "./swap-book.ts"

/** A block that was dropped takes its fill with it. */
export const follow = (chain: ScriptedChain.Scripted, kept: Kept): void => {
  const { filled } = kept
  if (filled !== undefined && chain.blocks[filled.blockNumber]?.hash !== filled.blockHash) {
    filled.undo()
    kept.filled = undefined
  }
}

/** Whether a fill was left out of what was read before: its order was known by the records that read it. */
const isLeftOut = (
  chain: ScriptedChain.Scripted,
  { filled, order }: Kept,
  seen: Venue.SeenFills | undefined
): boolean => {
  if (seen === undefined || filled === undefined) return false
  const { hash, number } = seen.through
  const isSame = number <= Mempool.finalizedNumber(chain) && chain.blocks[number]?.hash === hash
  return isSame && filled.blockNumber <= number && !seen.unrecorded.includes(order.orderId)
}

/** Which order of a wallet was filled under an identity, by the blocks that stand. */
export const find = Effect.fnUntraced(function* (
  state: ScriptedChain.State,
  book: Book,
  { chainId, identity, keep, owner, recorded, seen, sell, through }: Venue.Sought
) {
  if (book.lookMs > 0) yield* Effect.sleep(book.lookMs)
  const chain = yield* ScriptedChain.present(state, chainId)
  const finalNumber = Mempool.finalizedNumber(chain)
  const isBehind =
    through !== undefined &&
    (finalNumber < through.number || chain.blocks[through.number]?.hash !== through.hash)
  if (isBehind) {
    const detail = `block ${through.number} is not final there, as it was before`
    return yield* new ChainUnavailable({ chainId, reason: "inconsistent", detail })
  }
  const own = Array.from(book.orders.values()).filter(({ order }) => order.owner === owner)
  for (const kept of own) follow(chain, kept)
  const all = own.filter((kept) => !isLeftOut(chain, kept, seen))
  const known = yield* recorded(
    all.flatMap(({ filled, order }) => (filled === undefined ? [] : [order.orderId]))
  )
  const final = chain.blocks[finalNumber]
  if (keep !== undefined && final !== undefined) {
    const unrecorded = all.flatMap(({ filled, order: { orderId } }) => {
      const isFinal = filled !== undefined && filled.blockNumber <= finalNumber
      return isFinal && !known.some((each) => each.orderId === orderId) ? [orderId] : []
    })
    yield* keep({ from: 0, through: { number: finalNumber, hash: final.hash }, unrecorded })
  }
  let unread: TransactionId | undefined
  for (const { filled, order } of all) {
    if (filled === undefined) continue
    const isRecorded = known.some(({ orderId }) => orderId === order.orderId)
    if (book.isVeiled && !isRecorded) {
      if (order.sell === sell) unread ??= filled.fill.txId
    } else if (order.identity === identity) {
      const isFinal = filled.blockNumber <= finalNumber
      const found: Venue.Found = { _tag: "filled", order, fill: filled.fill, isFinal }
      return found
    }
  }
  const found: Venue.Found =
    unread === undefined ? { _tag: "none" } : { _tag: "undecidable", txId: unread }
  return found
})
