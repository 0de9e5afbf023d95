/**
 * What wallets send for themselves, and the loans of gas for it: the part of the port EvmRelay that speaks of a
 * sender's own nonces. A trial is made as if the sender held enough, since it is lent what it lacks only afterwards.
 */
import { Effect } from "effect"
import { bytesToHex, hexToBytes } from "viem/utils"
import { callIn, dataOf, type EvmCall, type Expected } from "../../core/evm/call.ts"
import type { CallRelay, CallTrial, WalletCall } from "../../core/evm/call-relay.ts"
import type { Fees } from "../../core/evm/journal.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { type Order, SigningDenied } from "../../core/submissions/order.ts"
import type { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Block from "./block.ts"
import { address } from "./contract.ts"
import * as Gas from "./gas.ts"
import * as Network from "./network.ts"
import * as Node from "./node.ts"
import * as RelayerTransaction from "./relayer-transaction.ts"
import type { RpcFailed } from "./rpc.ts"
import { contradicted, countAtNewest, countsAtNewest, traceNonce, usedBy } from "./used-nonce.ts"

/** A signed transaction without its data has some 130 bytes. */
const bareBytes = 180

const muchWei = Block.hex(2 ** 52)

/** What a transaction takes, a quarter above the estimate, since the state it was made on is gone by then. */
const limitFor = (estimate: bigint): bigint => (estimate * 5n) / 4n

/** As the wallet will send it, with more coin than it takes. */
const estimating = (from: string, { to, value }: EvmCall, data: string, most: bigint) => ({
  method: "eth_estimateGas",
  params: [
    { from, to, data, value: `0x${value.toString(16)}`, gas: `0x${most.toString(16)}` },
    "latest",
    { [from]: { balance: `${muchWei}${"0".repeat(8)}` } }
  ]
})

const tryCall = Effect.fnUntraced(function* (
  node: Node.Node,
  { call, from, identity }: WalletCall
) {
  const { chain } = node.connection
  const data = dataOf(call, identity)
  const trial = node.ask([estimating(from, call, data, Gas.maxOn(chain))]).pipe(
    Effect.flatMap(([estimate]) => {
      const gas = Block.amount(estimate)
      return gas === undefined
        ? Effect.fail(Node.unavailable(node, "inconsistent", "the node does not tell the gas"))
        : Effect.map(
            Gas.dataFee(node, bareBytes + data.length / 2),
            (dataFeeWei): CallTrial => ({ _tag: "would_run", gas: limitFor(gas), dataFeeWei })
          )
    }),
    Effect.catchTag("RpcFailed", (failed) => {
      const reason = Network.refusal(failed)
      return reason === undefined
        ? Effect.fail(failed)
        : Effect.succeed<CallTrial>({ _tag: "would_revert", reason })
    })
  )
  return yield* trial
})

const standing = Effect.fnUntraced(function* (node: Node.Node, wallet: string) {
  const [answer] = yield* node.ask([{ method: "eth_getBalance", params: [wallet, "latest"] }])
  const heldWei = Block.amount(answer)
  if (heldWei === undefined) {
    return yield* Node.unavailable(node, "inconsistent", "the node does not tell a balance")
  }
  return { mined: yield* countAtNewest(node, wallet), heldWei }
})

const ask = ({ data, to }: Expected, at: unknown) => ({
  method: "eth_call",
  params: [{ to, data }, at],
  mayRevert: true
})

const answersAt = (node: Node.Node, expected: Expected, at: unknown) =>
  Effect.map(
    node.ask([ask(expected, at)]),
    ([answer]) => String(answer).toLowerCase() === expected.answer
  )

const answers = (node: Node.Node, expected: Expected, blockHash: string) =>
  answersAt(node, expected, { blockHash }).pipe(
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "absent" || failed.reason === "refused"
        ? Effect.undefined
        : Effect.fail(failed)
    )
  )

interface Relaying {
  readonly on: <A>(
    chainId: string,
    use: (node: Node.Node) => Effect.Effect<A, RpcFailed | ChainUnavailable>
  ) => Effect.Effect<A, ChainUnavailable>
  readonly place: (chainId: string, relayerNonce: number) => Effect.Effect<RelayerTransaction.Place>
  readonly sign: WalletKeys["Service"]["sign"]
}

/** The wallet's own transaction, by the warrant of its order. */
const signOwn = Effect.fnUntraced(function* (
  { place, sign }: Relaying,
  order: Order,
  nonce: number,
  message: RelayerTransaction.Message,
  fees: Fees
) {
  const { act, amount, chainId, key, proposalId } = order
  const token = amount.token.address
  if (act !== "call" || token === null) {
    return yield* Effect.die(new SigningDenied(proposalId, "it is no call about a token"))
  }
  const { chainNumber } = yield* place(chainId, nonce)
  const own = (digest: `0x${string}`) =>
    Effect.map(sign(key, "secp256k1", { order, token, bytes: hexToBytes(digest) }), (signature) =>
      bytesToHex(signature)
    )
  return yield* RelayerTransaction.signedBy(own, { chainNumber, nonce }, message, fees)
})

export const callRelay = (relaying: Relaying): CallRelay => {
  const { on, place } = relaying
  return {
    standing: (chainId, wallet) => on(chainId, (node) => standing(node, wallet)),
    tryCall: (call) => on(call.chainId, (node) => tryCall(node, call)),
    signCall: (order, nonce, fees) => {
      const call = callIn(order)
      const { to, value } = call
      const data = address(dataOf(call, order.identity))
      return signOwn(relaying, order, nonce, { to: address(to), data, value }, fees)
    },
    signVoid: (order, nonce, fees) =>
      signOwn(relaying, order, nonce, { to: address(order.from) }, fees),
    lend: ({ chainId, to, wei }, relayerNonce, fees) =>
      Effect.flatMap(place(chainId, relayerNonce), (at) =>
        RelayerTransaction.lend(at, to, wei, fees)
      ),
    traceNonce: (of, attempts) =>
      on(of.chainId, (node) =>
        traceNonce(
          node,
          of,
          attempts.map(({ txHash }) => txHash)
        )
      ),
    counts: (chainId, wallets) => on(chainId, (node) => countsAtNewest(node, wallets)),
    usedBy: (of) => on(of.chainId, (node) => usedBy(node, of)),
    contradicted: (chainId, told) => on(chainId, (node) => contradicted(node, told)),
    answers: (chainId, expected, blockHash) =>
      on(chainId, (node) => answers(node, expected, blockHash)),
    answersNow: (chainId, expected) => on(chainId, (node) => answersAt(node, expected, "latest"))
  }
}
