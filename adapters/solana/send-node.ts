/**
 * One Solana chain as the treasury is connected to it: its nodes, its USDC, and their failures told in the words of
 * the port. Before a first answer counts, the node has shown that it knows the mint of USDC with six decimals.
 */
import { Effect, Predicate } from "effect"
import { type AddressKey, keyOf } from "../../core/chains/address.ts"
import type { Chain } from "../../core/chains/chain.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import * as Rpc from "./send-rpc.ts"

export interface Connection extends Rpc.Options {
  readonly chain: Chain
  /** The mint of USDC, under the classic token program. */
  readonly usdc: string
  /** The first is asked before the others; what must not rest on one is asked of the first two. */
  readonly rpcUrls: readonly [string, ...ReadonlyArray<string>]
  readonly pollMs: number
  /** The most that is bid for a compute unit, in micro-lamports. */
  readonly maxPriority?: bigint
}

type Asking<A> = (
  calls: ReadonlyArray<Rpc.Call>
) => Effect.Effect<A, Rpc.RpcFailed | ChainUnavailable>

export interface Node {
  readonly connection: Omit<Connection, "usdc"> & { readonly usdc: AddressKey }
  readonly ask: Asking<ReadonlyArray<unknown>>
  readonly askAll: Asking<ReadonlyArray<ReadonlyArray<unknown>>>
}

export const unavailable = (
  { connection }: Node,
  reason: ChainUnavailable["reason"],
  detail: string
): ChainUnavailable => new ChainUnavailable({ chainId: connection.chain.id, reason, detail })

const reasons = {
  unreachable: "unreachable",
  refused: "unreachable",
  throttled: "limited",
  behind: "inconsistent"
} as const satisfies Record<Rpc.RpcFailed["reason"], ChainUnavailable["reason"]>

export const translate = (
  node: Node,
  failed: Rpc.RpcFailed | ChainUnavailable
): ChainUnavailable =>
  failed._tag === "ChainUnavailable"
    ? failed
    : unavailable(node, reasons[failed.reason], failed.detail)

/** A field of an answer, however deep; undefined where there is none. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, field) =>
      Predicate.isObjectOrArray(inner)
        ? (inner as Record<string | number, unknown>)[field]
        : undefined,
    value
  )

/** The start of a chain's genesis hash stands in its name (CAIP-2); a chain of our own has another each time. */
const isGenesis = ({ caip2 }: Chain, hash: unknown): boolean => {
  const reference = caip2.slice("solana:".length)
  return reference.length < 32 || String(hash).startsWith(reference)
}

const acquaint = Effect.fnUntraced(function* ({ chain, usdc }: Connection, rpc: Rpc.Rpc) {
  const wrong = (detail: string) =>
    new ChainUnavailable({ chainId: chain.id, reason: "wrong_chain", detail })
  const answers = yield* rpc.askAll([
    { method: "getGenesisHash", params: [] },
    {
      method: "getAccountInfo",
      params: [usdc, { commitment: "confirmed", encoding: "jsonParsed" }]
    }
  ])
  for (const [genesis, mint] of answers) {
    if (!isGenesis(chain, genesis)) return yield* wrong("the node serves another chain")
    const isClassic = at(mint, "value", "data", "program") === "spl-token"
    const decimals = at(mint, "value", "data", "parsed", "info", "decimals")
    if (!isClassic || decimals !== Usdc.decimals) {
      return yield* wrong(`there is no token of ${Usdc.decimals} decimals at ${usdc}`)
    }
  }
})

export const make = (connection: Connection): Node => {
  const rpc = Rpc.make(connection.rpcUrls, connection)
  let isAcquainted = false
  const acquainted = Effect.suspend(() =>
    isAcquainted
      ? Effect.void
      : Effect.tap(acquaint(connection, rpc), () =>
          Effect.sync(() => {
            isAcquainted = true
          })
        )
  )
  return {
    connection: { ...connection, usdc: keyOf(connection.chain.id, connection.usdc) },
    ask: (calls) => Effect.andThen(acquainted, rpc.ask(calls)),
    askAll: (calls) => Effect.andThen(acquainted, rpc.askAll(calls))
  }
}
