/**
 * Who tried to take an order back and was refused, as far as blocks show it: failed transactions to the contract itself
 * that name the order. What another contract tried, and what was only simulated, no block lists.
 */
import { Clock, Effect, Predicate } from "effect"
import type { Hex } from "viem"
import type { TransactionId } from "../../../core/chains/address.ts"
import * as Dln from "../../../core/chains/dln.ts"
import type { Journey, Strangers } from "../../../core/ports/bridge.ts"
import { hex } from "../block.ts"
import { keyOf, transactionOf } from "../contract.ts"
import type * as Node from "../node.ts"
import { survey } from "../survey.ts"
import { namesOrderOf } from "./order.ts"

/** Blocks with all their transactions are large; older ones are passed over. */
const maxBlocks = 25
/** A slow node is asked for no further block after so long; the next look goes on from there. */
const patienceMs = 3_000

interface Said {
  readonly hash: string
  readonly from: string
  readonly to: string
  readonly input: string
}

const isSaid = (value: unknown): value is Said =>
  Predicate.isObject(value) &&
  ["hash", "from", "to", "input"].every((name) => Predicate.isString(Reflect.get(value, name)))

const transactionsIn = (block: unknown): ReadonlyArray<Said> =>
  Predicate.hasProperty(block, "transactions") && Array.isArray(block.transactions)
    ? block.transactions.filter(isSaid)
    : []

const destination = keyOf(Dln.destination)

export const strangersAt = Effect.fnUntraced(function* (
  node: Node.Node,
  journey: Journey,
  since: number | null
) {
  const { head } = yield* survey(node, [])
  const first = Math.max((since ?? 0) + 1, head - maxBlocks + 1)
  const isTry = ({ from, input, to }: Said) =>
    keyOf(to) === destination &&
    keyOf(from) !== journey.receiver &&
    namesOrderOf(journey, input as Hex)
  const tried: Array<TransactionId> = []
  let through = since ?? 0
  const endsMs = (yield* Clock.currentTimeMillis) + patienceMs
  for (let number = first; number <= head; number++) {
    // One by one: only one such block is held at a time.
    const params = [hex(number), true]
    const [block] = yield* node.askApart([{ method: "eth_getBlockByNumber", params }])
    tried.push(
      ...transactionsIn(block)
        .filter(isTry)
        .map(({ hash }) => transactionOf(hash))
    )
    through = number
    if ((yield* Clock.currentTimeMillis) > endsMs) break
  }
  const { receipts } = tried.length === 0 ? { receipts: [] } : yield* survey(node, tried)
  const txIds = receipts.flatMap(({ isSuccess, txHash }) => (isSuccess ? [] : [txHash]))
  return { txIds, through } satisfies Strangers as Strangers
})
