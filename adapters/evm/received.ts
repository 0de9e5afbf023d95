/**
 * Tokens that came to addresses unasked, found in the newest blocks' logs. Whoever sends them chose every
 * byte of them and of their contracts, so each is read alone, with little gas, and none can spoil another.
 */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import type { AddressKey, Address as Holder } from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Foreign } from "../../core/ports/holdings.ts"
import { maxDecimals } from "../../core/tokens/token.ts"
import { hex } from "./block.ts"
import { type Address, keyOf } from "./contract.ts"
import * as Described from "./described.ts"
import { transferTopic } from "./log.ts"
import * as Multicall from "./multicall.ts"
import type * as Node from "./node.ts"
import type { Call, RpcFailed } from "./rpc.ts"

/** Blocks looked back over; a node that finds them too many is asked for fewer. */
const windows = [10_000, 2_000, 400, 80, 9]
const maxHoldersPerQuestion = 500
const maxQuestions = 10
const maxTokens = 50
const maxPairs = 200
/** Enough to read a word behind a proxy, too little to compute with. */
const gas = hex(100_000)
const atOnce = 4

const abi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)"
])

const [name, symbol, decimals] = (["name", "symbol", "decimals"] as const).map((functionName) =>
  encodeFunctionData({ abi, functionName })
) as [Address, Address, Address]

type Failed = RpcFailed | ChainUnavailable

interface Pair {
  readonly token: AddressKey
  readonly holder: Holder
}

const isTooMuch = (failed: Failed): boolean =>
  failed._tag === "RpcFailed" && (failed.reason === "oversized" || failed.reason === "refused")

const topicOf = (holder: string): string => `0x${"0".repeat(24)}${holder.slice(2).toLowerCase()}`

/** A log as a token and who got it; an NFT has the same event with another topic, and is no token here. */
const pairOf = (log: unknown, holderByTopic: ReadonlyMap<string, Holder>): Pair | undefined => {
  const { address: token, topics, data, removed } = (log ?? {}) as Record<string, unknown>
  if (removed === true || typeof token !== "string" || !/^0x[0-9a-f]{40}$/iu.test(token)) {
    return undefined
  }
  if (!Array.isArray(topics) || topics.length !== 3) return undefined
  if (String(topics[0]).toLowerCase() !== transferTopic) return undefined
  if (typeof data !== "string" || !/^0x[0-9a-f]{64}$/iu.test(data)) return undefined
  const holder = holderByTopic.get(String(topics[2]).toLowerCase())
  return holder === undefined ? undefined : { token: keyOf(token), holder }
}

/** How far back a node lets us look, as it showed so far. */
export interface Reach {
  at: number
}

const logsTo = Effect.fnUntraced(function* (
  node: Node.Node,
  reach: Reach,
  head: number,
  holders: ReadonlyArray<Holder>
): Effect.fn.Return<ReadonlyArray<unknown>, Failed> {
  for (; reach.at < windows.length; reach.at++) {
    const from = Math.max(0, head - (windows[reach.at] ?? 1) + 1)
    const range = { fromBlock: hex(from), toBlock: hex(head) }
    const topics = [transferTopic, null, holders.map(topicOf)]
    const asking = node.ask([{ method: "eth_getLogs", params: [{ ...range, topics }] }])
    const logs = yield* Effect.catch(asking, (failed) =>
      isTooMuch(failed) ? Effect.undefined : Effect.fail(failed)
    )
    if (logs !== undefined) return Array.isArray(logs[0]) ? logs[0] : []
  }
  return []
})

/** Who received what, newest first, each pair once and no more than we care to read. */
const pairsTo = Effect.fnUntraced(function* (
  node: Node.Node,
  reach: Reach,
  holders: ReadonlyArray<Holder>,
  except: ReadonlySet<AddressKey>
) {
  // A node that once refused may have been busy: it is asked for a little more than it gave last.
  reach.at = Math.max(0, reach.at - 1)
  const holderByTopic = new Map(holders.map((holder) => [topicOf(holder), holder]))
  const [latest] = yield* node.ask([{ method: "eth_blockNumber", params: [] }])
  const pairs = new Map<string, Pair>()
  const tokens = new Set<string>()
  for (let asked = 0; asked < maxQuestions; asked++) {
    const some = holders.slice(asked * maxHoldersPerQuestion, (asked + 1) * maxHoldersPerQuestion)
    if (some.length === 0) break
    const logs = yield* logsTo(node, reach, Number(latest), some)
    for (const log of logs.toReversed()) {
      const pair = pairOf(log, holderByTopic)
      if (pair === undefined || except.has(pair.token) || pairs.size >= maxPairs) continue
      if (tokens.size >= maxTokens && !tokens.has(pair.token)) continue
      tokens.add(pair.token)
      pairs.set(`${pair.token} ${pair.holder}`, pair)
    }
  }
  return Array.from(pairs.values())
})

const call = (to: string, data: Address): Call => ({
  method: "eth_call",
  params: [{ to, data, gas }, "latest"],
  mayRevert: true
})

/** Reads one token and what its holders have of it; a contract that answers beyond bounds is not read. */
const describe = Effect.fnUntraced(function* (
  node: Node.Node,
  token: AddressKey,
  holders: ReadonlyArray<Holder>
) {
  const balances = holders.map((holder) => call(token, Multicall.balanceOf(token, holder).data))
  const asking = node.ask(
    [name, symbol, decimals].map((data) => call(token, data)).concat(balances)
  )
  const answers = yield* Effect.catch(asking, (failed) =>
    isTooMuch(failed) ? Effect.succeed([]) : Effect.fail(failed)
  )
  const places = Described.number(answers[2])
  if (places === undefined || places > BigInt(maxDecimals)) return []
  return holders.flatMap((holder, at): ReadonlyArray<Foreign> => {
    const balance = Described.number(answers[3 + at])
    if (balance === undefined || balance === 0n) return []
    const [named, short] = [Described.text(answers[0]), Described.text(answers[1])]
    const decimalsOf = Number(places)
    return [
      { holder, tokenAddress: token, name: named, symbol: short, decimals: decimalsOf, balance }
    ]
  })
})

export const received = Effect.fnUntraced(function* (
  node: Node.Node,
  reach: Reach,
  holders: ReadonlyArray<Holder>,
  except: ReadonlyArray<AddressKey>
) {
  const known = new Set(except)
  const pairs = yield* pairsTo(node, reach, holders, known)
  const byToken = Map.groupBy(pairs, ({ token }) => token)
  const described = yield* Effect.forEach(
    byToken,
    ([token, group]) =>
      describe(
        node,
        token,
        group.map(({ holder }) => holder)
      ),
    { concurrency: atOnce }
  )
  return described.flat()
})
