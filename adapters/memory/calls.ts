/** The part of port EvmRelay that speaks of senders' own nonces, over the scripted chains. */
import { Effect } from "effect"
import {
  decodeFunctionData,
  encodeAbiParameters,
  hexToBytes,
  keccak256,
  parseAbi
} from "viem/utils"
import * as Address from "../../core/chains/address.ts"
import { callIn, dataOf, type NonceOf, type ToldNonce } from "../../core/evm/call.ts"
import type { CallRelay, CallTrial, NonceTrace } from "../../core/evm/call-relay.ts"
import type { Authorization, Fees } from "../../core/evm/journal.ts"
import { type Order, SigningDenied } from "../../core/submissions/order.ts"
import type { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Mempool from "./mempool.ts"
import * as Approvals from "./scripted-approvals.ts"
import { coinOf, run } from "./scripted-calls.ts"
import * as ScriptedChain from "./scripted-chain.ts"

const abi = parseAbi(["function allowance(address owner, address spender) view returns (uint256)"])
const gas = 60_000n

/** Wallets are senders like relayers. */
const senderOf = (wallet: Address.AddressKey) => Address.Address.make(wallet)

const landedAt = (chain: ScriptedChain.Scripted, { nonce, sender }: NonceOf) =>
  chain.landed.find(
    ({ relayer, relayerNonce }) =>
      relayerNonce === nonce && Address.keyOf(chain.connected.chain.id, relayer) === sender
  )

const traceOf = (
  chain: ScriptedChain.Scripted,
  of: NonceOf,
  txHashes: ReadonlyArray<string>
): NonceTrace => {
  const landed = landedAt(chain, of)
  if (landed === undefined) return { _tag: "unused" }
  const { blockNumber, isPaid: isSuccess, txHash } = landed
  const isFinal = blockNumber <= Mempool.finalizedNumber(chain)
  const blockHash = chain.blocks[blockNumber]?.hash ?? ""
  return txHashes.includes(txHash)
    ? { _tag: "mined", txHash, blockHash, isSuccess, isFinal }
    : { _tag: "used_elsewhere", isFinal }
}

/** What a token of the chain says of an allowance up to a block, as its answer's bytes. */
const allowanceAt = (
  chain: ScriptedChain.Scripted,
  token: Address.AddressKey,
  data: string,
  blockHash: string
) => {
  const { args } = decodeFunctionData({ abi, data: data as `0x${string}` })
  const [owner, spender] = args.map((each) => Address.keyOf(chain.connected.chain.id, each))
  if (owner === undefined || spender === undefined) return "0x"
  const at = chain.blocks.findIndex(({ hash }) => hash === blockHash)
  const upTo = { ...chain, blocks: chain.blocks.slice(0, at + 1) }
  const amount = Approvals.current(upTo, { token, owner, spender }) ?? 0n
  return encodeAbiParameters([{ type: "uint256" }], [amount])
}

/** Whether a chain has something else in the place of a transaction. */
const contradicts = (chain: ScriptedChain.Scripted, told: ToldNonce): boolean => {
  const landed = landedAt(chain, told)
  return (
    landed?.txHash !== told.txId ||
    landed.isPaid !== told.isSuccess ||
    chain.blocks[landed.blockNumber]?.hash !== told.blockHash
  )
}

/** What a nonce was used for; undefined where no wallet's own call used it. */
const usedIn = (chain: ScriptedChain.Scripted, of: NonceOf) => {
  const landed = landedAt(chain, of)
  if (landed?.own === undefined) return undefined
  const { blockNumber, isPaid: isSuccess, own: sent, txHash: txId } = landed
  const block = { blockNumber, blockHash: chain.blocks[blockNumber]?.hash ?? "" }
  const isFinal = blockNumber <= Mempool.finalizedNumber(chain)
  const { data, to, value } = sent
  return { txId, ...block, to: Address.keyOf(of.chainId, to), data, value, isSuccess, isFinal }
}

export const make = (
  state: ScriptedChain.State,
  relayer: Address.Address,
  { sign }: WalletKeys["Service"],
  nothing: Omit<Authorization, "chainId">
): CallRelay => {
  const present = <A>(chainId: string, use: (chain: ScriptedChain.Scripted) => A) =>
    Effect.map(ScriptedChain.present(state, chainId), use)

  const own = (order: Order, nonce: number, to: string, data: string, fees: Fees, value = 0n) =>
    Effect.gen(function* () {
      const token = order.amount.token.address
      if (order.act !== "call" || token === null) {
        return yield* Effect.die(new SigningDenied(order.proposalId, "it is no call about a token"))
      }
      const signed = Mempool.wrap(
        senderOf(order.from),
        { ...nothing, chainId: order.chainId },
        nonce,
        fees,
        { own: { to, data, value, gas: fees.gas } }
      )
      const bytes = hexToBytes(keccak256(signed.raw as `0x${string}`))
      yield* sign(order.key, "secp256k1", { order, token, bytes })
      return signed
    })

  return {
    standing: (chainId, wallet) =>
      present(chainId, (chain) => ({
        mined: ScriptedChain.countOf(chain, senderOf(wallet)),
        heldWei: coinOf(chain, wallet)
      })),
    tryCall: ({ call, chainId, from, identity }) =>
      present(chainId, (chain): CallTrial => {
        const own = { to: call.to, data: dataOf(call, identity), value: call.value, gas }
        const sent = { relayer: senderOf(from), txHash: Address.TransactionId.make("0x") }
        return run(chain, sent, own)._tag === "reverted"
          ? { _tag: "would_revert", reason: "The token refuses it." }
          : { _tag: "would_run", gas, dataFeeWei: 0n }
      }),
    signCall: (order, nonce, fees) => {
      const call = callIn(order)
      return own(order, nonce, call.to, dataOf(call, order.identity), fees, call.value)
    },
    signVoid: (order, nonce, fees) => own(order, nonce, order.from, "0x", fees),
    lend: ({ chainId, to, wei }, relayerNonce, fees) =>
      Effect.sync(() =>
        Mempool.wrap(relayer, { ...nothing, chainId }, relayerNonce, fees, { lent: { to, wei } })
      ),
    traceNonce: (of, attempts) =>
      present(of.chainId, (chain) =>
        traceOf(
          chain,
          of,
          attempts.map(({ txHash }) => txHash)
        )
      ),
    counts: (chainId, wallets) =>
      present(chainId, (chain) =>
        wallets.map((wallet) => ScriptedChain.countOf(chain, senderOf(wallet)))
      ),
    usedBy: (of) => present(of.chainId, (chain) => usedIn(chain, of)),
    contradicted: (chainId, told) =>
      present(chainId, (chain) => told.map((each) => contradicts(chain, each))),
    answers: (chainId, { answer, data, to }, blockHash) =>
      present(chainId, (chain) => allowanceAt(chain, to, data, blockHash) === answer),
    answersNow: (chainId, { answer, data, to }) =>
      present(
        chainId,
        (chain) => allowanceAt(chain, to, data, chain.blocks.at(-1)?.hash ?? "") === answer
      )
  }
}
