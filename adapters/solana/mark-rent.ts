/**
 * Port MarkRent on Solana: the relayer pays a transaction in which a wallet withdraws all that its marks hold, to the
 * relayer. A mark counts as standing only if the final blocks of every node have it.
 */
import { type Address, address, createNoopSigner } from "@solana/kit"
import { getWithdrawNonceAccountInstruction } from "@solana-program/system"
import { DateTime, Effect, Layer } from "effect"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { MarkRent, type StandingMark } from "../../core/solana/mark-rent.ts"
import type { Bid, Conditions } from "../../core/solana/relay.ts"
import type { KnownPayment } from "../../core/submissions/submitter.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { ask, askEach, at } from "./ask.ts"
import { askHistory, askTransaction, history, instructionsOf, makes } from "./find-payment.ts"
import * as Mark from "./mark.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import type { Options } from "./submitter.ts"
import { budget, compiled, signed } from "./transaction.ts"

const madeAt = Effect.fnUntraced(function* (node: Node.Node, payment: KnownPayment) {
  const mark = yield* Mark.addressOf(payment)
  const [firstPage] = yield* ask(node, [askHistory(mark)])
  for (const { blockTime, isFinal, signature } of yield* history(node, mark, firstPage)) {
    const [transaction] = yield* ask(node, [askTransaction(signature)])
    if (!instructionsOf(transaction).some((each) => makes(each, mark))) continue
    return isFinal && blockTime !== null ? DateTime.makeUnsafe(blockTime * 1000) : null
  }
  return null
})

const standingAmong = Effect.fnUntraced(function* (
  node: Node.Node,
  payments: ReadonlyArray<KnownPayment>
) {
  const marks = yield* Effect.forEach(payments, Mark.addressOf)
  const answers = yield* askEach(node, {
    method: "getMultipleAccounts",
    params: [marks, { commitment: "finalized", encoding: "base64" }]
  })
  return payments.flatMap((payment, index): ReadonlyArray<StandingMark> => {
    const told = answers.map((answer) => at(answer, "value", index))
    if (!told.every((account) => Mark.isMade({ value: account }))) return []
    return [{ ...payment, lamports: BigInt(Number(at(told[0], "lamports"))) }]
  })
})

const withdrawing = (
  marks: ReadonlyArray<readonly [Address, StandingMark]>,
  relayer: string,
  bid: Pick<Bid, "priority" | "units">,
  conditions: Conditions
) => {
  const withdrawals = marks.map(([mark, { from, lamports }]) =>
    getWithdrawNonceAccountInstruction({
      nonceAccount: mark,
      recipientAccount: address(relayer),
      nonceAuthority: createNoopSigner(address(from)),
      withdrawAmount: lamports
    })
  )
  const instructions = [...budget(bid).map(({ instruction }) => instruction), ...withdrawals]
  return compiled(relayer, conditions, instructions)
}

export const layer = ({
  connections,
  relayer
}: Options): Layer.Layer<MarkRent, never, WalletKeys> =>
  Layer.effect(
    MarkRent,
    Effect.gen(function* () {
      const keys = yield* WalletKeys
      const nodes = connections.map(Node.make)
      const on = <A>(
        chainId: string,
        use: (node: Node.Node) => Effect.Effect<A, RpcFailed | ChainUnavailable>
      ) => {
        const node = nodes.find(({ connection }) => connection.chain.id === chainId)
        return node === undefined
          ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
          : Effect.mapError(use(node), (failed) => Node.translate(node, failed))
      }
      return {
        standing: (chainId, payments) =>
          on(chainId, (node) =>
            Effect.map(
              Effect.forEach(
                Array.from({ length: Math.ceil(payments.length / Node.maxAccounts) }, (_, page) =>
                  payments.slice(page * Node.maxAccounts, (page + 1) * Node.maxAccounts)
                ),
                (some) => standingAmong(node, some)
              ),
              (all) => all.flat()
            )
          ),
        madeAt: (payment) => on(payment.chainId, (node) => madeAt(node, payment)),
        sign: Effect.fnUntraced(function* (reclaim, marks, bid, conditions) {
          const warranted = marks.filter(
            ({ from, identity }) => from === reclaim.from && reclaim.identities.includes(identity)
          )
          const placed = yield* Effect.forEach(warranted, (mark) =>
            Effect.map(Mark.addressOf(mark), (place) => [place, mark] as const)
          )
          const feePayer = yield* relayer.address
          const message = withdrawing(placed, feePayer, bid, conditions)
          const bytes = Uint8Array.from(message.messageBytes)
          const own = yield* keys.signReclaim("ed25519", reclaim, bytes)
          const relayed = yield* relayer.sign(bytes)
          return signed(message, { [reclaim.from]: own, [feePayer]: relayed })
        })
      }
    })
  )
