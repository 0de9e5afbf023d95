/**
 * Port TokenHistory over the JSON-RPC nodes of EVM chains: balances by calls at a past block, and transfers by the
 * tokens' own logs, a range of blocks at a time. What a node does not keep is told, and never guessed.
 */
import { type DateTime, Effect, Layer, Stream } from "effect"
import { type AddressKey, keyOf } from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import {
  type Asked,
  beforeAll,
  HistoryMissing,
  NotFinal,
  type Passage,
  type PastFailure,
  TokenHistory,
  type TokenMovement
} from "../../core/ports/token-history.ts"
import * as Block from "./block.ts"
import * as Described from "./described.ts"
import * as Log from "./log.ts"
import * as Multicall from "./multicall.ts"
import * as Node from "./node.ts"
import * as Receipt from "./receipt.ts"
import type { Call, RpcFailed } from "./rpc.ts"
import { listed, spanOf } from "./sought-logs.ts"
import { finalizedBlock, survey } from "./survey.ts"

type Failed = RpcFailed | ChainUnavailable | HistoryMissing | NotFinal

const maxOwnersPerQuestion = 500
const maxHeadersPerBatch = 100
const maxBalancesPerRead = 2_000
/** Ranges with more logs are read in smaller steps, so that no more than this many lie in memory. */
const manyLogs = 4_000
const probes = 8

const chunks = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) =>
    all.slice(at * most, (at + 1) * most)
  )

const missing = (node: Node.Node, blockNumber: number, detail: string) =>
  new HistoryMissing({ chainId: node.connection.chain.id, blockNumber, detail })

/** Nodes and providers have words of their own for what they have thrown away, or keep for others. */
const forgotten =
  /\bprun|\barchiv|missing trie node|(?:\bhistor|\bstate\b|\bold data\b).*(?:\bnot |un)available|no state available/iu

/** Anvil names the newest block and the one that was asked for: an older one it had, and has thrown its state away. */
const isBehind = (detail: string): boolean => {
  const [, height, requested] = /block height is (\d+) but requested was (\d+)/u.exec(detail) ?? []
  return requested !== undefined && Number(requested) <= Number(height)
}

/** What they say of anything that may work again in a moment, of an archive as well. */
const passing = /^HTTP 5\d\d|\boverload|\btemporar|\bbusy\b|\btime(?:d )?out|\btry again|\bretry/iu

const hasForgotten = (failed: RpcFailed | ChainUnavailable): boolean =>
  failed._tag === "RpcFailed" &&
  failed.reason !== "throttled" &&
  (forgotten.test(failed.detail) || isBehind(failed.detail)) &&
  !passing.test(failed.detail)

/** One that says so is a node without a past. Any other refusal may pass, and is asked again. */
const orMissing =
  (node: Node.Node, blockNumber: number) =>
  (failed: RpcFailed | ChainUnavailable): Failed =>
    hasForgotten(failed) ? missing(node, blockNumber, failed.detail) : failed

/** What the chain calls final; where a node does not tell, as many confirmations as are waited for. */
const newest = Effect.fnUntraced(function* (node: Node.Node) {
  const finalized = yield* finalizedBlock(node)
  if (finalized !== undefined) return finalized
  const { finalNumber } = yield* survey(node, [])
  const [header] = yield* Node.headers(node, [finalNumber])
  return (
    header?.block ??
    (yield* Node.unavailable(node, "inconsistent", `block ${finalNumber} is missing`))
  )
})

const lastBefore = Effect.fnUntraced(function* (node: Node.Node, time: DateTime.Utc) {
  const final = yield* newest(node)
  const before = (at: DateTime.Utc) => at.epochMilliseconds < time.epochMilliseconds
  if (before(final.timestamp)) {
    const { id: chainId } = node.connection.chain
    return yield* new NotFinal({ chainId, finalAt: final.timestamp })
  }
  let low = 0
  let high = final.number
  while (high - low > 1) {
    const step = Math.max(1, Math.floor((high - low) / (probes + 1)))
    const numbers = Array.from({ length: probes }, (_, at) => low + step * (at + 1)).filter(
      (number) => number < high
    )
    const headers = yield* Node.headers(node, numbers)
    if (headers.some((each, at) => each === undefined && headers[at - 1] !== undefined)) {
      return yield* Node.unavailable(node, "inconsistent", "a block that is final is missing")
    }
    // What a node has pruned is older than what it has.
    const early = headers.filter((each) => each === undefined || before(each.block.timestamp))
    high = numbers[early.length] ?? high
    low = numbers[early.length - 1] ?? low
  }
  const [header, next] = yield* Node.headers(node, [low, high])
  if (header !== undefined) {
    if (before(header.block.timestamp)) return { number: low, at: header.block.timestamp }
    if (low === 0) return { number: beforeAll, at: time }
    // Who told the blocks before it had none of them, and this one is told by another.
    return yield* Node.unavailable(node, "inconsistent", "blocks that are final were missing")
  }
  // One of several nodes behind an address may lag, and has neither.
  return next === undefined
    ? yield* Node.unavailable(node, "inconsistent", "a block that is final is missing")
    : yield* missing(node, low, "it has no such block")
})

const balances = Effect.fnUntraced(function* (
  node: Node.Node,
  blockNumber: number,
  { owners, tokens }: Asked
) {
  if (blockNumber === beforeAll) return owners.map(() => tokens.map(() => 0n))
  const at = Block.hex(blockNumber)
  const forgets = orMissing(node, blockNumber)
  const isTogether = yield* Effect.mapError(Multicall.isDeployed(node, at), forgets)
  const reads = owners.flatMap((owner) => tokens.map((token) => Multicall.balanceOf(token, owner)))
  const held: Array<bigint> = []
  for (const some of chunks(reads, maxBalancesPerRead)) {
    const answers = yield* Effect.mapError(Multicall.readAll(node, some, isTogether, at), forgets)
    // A contract that was not there yet answers nothing, and held nothing.
    held.push(...answers.map((answer) => Described.number(answer) ?? 0n))
  }
  return owners.map((_, row) => held.slice(row * tokens.length, (row + 1) * tokens.length))
})

const asking = (
  tokens: ReadonlyArray<AddressKey>,
  owners: ReadonlyArray<string>,
  first: number,
  last: number
): ReadonlyArray<Call> => {
  const range = { address: tokens, fromBlock: Block.hex(first), toBlock: Block.hex(last) }
  const holders = owners.map((owner) => Receipt.holderTopic(owner.toLowerCase()))
  return [
    { method: "eth_getLogs", params: [{ ...range, topics: [Log.transferTopic, holders] }] },
    { method: "eth_getLogs", params: [{ ...range, topics: [Log.transferTopic, null, holders] }] }
  ]
}

interface Found {
  readonly blockNumber: number
  readonly log: unknown
  readonly token: AddressKey
}

const numberIn = (log: unknown): number =>
  Number((log as { readonly blockNumber?: unknown } | null)?.blockNumber)

const tokenIn = (log: unknown): AddressKey =>
  String((log as { readonly address?: unknown } | null)?.address).toLowerCase() as AddressKey

const timesOf = Effect.fnUntraced(function* (node: Node.Node, numbers: ReadonlyArray<number>) {
  const times = new Map<number, DateTime.Utc>()
  for (const some of chunks([...new Set(numbers)], maxHeadersPerBatch)) {
    for (const header of yield* Node.headers(node, some)) {
      if (header !== undefined) times.set(header.block.number, header.block.timestamp)
    }
  }
  return times
})

/** Each log once, in the order of the chain, told of every owner that it is about. */
const sidesOf = Effect.fnUntraced(function* (
  node: Node.Node,
  logs: ReadonlyArray<unknown>,
  owners: ReadonlySet<string>
) {
  const found = logs.map(
    (log): Found => ({
      blockNumber: numberIn(log),
      log,
      token: tokenIn(log)
    })
  )
  const times = yield* timesOf(
    node,
    found.map(({ blockNumber }) => blockNumber)
  )
  const seen = new Set<string>()
  const sides: Array<TokenMovement> = []
  for (const { blockNumber, log, token } of found) {
    const at = times.get(blockNumber)
    if (at === undefined) {
      return yield* Node.unavailable(node, "inconsistent", `block ${blockNumber} is missing`)
    }
    const moved = Log.decode(log, token, { number: blockNumber, hash: "", timestamp: at })
    if (moved === undefined || seen.has(`${moved.txHash} ${moved.logIndex}`)) continue
    seen.add(`${moved.txHash} ${moved.logIndex}`)
    const { amountMicro: units, from, logIndex, to, txHash } = moved
    const log_ = { txHash, logIndex, blockNumber, at, token }
    if (owners.has(from)) sides.push({ ...log_, owner: from, units: -units, counterparty: to })
    if (owners.has(to)) sides.push({ ...log_, owner: to, units, counterparty: from })
  }
  return sides
    .filter(({ units }) => units !== 0n)
    .toSorted((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex)
})

interface Place {
  readonly first: number
  readonly span: number
}

/** One step: as many blocks as the node and the memory bear, and where the next begins. */
const passage = Effect.fnUntraced(function* (
  node: Node.Node,
  { first, span }: Place,
  through: number,
  { owners, tokens }: Asked
): Effect.fn.Return<readonly [Passage, Place], Failed> {
  const keys = owners.map((owner) => keyOf(node.connection.chain.id, owner))
  const known: ReadonlySet<string> = new Set(keys)
  let wide = span
  while (true) {
    const last = Math.min(through, first + wide - 1)
    const read = Effect.forEach(chunks(keys, maxOwnersPerQuestion), (some) =>
      // One of several nodes behind an address may lag, and has no logs of blocks that it has not.
      Effect.flatMap(
        node.ask([Block.ask(last), ...asking(tokens, some, first, last)]),
        ([block, ...answers]) =>
          Block.decode(block) === undefined
            ? Node.unavailable(
                node,
                "inconsistent",
                `who tells the transfers does not have block ${last}`
              )
            : Effect.map(
                Effect.forEach(answers, (logs) => listed(node, logs)),
                (all) => all.flat()
              )
      )
    )
    const answer = yield* Effect.result(read)
    if (answer._tag === "Failure") {
      const failed = answer.failure
      const isTooMuch =
        failed._tag === "RpcFailed" && failed.reason === "oversized" && !hasForgotten(failed)
      if (!isTooMuch || wide === 1) return yield* Effect.fail(orMissing(node, first)(failed))
      wide = Math.max(1, Math.floor(wide / 2))
      continue
    }
    const logs = answer.success.flat()
    const movements = yield* sidesOf(node, logs, known)
    const next = logs.length > manyLogs ? Math.max(1, Math.floor(wide / 2)) : wide * 2
    return [
      { throughBlock: last, movements },
      { first: last + 1, span: Math.min(next, spanOf(node)) }
    ]
  }
})

const movements = (
  node: Node.Node,
  range: { readonly after: number; readonly through: number },
  asked: Asked
): Stream.Stream<Passage, Failed> => {
  const { owners, tokens } = asked
  if (range.after >= range.through || owners.length === 0 || tokens.length === 0)
    return Stream.empty
  return Stream.unfold<Place, Passage, Failed, never>(
    { first: range.after + 1, span: Node.maxBlocksOf(node.connection) },
    (place) =>
      place.first > range.through ? Effect.undefined : passage(node, place, range.through, asked)
  )
}

const placeOf = Effect.fnUntraced(function* (node: Node.Node, txHash: string) {
  const [answer] = yield* node.ask([Receipt.ask(txHash)])
  const receipt = Receipt.decode(answer)
  if (receipt === undefined) return undefined
  return receipt.blockNumber <= (yield* newest(node)).number ? receipt.blockNumber : undefined
})

const failureOf = (node: Node.Node, failed: Failed): PastFailure =>
  failed._tag === "HistoryMissing" || failed._tag === "NotFinal"
    ? failed
    : Node.translate(node, failed)

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<TokenHistory> =>
  Layer.sync(TokenHistory, () => {
    const nodes = connections.map(Node.make)
    const of = (chainId: string): Node.Node => {
      const node = nodes.find(({ connection }) => connection.chain.id === chainId)
      if (node === undefined) throw new Error(`Chain ${chainId} is not connected.`)
      return node
    }
    const on = <A>(chainId: string, read: (node: Node.Node) => Effect.Effect<A, Failed>) =>
      Effect.suspend(() => {
        const node = of(chainId)
        return Effect.mapError(read(node), (failed) => failureOf(node, failed))
      })
    return {
      lastBefore: (chainId, time) => on(chainId, (node) => lastBefore(node, time)),
      newest: (chainId) =>
        on(chainId, (node) =>
          Effect.map(newest(node), ({ number, timestamp }) => ({ number, at: timestamp }))
        ),
      balances: (chainId, blockNumber, asked) =>
        on(chainId, (node) => balances(node, blockNumber, asked)),
      movements: (chainId, range, asked) =>
        Stream.suspend(() => {
          const node = of(chainId)
          return Stream.mapError(movements(node, range, asked), (failed) => failureOf(node, failed))
        }),
      placeOf: (chainId, txHash) => on(chainId, (node) => placeOf(node, txHash))
    }
  })
