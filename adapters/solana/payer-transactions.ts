/**
 * Port PayerTransactions on Solana: one transfer of USDC from the payer's own account, which names the request by its
 * reference as Solana Pay does. What it bids for its place is left to the payer's wallet.
 */
import { AccountRole, address, createNoopSigner } from "@solana/kit"
import { getTransferCheckedInstruction } from "@solana-program/token"
import { Effect, Layer } from "effect"
import type { PaymentAsked } from "../../core/chains/family.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { type PayerTransaction, PayerTransactions } from "../../core/ports/payer-transactions.ts"
import { tokenIn } from "./account.ts"
import { tokenAccountOf } from "./derived.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import { compiled, wireOf } from "./transaction.ts"

const paying = ({ payTo, reference, token, units }: PaymentAsked, payer: string) => {
  const transfer = getTransferCheckedInstruction({
    source: tokenAccountOf(payer, token),
    mint: address(token),
    destination: tokenAccountOf(payTo, token),
    authority: createNoopSigner(address(payer)),
    amount: units,
    decimals: Usdc.decimals
  })
  const named = [reference ?? []].flat().map((each) => ({
    address: address(each),
    role: AccountRole.READONLY
  }))
  return { ...transfer, accounts: [...transfer.accounts, ...named] }
}

const make = Effect.fnUntraced(function* (
  node: Node.Node,
  asked: PaymentAsked,
  payer: string
): Effect.fn.Return<PayerTransaction, RpcFailed | ChainUnavailable> {
  const places = [payer, ...[payer, asked.payTo].map((each) => tokenAccountOf(each, asked.token))]
  const [wallet, source, destination] = (yield* Node.accounts(node, places, {
    commitment: "confirmed"
  })).accounts
  if (destination === undefined) {
    return yield* Node.unavailable(node, "inconsistent", "the account to be paid is not open yet")
  }
  const held = source === undefined ? undefined : tokenIn(source)
  const heldMicro = Usdc.make(held?.amount ?? 0n)
  if (heldMicro < asked.units) return { _tag: "too_little", heldMicro }
  if ((wallet?.lamports ?? 0n) === 0n) return { _tag: "no_coin" }
  const newest = yield* Node.newestBlock(node)
  return { _tag: "made", transaction: wireOf(compiled(payer, newest, [paying(asked, payer)])) }
})

export const layer = (
  connections: ReadonlyArray<Node.Connection>
): Layer.Layer<PayerTransactions> =>
  Layer.sync(PayerTransactions, () => {
    const nodes = connections.map(Node.make)
    return {
      make: (asked, payer) => {
        const node = nodes.find(({ connection }) => connection.chain.id === asked.chain.id)
        return node === undefined
          ? Effect.die(new Error(`Chain ${asked.chain.id} is not connected.`))
          : Effect.mapError(make(node, asked, payer), (failed) => Node.translate(node, failed))
      }
    }
  })
