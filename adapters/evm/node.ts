/**
 * One chain's node: what it is asked, and its failures told in the words of the port. Before its first
 * answer counts it has shown that it serves the right chain and that USDC there has six decimals.
 */
import { Effect } from "effect"
import { encodeFunctionData } from "viem/utils"
import * as Chain from "../../core/chains/chain.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { ChainUnavailable, type Connected } from "../../core/ports/chains.ts"
import * as Block from "./block.ts"
import * as Bloom from "./bloom.ts"
import { abi, address, keyOf } from "./contract.ts"
import { transferTopic } from "./log.ts"
import * as Rpc from "./rpc.ts"

export interface Connection extends Omit<Connected, "usdc">, Rpc.Options {
  /** The contract of USDC, in any case. */
  readonly usdc: string
  readonly rpcUrl: string
  /** Another node, asked too what is final before anything is given back or sent again. */
  readonly secondRpcUrl?: string
  /** What stands before `/api/v1` of the order book that takes the chain's swaps; none are made without it. */
  readonly orderBookUrl?: string
  /** Which block the chain calls final where money is given back or sent again; `safe` on a rollup at least. */
  readonly finalTag?: "finalized" | "safe"
  /** Takes blocks up to the node's `finalized` tag for final too. */
  readonly useFinalizedTag?: boolean
  /** Blocks asked for in one look; a node that finds them too many is asked for fewer. */
  readonly maxBlocks?: number
  /** Where the chain tells what it asks for a transaction's bytes beside gas. Default: by the chain. */
  readonly dataFeeOracle?: string
  /**
   * A development chain may start again from an older state, so a head below the place means that
   * blocks were dropped. On any other chain it is a backend that lags behind. Default: the sandbox.
   */
  readonly mayRestart?: boolean
}

export interface Node {
  readonly connection: Connection & Pick<Connected, "usdc">
  readonly ask: (
    calls: ReadonlyArray<Rpc.Call>
  ) => Effect.Effect<ReadonlyArray<unknown>, Rpc.RpcFailed | ChainUnavailable>
  /**
   * Asks for what is large and nothing depends on: never in a request that payments wait for, and not for long. Whether
   * the node serves the right chain has been asked before.
   */
  readonly askApart: Rpc.Rpc
  /** The other node, if one is configured. */
  readonly second: Node["ask"] | undefined
  readonly mayHoldTransfer: (logsBloom: string) => boolean
  /** How many blocks to ask for now; falls and rises with what the node allows. */
  span: number
}

export const maxBlocksOf = (connection: Connection): number => connection.maxBlocks ?? 200

export const unavailable = (
  node: Node,
  reason: ChainUnavailable["reason"],
  detail: string
): ChainUnavailable => new ChainUnavailable({ chainId: node.connection.chain.id, reason, detail })

const reasons = {
  unreachable: "unreachable",
  refused: "unreachable",
  throttled: "limited",
  oversized: "limited",
  absent: "inconsistent"
} as const satisfies Record<Rpc.RpcFailed["reason"], ChainUnavailable["reason"]>

export const translate = (
  node: Node,
  failed: Rpc.RpcFailed | ChainUnavailable
): ChainUnavailable =>
  failed._tag === "ChainUnavailable"
    ? failed
    : unavailable(node, reasons[failed.reason], failed.detail)

const acquaint = Effect.fnUntraced(function* (connection: Connection, rpc: Rpc.Rpc) {
  const wrong = (detail: string) =>
    new ChainUnavailable({ chainId: connection.chain.id, reason: "wrong_chain", detail })
  const expected = Chain.eip155(connection.chain)
  const [id] = yield* rpc([{ method: "eth_chainId", params: [] }])
  if (Number(id) !== expected) {
    return yield* wrong(`the node serves chain ${Number(id)}, not ${expected}`)
  }
  const data = encodeFunctionData({ abi, functionName: "decimals" })
  const [decimals] = yield* rpc([
    { method: "eth_call", params: [{ to: connection.usdc, data }, "latest"] }
  ])
  if (decimals === "0x" || Number(decimals) !== Usdc.decimals) {
    return yield* wrong(`there is no token of ${Usdc.decimals} decimals at ${connection.usdc}`)
  }
})

/** Whoever is asked first shows which chain it serves. */
const asking = (connection: Connection, rpcUrl: string): Node["ask"] => {
  const rpc = Rpc.make(rpcUrl, connection)
  let isAcquainted = false
  const acquainted = Effect.andThen(
    acquaint(connection, rpc),
    Effect.sync(() => {
      isAcquainted = true
    })
  )
  return (calls) =>
    Effect.suspend(() => (isAcquainted ? rpc(calls) : Effect.andThen(acquainted, rpc(calls))))
}

/** Of each connection, by the URL: whoever is given it asks by the same way, so that questions of one turn are one request. */
const ways = new WeakMap<Connection, Map<string, Node["ask"]>>()

const wayOf = (given: Connection, connection: Connection, rpcUrl: string): Node["ask"] => {
  const known = ways.get(given) ?? new Map<string, Node["ask"]>()
  ways.set(given, known)
  const way = known.get(rpcUrl) ?? asking(connection, rpcUrl)
  known.set(rpcUrl, way)
  return way
}

/** Whoever asks apart gives up after so long. */
const apartMs = 2_000

export const make = (given: Connection): Node => {
  const connection = { ...given, usdc: keyOf(given.usdc) }
  return {
    connection,
    ask: wayOf(given, connection, connection.rpcUrl),
    askApart: Rpc.make(connection.rpcUrl, {
      ...connection,
      timeoutMs: Math.min(connection.timeoutMs ?? apartMs, apartMs)
    }),
    second:
      connection.secondRpcUrl === undefined
        ? undefined
        : wayOf(given, connection, connection.secondRpcUrl),
    mayHoldTransfer: Bloom.sieve(address(connection.usdc), transferTopic),
    span: maxBlocksOf(connection)
  }
}

/** The headers of blocks by number; undefined where the node has none. */
export const headers = Effect.fnUntraced(function* (node: Node, numbers: ReadonlyArray<number>) {
  const answers = yield* node.ask(numbers.map(Block.ask))
  return answers.map(Block.decode)
})
