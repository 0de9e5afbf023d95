/**
 * What every family's relay does with one payment, under the same words: it is tried, signed, handed over, followed
 * and found. A test that holds on each family knows no more of it than this.
 */
import { Context, DateTime, Effect } from "effect"
import { type AddressKey, familyOf, keyOf, type TransactionId } from "../../core/chains/address.ts"
import type { Attempt as EvmAttempt } from "../../core/evm/journal.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Chains, type ChainUnavailable, type Connected } from "../../core/ports/chains.ts"
import type { Attempt as SolanaAttempt } from "../../core/solana/journal.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import type { Order } from "../../core/submissions/order.ts"
import type { FoundPayment } from "../../core/submissions/submitter.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { SendWorld } from "./send-world.ts"
import { identityFor, idOf } from "./sending-chain.ts"

/** Bytes that the relayer signed for a payment; only they are handed over. */
export interface Signed {
  readonly txId: TransactionId
  readonly handOver: Effect.Effect<void, ChainUnavailable>
}

export type Trial =
  | { readonly _tag: "ok" }
  | { readonly _tag: "would_fail"; readonly reason: string }
  /** It was made before, and no other transaction can make it. */
  | { readonly _tag: "made" }

export type Told =
  | { readonly _tag: "pending" }
  | { readonly _tag: "paid"; readonly txId: TransactionId; readonly isFinal: boolean }
  /** A transaction of ours is in a block and did not pay; another may. */
  | { readonly _tag: "failed"; readonly txId: TransactionId; readonly isFinal: boolean }
  /** None of them will ever pay. */
  | { readonly _tag: "dead" }

/** One payment, by one relayer. */
export interface Payment {
  readonly trial: Effect.Effect<Trial, ChainUnavailable>
  /** Other bytes each time. */
  readonly signed: Effect.Effect<Signed, ChainUnavailable>
  readonly trace: (...signed: ReadonlyArray<Signed>) => Effect.Effect<Told, ChainUnavailable>
  readonly found: Effect.Effect<FoundPayment | undefined, ChainUnavailable>
}

type Relays = Context.Context<EvmRelay | SolanaRelay>

/** The chain takes the token's authorization once, whichever of the relayer's transactions carries it. */
const onEvm = Effect.fnUntraced(function* (
  relay: EvmRelay["Service"],
  order: Order
): Effect.fn.Return<Payment, ChainUnavailable> {
  const { chainId } = order
  const { chainTime } = yield* relay.conditions(chainId)
  const authorization = yield* relay.authorize({ ...order, validBefore: chainTime + 1200 })
  const attempts = new Map<TransactionId, EvmAttempt>()
  return {
    trial: Effect.map(relay.simulate(authorization), (trial) => {
      if (trial._tag === "ok") return { _tag: "ok" }
      const { reason } = trial
      return /was used/u.test(reason) ? { _tag: "made" } : { _tag: "would_fail", reason }
    }),
    signed: Effect.gen(function* () {
      const { relayerCount, ...now } = yield* relay.conditions(chainId)
      // More each time, as a node takes no other for one that waits.
      const times = 2n ** BigInt(attempts.size)
      const fees = {
        maxFeePerGas: now.maxFeePerGas * times,
        maxPriorityFeePerGas: now.maxPriorityFeePerGas * times,
        gas: 150_000n
      }
      const wrapped = yield* relay.wrap(authorization, relayerCount, fees)
      attempts.set(wrapped.txHash, { ...wrapped, ...fees, at: yield* DateTime.now })
      return { txId: wrapped.txHash, handOver: relay.broadcast(chainId, wrapped.raw) }
    }),
    trace: (...signed) =>
      Effect.map(
        relay.trace(
          authorization,
          signed.flatMap(({ txId }) => attempts.get(txId) ?? [])
        ),
        (status): Told => {
          if (status._tag === "pending" || status._tag === "spent") return { _tag: "pending" }
          if (status._tag === "impossible") return { _tag: "dead" }
          if (status._tag === "nonce_consumed") throw new Error("A transfer has no count.")
          const { isFinal, txHash: txId } = status
          return { _tag: status._tag === "paid" ? "paid" : "failed", txId, isFinal }
        }
      ),
    found: relay.findPayment(order)
  }
})

/** The chain makes the payment's mark once, whichever transaction makes it. */
const onSolana = (relay: SolanaRelay["Service"], order: Order): Payment => {
  const { chainId } = order
  const attempts = new Map<TransactionId, SolanaAttempt>()
  return {
    trial: Effect.map(relay.simulate(order), (trial) => {
      if (trial._tag === "marked") return { _tag: "made" }
      return trial._tag === "ok" ? { _tag: "ok" } : { _tag: "would_fail", reason: trial.reason }
    }),
    signed: Effect.gen(function* () {
      const now = yield* relay.conditions(chainId)
      const bid = { units: 60_000, priority: BigInt(attempts.size), opensAccount: true }
      const { txId, wire } = yield* relay.sign(order, bid, now)
      const { lastValidBlockHeight } = now
      attempts.set(txId, { txId, wire, lastValidBlockHeight, at: yield* DateTime.now })
      return { txId, handOver: relay.broadcast(chainId, wire) }
    }),
    trace: (...signed) =>
      Effect.map(
        relay.trace(
          order,
          signed.flatMap(({ txId }) => attempts.get(txId) ?? [])
        ),
        (status): Told => {
          if (status._tag === "marked") {
            const { isFinal, txId } = status.found
            return { _tag: "paid", txId, isFinal }
          }
          if (status._tag !== "failed") return status
          return { _tag: "failed", txId: status.txId, isFinal: status.isFinal }
        }
      ),
    found: relay.findPayment(order)
  }
}

const relays = Effect.context<EvmRelay | SolanaRelay>()

/** A payment of the world's own relayer, or of the one that is named. */
export const paymentOf = Effect.fnUntraced(function* (order: Order, by?: Relays) {
  const context = by ?? (yield* relays)
  return familyOf(order.chainId).family === "solana"
    ? onSolana(Context.get(context, SolanaRelay), order)
    : yield* onEvm(Context.get(context, EvmRelay), order)
})

export interface Meant {
  readonly keyNumber: number
  readonly to: AddressKey
  readonly amountMicro: bigint
}

/** What a wallet is asked to sign: a proposal of its own. */
export const orderOf = Effect.fnUntraced(function* ({ amountMicro, keyNumber, to }: Meant) {
  const { chainId } = yield* SendWorld
  const { addressOf, open } = yield* WalletKeys
  const { key } = yield* open(chainId, idOf(keyNumber))
  const connected = (yield* Chains).connected.find(({ chain }) => chain.id === chainId)
  const proposalId = `submitted ${keyNumber}`
  const order: Order = {
    act: "transfer",
    call: null,
    proposalId,
    identity: identityFor(proposalId),
    accountId: "account",
    walletId: `wallet-${keyNumber}`,
    key,
    chainId,
    from: keyOf(chainId, yield* addressOf(chainId, key)),
    to,
    amount: { token: { chainId, address: (connected as Connected).usdc }, units: amountMicro },
    validBefore: 0
  }
  return order
})
