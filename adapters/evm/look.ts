/**
 * One look from a place on an EVM chain. Blocks and transfers are taken from one batch, and only when
 * every parent hash links back to the place and every log stands in one of these blocks; a node's
 * backends may disagree, so anything else is asked again.
 */
import { Effect } from "effect"
import {
  type Block,
  type ChainPosition,
  type ChainUnavailable,
  type ChainUpdate,
  ReorganisedTooDeep,
  type TransferLog
} from "../../core/ports/chains.ts"
import { ask, decode, type Header } from "./block.ts"
import * as Log from "./log.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"

const repeatsWhenInconsistent = 3
/** Blocks the span grows by after a look that used all of it. */
const spanStep = 10

const inconsistent = (node: Node.Node, detail: string) =>
  Node.unavailable(node, "inconsistent", detail)

/** Where the node stands, and whether the place's tip still stands there. */
const survey = Effect.fnUntraced(function* (node: Node.Node, tip: Block) {
  const calls = [ask("latest"), ask(tip.number)]
  if (node.connection.useFinalizedTag === true) calls.push(ask("finalized"))
  const [latest, atTip, finalized] = (yield* node.ask(calls)).map(decode)
  if (latest === undefined) return yield* inconsistent(node, "the node knows no latest block")
  const head = latest.block
  if (head.number >= tip.number && atTip === undefined) {
    return yield* inconsistent(node, `block ${tip.number} is missing below the head`)
  }
  const finalNumber = Math.max(
    0,
    head.number - node.connection.confirmations + 1,
    finalized?.block.number ?? 0
  )
  return { head, finalNumber, tipStands: atTip?.block.hash === tip.hash }
})

const mayRestart = ({ connection }: Node.Node): boolean =>
  connection.mayRestart ?? connection.chain.id === "local"

/** Whether the node merely has not come as far as the place: its head is one of the place's blocks. */
const lagsBehind = (node: Node.Node, from: ChainPosition, head: Block, tip: Block): boolean =>
  head.number < tip.number &&
  !mayRestart(node) &&
  from.blocks.some((block) => block.hash === head.hash)

/** The highest block of the place that still stands. */
const commonBlock = Effect.fnUntraced(function* (
  node: Node.Node,
  from: ChainPosition,
  head: Block
) {
  const reachable = from.blocks.filter((block) => block.number <= head.number)
  const standing = yield* Node.headers(
    node,
    reachable.map((block) => block.number)
  )
  if (standing.includes(undefined)) {
    return yield* inconsistent(node, `blocks are missing below the head ${head.number}`)
  }
  const common = reachable.findLast((block, at) => standing[at]?.block.hash === block.hash)
  if (common !== undefined) return common
  const oldestKnown = from.blocks[0]?.number ?? 0
  if (reachable.length === 0 && !mayRestart(node)) {
    return yield* inconsistent(node, `the head ${head.number} is below all known blocks`)
  }
  return yield* new ReorganisedTooDeep({ chainId: node.connection.chain.id, oldestKnown })
})

/** The headers, when they link from the common block upwards without a gap. */
const linked = (
  common: Block,
  headers: ReadonlyArray<Header | undefined>
): ReadonlyArray<Header> | undefined => {
  let parent = common
  const chain: Array<Header> = []
  for (const header of headers) {
    if (header?.parentHash !== parent.hash || header.block.number !== parent.number + 1) {
      return undefined
    }
    chain.push(header)
    parent = header.block
  }
  return chain
}

/**
 * The logs of blocks that seem to hold transfers though none came. A backend that lags leaves out its
 * newest blocks without a word; asked by block hash it answers fully or refuses.
 */
const logsLeftOut = Effect.fnUntraced(function* (
  node: Node.Node,
  headers: ReadonlyArray<Header>,
  logs: ReadonlyArray<unknown>
) {
  const seen = new Set(logs.map(Log.blockHashOf))
  const suspects = headers.filter(
    (header) => !seen.has(header.block.hash) && node.mayHoldTransfer(header.logsBloom)
  )
  if (suspects.length === 0) return []
  const { usdc } = node.connection
  const answers = yield* node.ask(suspects.map(({ block }) => Log.askWithin(usdc, block.hash)))
  if (!answers.every(Array.isArray)) return yield* inconsistent(node, "logs of a block are missing")
  return answers.flat() as ReadonlyArray<unknown>
})

const inChainOrder = (one: TransferLog, other: TransferLog): number =>
  one.block.number - other.block.number || one.logIndex - other.logIndex

/** Takes the blocks after the common one up to `last`, with their transfers. */
const take = Effect.fnUntraced(function* (node: Node.Node, common: Block, last: number) {
  const { usdc } = node.connection
  const first = common.number + 1
  const numbers = Array.from({ length: last - common.number }, (_, at) => first + at)
  const [logs, ...answers] = yield* node.ask([
    Log.askBetween(usdc, first, last),
    ...numbers.map(ask)
  ])
  const headers = linked(common, answers.map(decode))
  if (headers === undefined) {
    return yield* inconsistent(node, `blocks ${first} to ${last} do not link to the place`)
  }
  if (!Array.isArray(logs)) return yield* inconsistent(node, "logs are missing")
  const blocks = headers.map((header) => header.block)
  const blockByHash = new Map<unknown, Block>(blocks.map((block) => [block.hash, block]))
  const transfers: Array<TransferLog> = []
  const all = [...logs, ...(yield* logsLeftOut(node, headers, logs))]
  const authorizations = Log.authorizations(all, usdc)
  for (const log of all) {
    const block = blockByHash.get(Log.blockHashOf(log))
    if (block === undefined) return yield* inconsistent(node, "a log stands in another block")
    const transferred = Log.decode(log, usdc, block)
    if (transferred !== undefined) transfers.push(Log.authorized(transferred, authorizations))
  }
  return { blocks, transfers: transfers.sort(inChainOrder) }
})

type Taken = Effect.Success<ReturnType<typeof take>>

/** Takes as many blocks as the node gives at once: fewer after it found them too many. */
const takeSpan = (
  node: Node.Node,
  common: Block,
  head: number
): Effect.Effect<Taken, RpcFailed | ChainUnavailable> =>
  Effect.suspend(() => {
    const blocks = Math.min(node.span, head - common.number)
    return take(node, common, common.number + blocks).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          if (blocks < node.span) return
          node.span = Math.min(Node.maxBlocksOf(node.connection), node.span + spanStep)
        })
      ),
      Effect.catchTag("RpcFailed", (failed) => {
        if (failed.reason !== "oversized" || blocks === 1) return Effect.fail(failed)
        node.span = Math.floor(blocks / 2)
        return takeSpan(node, common, head)
      })
    )
  })

const once = Effect.fnUntraced(function* (node: Node.Node, from: ChainPosition) {
  const tip = from.blocks.at(-1)
  if (tip === undefined) return yield* Effect.die(new Error("A place has at least one block."))
  const { head, finalNumber, tipStands } = yield* survey(node, tip)
  const nothing = { commonNumber: tip.number, blocks: [], transfers: [], finalNumber }
  if (!tipStands && lagsBehind(node, from, head, tip)) {
    return { ...nothing, head: tip.number, atHead: true } satisfies ChainUpdate
  }
  const common = tipStands ? tip : yield* commonBlock(node, from, head)
  if (common.number === head.number) {
    return { ...nothing, head: head.number, commonNumber: common.number, atHead: true }
  }
  const taken = yield* takeSpan(node, common, head.number)
  const top = taken.blocks.at(-1)?.number ?? common.number
  return {
    head: head.number,
    commonNumber: common.number,
    ...taken,
    finalNumber,
    atHead: top === head.number
  } satisfies ChainUpdate
})

export const look = (
  node: Node.Node,
  from: ChainPosition
): Effect.Effect<ChainUpdate, ChainUnavailable | ReorganisedTooDeep> =>
  once(node, from).pipe(
    Effect.catchTag("RpcFailed", (failed) => Effect.fail(Node.translate(node, failed))),
    Effect.retry({
      times: repeatsWhenInconsistent,
      while: (failed) => failed._tag === "ChainUnavailable" && failed.reason === "inconsistent"
    })
  )
