/**
 * Port TokenHistory over the nodes of Solana chains. No node tells an account of the past, but each transaction says
 * what a token account held before and after it: a past balance is what stands between two of them.
 */
import { DateTime, Effect, Layer, Stream } from "effect"
import * as Address from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import {
  HistoryMissing,
  NotFinal,
  type Passage,
  type PastFailure,
  TokenHistory,
  type TokenMovement
} from "../../core/ports/token-history.ts"
import { tokenIn, tokenProgram } from "./account.ts"
import * as History from "./history.ts"
import { timeFrom } from "./kept-history.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import * as Snapshot from "./snapshot.ts"
import { associated } from "./token-address.ts"

type Failed = RpcFailed | ChainUnavailable | HistoryMissing | NotFinal

const commitment = "finalized"
const perPage = 1000
const perPassage = 200
const readAtOnce = 8
const accountsAtOnce = 4

const newest = (node: Node.Node) =>
  Effect.map(Snapshot.take(node, [], { commitment }), (taken) => taken.newest)

const lastBefore = Effect.fnUntraced(function* (node: Node.Node, time: DateTime.Utc) {
  const { id: chainId } = node.connection.chain
  const final = yield* newest(node)
  if (final.timestamp.epochMilliseconds < time.epochMilliseconds) {
    return yield* new NotFinal({ chainId, finalAt: final.timestamp })
  }
  let low = 0
  let high = final.number
  let lowMs: number | undefined
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const found = yield* timeFrom(node, middle)
    if (found === undefined || found.ms < time.epochMilliseconds) {
      low = Math.max(middle, Math.min(found?.slot ?? middle, high - 1))
      lowMs = found?.ms ?? lowMs
    } else {
      high = middle
    }
  }
  const oldest = yield* node.call("getFirstAvailableBlock", [])
  if (typeof oldest !== "number" || (oldest > 0 && low < oldest)) {
    return yield* new HistoryMissing({
      chainId,
      blockNumber: low,
      detail: `its oldest block is ${String(oldest)}`
    })
  }
  return { number: low, at: lowMs === undefined ? time : DateTime.makeUnsafe(lowMs) }
})

interface Entry {
  readonly signature: string
  readonly slot: number
}

/**
 * The transactions of a token account that took effect, newest first: those above a slot, and the newest one that is
 * not. `isWhole` is false where the list ends before the node has told of that one.
 */
const listed = Effect.fnUntraced(function* (
  node: Node.Node,
  tokenAccount: string,
  aboveSlot: number
) {
  const found: Array<Entry> = []
  let before: string | undefined
  while (true) {
    const answer = yield* node.call("getSignaturesForAddress", [
      tokenAccount,
      { commitment, limit: perPage, ...(before === undefined ? {} : { before }) }
    ])
    const told = yield* Node.decoded(node, History.Listed, answer, "the transactions of an account")
    for (const { err, signature, slot } of told) {
      if (err === null) found.push({ signature, slot })
      if (err === null && slot <= aboveSlot) return found
    }
    before = told.at(-1)?.signature
    if (told.length < perPage || before === undefined) return found
  }
})

const read = Effect.fnUntraced(function* (node: Node.Node, { signature, slot }: Entry) {
  const told = yield* History.transaction(node, new Map(), signature, slot, commitment)
  if (told !== undefined && told.blockTime !== null) return told
  return yield* new HistoryMissing({
    chainId: node.connection.chain.id,
    blockNumber: slot,
    detail: `it does not tell transaction ${signature}`
  })
})

interface Held {
  readonly owner: Address.Address
  readonly mint: Address.AddressKey
  readonly tokenAccount: string
}

const balanceAt = Effect.fnUntraced(function* (node: Node.Node, held: Held, slot: number) {
  const { mint, tokenAccount } = held
  const entries = yield* listed(node, tokenAccount, slot)
  const last = entries.at(-1)
  if (last === undefined) {
    // Nothing ever happened to it, so it holds what it holds now.
    const { accounts } = yield* Node.accounts(node, [tokenAccount], { commitment })
    const [account] = accounts
    const token = account?.owner === tokenProgram ? tokenIn(account) : undefined
    return token?.mint === mint && token.owner === held.owner ? token.amount : 0n
  }
  const change = History.changeIn(yield* read(node, last), mint, tokenAccount)
  return last.slot <= slot ? change.before + change.delta : change.before
})

const movementOf = (
  node: Node.Node,
  told: History.Transaction,
  signature: string,
  { mint, owner, tokenAccount }: Held
): TokenMovement | undefined => {
  const { id: chainId } = node.connection.chain
  const { delta, index, others, payer } = History.changeIn(told, mint, tokenAccount)
  if (delta === 0n) return undefined
  const [against] = others
    .filter((each) => each.deltaMicro < 0n === delta > 0n && each.deltaMicro !== 0n)
    .toSorted((one, other) => {
      const size = (each: bigint) => (each < 0n ? -each : each)
      return size(one.deltaMicro) > size(other.deltaMicro) ? -1 : 1
    })
  return {
    txHash: Address.transactionKeyOf(chainId, signature),
    logIndex: index,
    blockNumber: told.slot,
    at: DateTime.makeUnsafe((told.blockTime ?? 0) * 1000),
    owner: Address.keyOf(chainId, owner),
    token: mint,
    units: delta,
    counterparty: Address.keyOf(chainId, against?.owner ?? payer)
  }
}

interface Range {
  readonly after: number
  readonly through: number
}

/** One account's, oldest first. Of a transaction only its id lies in memory until it is its turn. */
const movementsOf = (node: Node.Node, held: Held, { after, through }: Range) =>
  Stream.unwrap(
    Effect.map(listed(node, held.tokenAccount, after), (all) => {
      const entries = all.filter(({ slot }) => slot > after && slot <= through).toReversed()
      const passages = Array.from({ length: Math.ceil(entries.length / perPassage) }, (_, at) =>
        entries.slice(at * perPassage, (at + 1) * perPassage)
      )
      return Stream.fromIterable(passages).pipe(
        Stream.mapEffect((some) =>
          Effect.map(
            Effect.forEach(
              some,
              (entry) =>
                Effect.map(read(node, entry), (told) =>
                  movementOf(node, told, entry.signature, held)
                ),
              { concurrency: readAtOnce }
            ),
            (moved): Passage => ({
              throughBlock: some.at(-1)?.slot ?? after,
              movements: moved.flatMap((each) => each ?? [])
            })
          )
        )
      )
    })
  )

const placeOf = Effect.fnUntraced(function* (node: Node.Node, signature: string) {
  const answer = yield* node.call("getTransaction", [
    signature,
    { commitment, encoding: "json", maxSupportedTransactionVersion: 0 }
  ])
  const slot = (answer as { readonly slot?: unknown } | null)?.slot
  return typeof slot === "number" ? slot : undefined
})

const failureOf = (node: Node.Node, failed: Failed): PastFailure =>
  failed._tag === "HistoryMissing" || failed._tag === "NotFinal"
    ? failed
    : Node.translate(node, failed)

type Find = (owner: string) => Effect.Effect<string>

/** Finds token accounts, of which it remembers what it has derived. */
const finder = () => {
  const finders = new Map<string, Find>()
  return (owner: Address.Address, mint: Address.AddressKey): Effect.Effect<Held> => {
    const find = finders.get(mint) ?? associated(mint)
    finders.set(mint, find)
    return Effect.map(find(owner), (tokenAccount) => ({ owner, mint, tokenAccount }))
  }
}

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<TokenHistory> =>
  Layer.sync(TokenHistory, () => {
    const nodes = connections.map(Node.make)
    const find = finder()
    const of = (chainId: string): Node.Node => {
      const node = nodes.find(({ connection }) => connection.chain.id === chainId)
      if (node === undefined) throw new Error(`Chain ${chainId} is not connected.`)
      return node
    }
    const on = <A>(chainId: string, ask: (node: Node.Node) => Effect.Effect<A, Failed>) =>
      Effect.suspend(() => {
        const node = of(chainId)
        return Effect.mapError(ask(node), (failed) => failureOf(node, failed))
      })
    return {
      lastBefore: (chainId, time) => on(chainId, (node) => lastBefore(node, time)),
      newest: (chainId) =>
        on(chainId, (node) =>
          Effect.map(newest(node), ({ number, timestamp }) => ({ number, at: timestamp }))
        ),
      balances: (chainId, slot, { owners, tokens }) =>
        on(chainId, (node) =>
          Effect.forEach(
            owners,
            (owner) =>
              Effect.forEach(tokens, (mint) =>
                Effect.flatMap(find(owner, mint), (held) => balanceAt(node, held, slot))
              ),
            { concurrency: accountsAtOnce }
          )
        ),
      movements: (chainId, range, { owners, tokens }) =>
        Stream.suspend(() => {
          const node = of(chainId)
          const pairs = owners.flatMap((owner) => tokens.map((mint) => ({ owner, mint })))
          return Stream.fromIterable(pairs).pipe(
            Stream.mapEffect(({ mint, owner }) => find(owner, mint)),
            Stream.flatMap((held) => movementsOf(node, held, range)),
            Stream.mapError((failed) => failureOf(node, failed))
          )
        }),
      placeOf: (chainId, txHash) => on(chainId, (node) => placeOf(node, txHash))
    }
  })
