/**
 * Logs sought over many blocks: from the last block before a time, a range at a time, and half of a range for a node
 * that finds it too much. What is not found was looked for by a node that has the blocks.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import * as Block from "./block.ts"
import * as Node from "./node.ts"
import type { Call, RpcFailed } from "./rpc.ts"

/** What is sought is rare: many more blocks may be asked for than in a look. */
export const spanOf = (node: Node.Node): number => 10 * Node.maxBlocksOf(node.connection)
const probesAtOnce = 8

/** A block at which a time was not yet reached, at most one span before the one that reached it. */
export const lastBefore = Effect.fnUntraced(function* (
  node: Node.Node,
  head: number,
  seconds: number
) {
  let low = 0
  let high = head
  while (high - low > spanOf(node)) {
    const step = Math.ceil((high - low) / (probesAtOnce + 1))
    const numbers = Array.from({ length: probesAtOnce }, (_, at) => low + step * (at + 1)).filter(
      (number) => number < high
    )
    const headers = yield* Node.headers(node, numbers)
    // What a node has pruned is older than what it has.
    const early = headers.filter(
      (header) => header === undefined || header.block.timestamp.epochMilliseconds / 1000 < seconds
    ).length
    high = numbers[early] ?? high
    low = numbers[early - 1] ?? low
  }
  return low
})

type Ask = (first: number, last: number) => Call
type Told = Effect.Effect<ReadonlyArray<unknown>, RpcFailed | ChainUnavailable>

/** Logs as a node lists them; one that lists nothing at all has not looked, and did not find that there are none. */
export const listed = (
  node: Node.Node,
  logs: unknown
): Effect.Effect<ReadonlyArray<unknown>, ChainUnavailable> =>
  Array.isArray(logs)
    ? Effect.succeed(logs)
    : Effect.fail(Node.unavailable(node, "inconsistent", "what it tells of logs is no list"))

/**
 * The logs of a range, by whoever has its last block: one of several nodes behind an address may lag, and has no logs of
 * blocks that it has not.
 */
export const certain =
  (node: Node.Node, ask: Ask) =>
  (first: number, last: number): Told =>
    // The block is asked for first: it may come while a node goes through what it was asked.
    Effect.flatMap(node.ask([Block.ask(last), ask(first, last)]), ([block, logs]) =>
      Block.decode(block) === undefined
        ? Node.unavailable(node, "inconsistent", `who tells the logs does not have block ${last}`)
        : listed(node, logs)
    )

/** The logs of a range that may be larger than the node allows. */
const between = (read: (first: number, last: number) => Told, first: number, last: number): Told =>
  read(first, last).pipe(
    Effect.catchTag("RpcFailed", (failed) => {
      if (failed.reason !== "oversized" || first === last) return Effect.fail(failed)
      const middle = Math.floor((first + last) / 2)
      return Effect.zipWith(
        between(read, first, middle),
        between(read, middle + 1, last),
        (lower, upper) => [...lower, ...upper]
      )
    })
  )

/** The first of the logs, oldest first, that the reader makes something of, by nodes that have the blocks. */
export const first = Effect.fnUntraced(function* <A, E>(
  node: Node.Node,
  ask: Ask,
  range: { readonly first: number; readonly last: number },
  read: (log: unknown) => Effect.Effect<A | undefined, E>
) {
  let from = range.first
  while (from <= range.last) {
    const last = Math.min(range.last, from + spanOf(node) - 1)
    for (const log of yield* between(certain(node, ask), from, last)) {
      const found = yield* read(log)
      if (found !== undefined) return found
    }
    from = last + 1
  }
  return undefined
})

/** All of them, oldest first, by nodes that have the blocks. */
export const all = Effect.fnUntraced(function* (
  node: Node.Node,
  ask: Ask,
  range: { readonly first: number; readonly last: number }
) {
  const logs: Array<unknown> = []
  for (let from = range.first; from <= range.last; from += spanOf(node)) {
    const last = Math.min(range.last, from + spanOf(node) - 1)
    logs.push(...(yield* between(certain(node, ask), from, last)))
  }
  return logs
})

const monthSeconds = 30 * 24 * 3_600

const monthBefore = Effect.fnUntraced(function* (node: Node.Node, head: number) {
  const [header] = yield* Node.headers(node, [head])
  const newest = header?.block.timestamp.epochMilliseconds ?? 0
  return yield* lastBefore(node, head, newest / 1000 - monthSeconds)
})

/**
 * By one question about all blocks; undefined for a node that refuses that, for the number of blocks or because it has
 * thrown old ones away, or that finds no end of it. Whoever is away altogether is told by the next question.
 */
const whole = (node: Node.Node, ask: Ask, head: number) =>
  certain(node, ask)(0, head).pipe(
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "throttled" ? Effect.fail(failed) : Effect.undefined
    )
  )

/** Blocks that were read before. */
export interface Before {
  readonly from: number
  readonly through: number
}

/**
 * All that are above the blocks that were read before, oldest first, and from where on all are known then. A node is
 * asked for all blocks while the first ones are missing; where it refuses that, it is asked for the rest, or for the last
 * month where nothing was read before, a range at a time.
 */
export const above = Effect.fnUntraced(function* (
  node: Node.Node,
  ask: Ask,
  head: number,
  before: Before | undefined
) {
  if (before?.from === 0) {
    return {
      logs: yield* all(node, ask, { first: before.through + 1, last: head }),
      from: 0,
      before
    }
  }
  const logs = yield* whole(node, ask, head)
  if (logs !== undefined) return { logs, from: 0, before: undefined }
  const from = before === undefined ? yield* monthBefore(node, head) : before.from
  const first = before === undefined ? from : before.through + 1
  return { logs: yield* all(node, ask, { first, last: head }), from, before }
})

/**
 * The first that the reader makes something of, by one question about all blocks; of the last month, a range at a
 * time, for a node that refuses that.
 */
export const anywhere = Effect.fnUntraced(function* <A, E>(
  node: Node.Node,
  ask: Ask,
  head: number,
  read: (log: unknown) => Effect.Effect<A | undefined, E>
) {
  const logs = yield* whole(node, ask, head)
  if (logs === undefined) {
    return yield* first(node, ask, { first: yield* monthBefore(node, head), last: head }, read)
  }
  for (const log of logs) {
    const found = yield* read(log)
    if (found !== undefined) return found
  }
  return undefined
})
