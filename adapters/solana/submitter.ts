/**
 * Port SolanaRelay on Solana: wallet and relayer sign one transaction that pays and makes the payment's mark; the
 * relayer pays the fee and lends the rent.
 */
import { Effect, Layer } from "effect"
import { AddressKey } from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { burnOf } from "../../core/solana/burn.ts"
import { type Bid, type Conditions, SolanaRelay, type Transfer } from "../../core/solana/relay.ts"
import { swapOf } from "../../core/solana/swap.ts"
import { type Order, SigningDenied } from "../../core/submissions/order.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Burning from "./cctp/burning.ts"
import * as Deliver from "./cctp/deliver.ts"
import { findPayment } from "./find-payment.ts"
import { madeBy } from "./made-payments.ts"
import * as Message from "./message.ts"
import * as Network from "./network.ts"
import * as Node from "./node.ts"
import * as PayerPayment from "./payer-payment.ts"
import { readPlain } from "./plain-payment.ts"
import type { RelayerKey } from "./relayer-key.ts"
import type { RpcFailed } from "./rpc.ts"
import * as Swap from "./swap.ts"
import { trace } from "./trace.ts"
import * as Transaction from "./transaction.ts"

export interface Options {
  readonly relayer: RelayerKey
  readonly connections: ReadonlyArray<Node.Connection>
}

interface Signers {
  readonly keys: WalletKeys["Service"]
  readonly relayer: RelayerKey
  readonly node: Node.Node
}

/** What is signed follows from the order alone; of the swap beside it, only how much more is asked for. */
const signSwap = Effect.fnUntraced(function* (
  { keys, node, relayer }: Signers,
  order: Order,
  { conditions, route, swap }: Omit<Swap.Asked, "relayer">,
  bid: Bid
) {
  const denied = (violation: string) => Effect.die(new SigningDenied(order.proposalId, violation))
  const ordered = swapOf(order.chainId, order)
  if (ordered === undefined) return yield* denied("it is no swap")
  const { minBuyAmount } = swap
  if (minBuyAmount < ordered.minBuyAmount) return yield* denied("it would give less than the floor")
  const address = yield* relayer.address
  const asked = { swap: { ...ordered, minBuyAmount }, route, relayer: address, conditions }
  const fit = yield* Swap.judged(node, asked, bid)
  if (fit._tag === "refused") return yield* denied(fit.violation)
  const bytes = Uint8Array.from(fit.compiled.messageBytes)
  const token = ordered.amount.token.address ?? ordered.buy
  const own = yield* keys.sign(order.key, "ed25519", { order, token, bytes })
  const relayed = yield* relayer.sign(bytes)
  return Transaction.signed(fit.compiled, { [order.from]: own, [address]: relayed })
})

type On = <A>(
  chainId: string,
  use: (node: Node.Node) => Effect.Effect<A, RpcFailed | ChainUnavailable>
) => Effect.Effect<A, ChainUnavailable>

/** What is signed follows from the order alone. */
const signBurn = Effect.fnUntraced(function* (
  { keys, node, relayer }: Signers,
  order: Order,
  bid: Bid,
  conditions: Conditions
) {
  const denied = (violation: string) => Effect.die(new SigningDenied(order.proposalId, violation))
  const burn = burnOf(order.chainId, order)
  if (burn === undefined) return yield* denied("it is no burn")
  const address = yield* relayer.address
  const asked = { burn, relayer: address, conditions }
  const { compiled, draft, key, violation } = yield* Burning.judged(node, asked, bid)
  if (violation !== undefined) return yield* denied(violation)
  const bytes = Uint8Array.from(compiled.messageBytes)
  const token = AddressKey.make(draft.mint)
  const own = yield* keys.sign(order.key, "ed25519", { order, token, bytes })
  const relayed = yield* relayer.sign(bytes)
  const kept = yield* Effect.promise(() => key.sign(bytes))
  return Transaction.signed(compiled, {
    [order.from]: own,
    [address]: relayed,
    [key.address]: kept
  })
})

const burns = (
  { keys, relayer }: Omit<Signers, "node">,
  on: On
): Pick<SolanaRelay["Service"], "signBurn" | "tryBurn"> => ({
  tryBurn: Effect.fnUntraced(function* (burn, conditions) {
    const asked = { burn, conditions, relayer: yield* relayer.address }
    return yield* on(burn.chainId, (node) => Burning.trial(node, asked))
  }),
  signBurn: (order, bid, conditions) =>
    on(order.chainId, (node) => signBurn({ keys, relayer, node }, order, bid, conditions))
})

/** What the relayer brings in its own name. */
const deliveries = (
  relayer: RelayerKey,
  on: On
): Pick<SolanaRelay["Service"], "signDelivery" | "traceDelivery" | "tryDelivery"> => ({
  tryDelivery: Effect.fnUntraced(function* (delivery, now) {
    const asked = { conditions: now, relayer: yield* relayer.address }
    return yield* on(delivery.chainId, (node) => Deliver.trial(node, delivery, asked))
  }),
  signDelivery: (delivery, bid, now) =>
    on(delivery.chainId, (node) => Deliver.sign(node, delivery, { bid, conditions: now, relayer })),
  traceDelivery: (chainId, attempt) =>
    on(chainId, (node) => PayerPayment.traceIt(node, attempt, Message.partsIn(attempt.wire)))
})

export const layer = ({
  connections,
  relayer
}: Options): Layer.Layer<SolanaRelay, never, WalletKeys> =>
  Layer.effect(
    SolanaRelay,
    Effect.gen(function* () {
      const keys = yield* WalletKeys
      const nodes = connections.map(Node.make)
      const nodeOf = (chainId: string) => {
        const node = nodes.find(({ connection }) => connection.chain.id === chainId)
        return node === undefined
          ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
          : Effect.succeed(node)
      }
      const on: On = (chainId, use) =>
        Effect.flatMap(nodeOf(chainId), (node) =>
          Effect.mapError(use(node), (failed) => Node.translate(node, failed))
        )
      const conditions = (chainId: string) =>
        on(chainId, (node) =>
          Effect.flatMap(relayer.address, (address) => Network.conditions(node, address))
        )
      const draftOf = Effect.fnUntraced(function* (transfer: Transfer, mint: string) {
        const places = yield* Message.placesOf(transfer, mint)
        return { transfer, places, mint, relayer: yield* relayer.address }
      })
      return {
        relayerAddress: (chainId) => Effect.andThen(nodeOf(chainId), relayer.address),
        madeBy: (chainId, wallets, reach) => on(chainId, (node) => madeBy(node, wallets, reach)),
        findPayment: (payment) => on(payment.chainId, (node) => findPayment(node, payment)),
        conditions,
        simulate: Effect.fnUntraced(function* (transfer) {
          const now = yield* conditions(transfer.chainId)
          return yield* on(transfer.chainId, (node) =>
            Effect.flatMap(draftOf(transfer, node.connection.usdc), (draft) =>
              Network.simulate(node, { ...draft, conditions: now })
            )
          )
        }),
        sign: Effect.fnUntraced(function* (order, bid, now) {
          // What is made below is a transfer; no other order warrants one.
          if (order.act !== "transfer") {
            return yield* Effect.die(new SigningDenied(order.proposalId, "it is no transfer"))
          }
          const { usdc } = (yield* nodeOf(order.chainId)).connection
          const draft = yield* draftOf(order, usdc)
          const compiled = Message.compile({ ...draft, bid, conditions: now })
          const bytes = Uint8Array.from(compiled.messageBytes)
          const own = yield* keys.sign(order.key, "ed25519", { order, token: usdc, bytes })
          const relayed = yield* relayer.sign(bytes)
          return Transaction.signed(compiled, { [order.from]: own, [draft.relayer]: relayed })
        }),
        trySwap: Effect.fnUntraced(function* (swap, route, now) {
          const asked = { swap, route, relayer: yield* relayer.address, conditions: now }
          return yield* on(swap.chainId, (node) => Swap.trial(node, asked))
        }),
        signSwap: (order, swap, route, bid, now) =>
          on(order.chainId, (node) =>
            signSwap({ keys, relayer, node }, order, { swap, route, conditions: now }, bid)
          ),
        ...burns({ keys, relayer }, on),
        ...deliveries(relayer, on),
        broadcast: (chainId, wire) => on(chainId, (node) => Network.broadcast(node, wire)),
        trace: (transfer, attempts) =>
          on(transfer.chainId, (node) => trace(node, transfer, attempts)),
        readSigned: (chainId, wire, payTo) =>
          Effect.flatMap(nodeOf(chainId), ({ connection }) =>
            readPlain({ chainId, mint: connection.usdc }, wire, payTo)
          ),
        trySigned: (signed) => on(signed.chainId, (node) => PayerPayment.tryIt(node, signed)),
        countersign: (signed) =>
          Effect.flatMap(nodeOf(signed.chainId), ({ connection }) =>
            PayerPayment.countersign(signed, connection.usdc, relayer)
          ),
        traceSigned: ({ chainId }, attempt) =>
          on(chainId, (node) => PayerPayment.traceIt(node, attempt))
      }
    })
  )

const nobody = Effect.die(new Error("No Solana chain is connected."))

/** Where no Solana chain is connected, so that nothing is ever asked. */
export const none: Layer.Layer<SolanaRelay> = Layer.succeed(SolanaRelay, {
  relayerAddress: () => nobody,
  madeBy: () => nobody,
  findPayment: () => nobody,
  conditions: () => nobody,
  simulate: () => nobody,
  sign: () => nobody,
  trySwap: () => nobody,
  signSwap: () => nobody,
  tryBurn: () => nobody,
  signBurn: () => nobody,
  tryDelivery: () => nobody,
  signDelivery: () => nobody,
  traceDelivery: () => nobody,
  broadcast: () => nobody,
  trace: () => nobody,
  readSigned: () => nobody,
  trySigned: () => nobody,
  countersign: () => nobody,
  traceSigned: () => nobody
})
