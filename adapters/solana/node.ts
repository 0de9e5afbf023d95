/**
 * The nodes of one Solana chain: what they are asked, and their failures told in the words of the port. Before their
 * first answer counts they have shown that they serve the right chain and that USDC there is what it should be.
 */
import { Effect, Schema } from "effect"
import * as Usdc from "../../core/money/usdc.ts"
import { ChainUnavailable, type Connected } from "../../core/ports/chains.ts"
import { type Account, accountsIn, mintIn, tokenProgram } from "./account.ts"
import * as Rpc from "./rpc.ts"

export interface Connection extends Omit<Connected, "usdc">, Rpc.Options {
  /** The mint of USDC. */
  readonly usdc: string
  /** The most that a send bids for a compute unit, in micro-lamports. */
  readonly maxPriority?: bigint
  /** The lookup table by which messages of the issuer's bridge fit into a transaction; none arrive without it. */
  readonly cctpTable?: string
  /** One node or several; the next one is asked when one fails or is behind. */
  readonly rpcUrls: readonly [string, ...ReadonlyArray<string>]
}

export type Commitment = "confirmed" | "finalized"

export interface Node {
  readonly connection: Connection & Pick<Connected, "usdc">
  readonly call: (
    ...asked: Parameters<Rpc.Rpc>
  ) => Effect.Effect<unknown, Rpc.RpcFailed | ChainUnavailable>
  /** What each node answers, of two at most; none may fail. For what must not rest on the word of one. */
  readonly callEach: (
    method: string,
    params: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<unknown>, Rpc.RpcFailed | ChainUnavailable>
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

/** A genesis is told by its first 32 characters (CAIP-2); the sandbox's is another every time. */
const genesisLength = 32

const acquaint = Effect.fnUntraced(function* ({ chain, usdc }: Connection, rpc: Rpc.Rpc) {
  const wrong = (detail: string) =>
    new ChainUnavailable({ chainId: chain.id, reason: "wrong_chain", detail })
  const expected = chain.caip2.split(":")[1] ?? ""
  const genesis = yield* rpc("getGenesisHash", [])
  const isRight =
    expected.length < genesisLength || String(genesis).slice(0, genesisLength) === expected
  if (!isRight) return yield* wrong("the node serves another chain, by its genesis")
  const params = [[usdc], { commitment: "confirmed", encoding: "base64" }]
  const [account] = accountsIn(yield* rpc("getMultipleAccounts", params))?.accounts ?? []
  const mint = account?.owner === tokenProgram ? mintIn(account) : undefined
  if (mint?.decimals !== Usdc.decimals) {
    return yield* wrong(`${usdc} is no mint with ${Usdc.decimals} decimals there`)
  }
})

export const make = (connection: Connection): Node => {
  const rpc = Rpc.make(connection.rpcUrls, connection)
  const witnesses = connection.rpcUrls.slice(0, 2).map((rpcUrl) => Rpc.make([rpcUrl], connection))
  let isAcquainted = false
  const meet = Effect.suspend(() =>
    isAcquainted
      ? Effect.void
      : Effect.tap(acquaint(connection, rpc), () =>
          Effect.sync(() => {
            isAcquainted = true
          })
        )
  )
  return {
    connection: connection as Node["connection"],
    call: (...asked) => Effect.andThen(meet, rpc(...asked)),
    callEach: (method, params) =>
      Effect.andThen(
        meet,
        Effect.forEach(witnesses, (ask) => ask(method, params), { concurrency: "unbounded" })
      )
  }
}

/** As many as a node gives at once. */
export const maxAccounts = 100

/** Accounts in the order asked, all as of one slot, which is at least `fromSlot`. */
export const accounts = Effect.fnUntraced(function* (
  node: Node,
  addresses: ReadonlyArray<string>,
  asked: {
    readonly commitment: Commitment
    readonly fromSlot?: number
    /** How much is told of each; all of it when left out. */
    readonly bytes?: number
  }
): Effect.fn.Return<
  { readonly slot: number; readonly accounts: ReadonlyArray<Account | undefined> },
  Rpc.RpcFailed | ChainUnavailable
> {
  const answer = yield* node.call("getMultipleAccounts", [
    addresses,
    {
      commitment: asked.commitment,
      encoding: "base64",
      ...(asked.fromSlot === undefined ? {} : { minContextSlot: asked.fromSlot }),
      ...(asked.bytes === undefined ? {} : { dataSlice: { offset: 0, length: asked.bytes } })
    }
  ])
  const told = accountsIn(answer)
  if (told !== undefined && told.accounts.length === addresses.length) return told
  return yield* unavailable(
    node,
    "inconsistent",
    "the node does not tell the accounts it is asked for"
  )
})

/** An answer in the form it should have. */
export const decoded = <A>(
  node: Node,
  schema: Schema.Codec<A, unknown>,
  answer: unknown,
  what: string
) =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(answer), () =>
    unavailable(node, "inconsistent", `the node does not tell ${what}`)
  )

const Newest = Schema.Struct({
  value: Schema.Struct({ blockhash: Schema.String, lastValidBlockHeight: Schema.Int })
})

/** A recent block, by which a transaction lives for a minute and a half. */
export const newestBlock = Effect.fnUntraced(function* (node: Node) {
  const answer = yield* node.call("getLatestBlockhash", [{ commitment: "confirmed" }])
  const { value } = yield* decoded(node, Newest, answer, "its newest block")
  return { ...value, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) }
})
