/**
 * What the scripted chain's node does with a broadcast: it takes it, knows it already, or refuses it.
 * Another transaction in the place of one that waits must pay a tenth more, as on real nodes. And which block it
 * calls final.
 */
import { Effect, Schema } from "effect"
import { keccak256, toHex } from "viem/utils"
import { Address, type AddressKey } from "../../core/chains/address.ts"
import { type Attempt, Authorization } from "../../core/evm/journal.ts"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import type { MadePayment, Reach } from "../../core/submissions/submitter.ts"
import { isAffordable, Lent, Own } from "./scripted-calls.ts"
import {
  type Carried,
  countOf,
  type Landed,
  type Mined,
  type Scripted,
  transactionOn
} from "./scripted-chain.ts"
import { Swapped } from "./scripted-swaps.ts"

const Transaction = Schema.fromJsonString(
  Schema.Struct({
    relayer: Address,
    relayerNonce: Schema.Int,
    maxFeePerGas: Schema.BigIntFromString,
    maxPriorityFeePerGas: Schema.BigIntFromString,
    authorization: Authorization,
    own: Schema.optionalKey(Own),
    lent: Schema.optionalKey(Lent),
    memo: Schema.optionalKey(Schema.String),
    swapped: Schema.optionalKey(Swapped)
  })
)

const encode = Schema.encodeSync(Transaction)
const decode = Schema.decodeSync(Transaction)

/** The bytes of a relayer's transaction; their hash is its name. */
export const wrap = (
  relayer: Address,
  authorization: Authorization,
  relayerNonce: number,
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<Attempt, "maxFeePerGas" | "maxPriorityFeePerGas">,
  more: Pick<Carried, "own" | "lent" | "memo" | "swapped"> = {}
): Pick<Attempt, "raw" | "txHash"> => {
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const raw = toHex(encode({ relayer, relayerNonce, ...fees, authorization, ...more }))
  return { raw, txHash: transactionOn(authorization.chainId, keccak256(raw)) }
}

const unwrap = (raw: string): Carried => {
  const bytes = Buffer.from(raw.slice(2), "hex")
  const transaction = decode(bytes.toString("utf8"))
  const { chainId } = transaction.authorization
  return { ...transaction, txHash: transactionOn(chainId, keccak256(bytes)) }
}

const isTenthMore = (fee: bigint, before: bigint): boolean => fee * 10n >= before * 11n

const mayReplace = (carried: Carried, waiting: Carried): boolean =>
  isTenthMore(carried.maxFeePerGas, waiting.maxFeePerGas) &&
  isTenthMore(carried.maxPriorityFeePerGas, waiting.maxPriorityFeePerGas)

/** Takes the bytes into the pool, unless they are known or their nonce is spent; why not, if refused. */
export const take = (chain: Scripted, raw: string): string | undefined => {
  if (chain.refusals > 0) {
    chain.refusals--
    return "the script says the node refuses it"
  }
  const carried = unwrap(raw)
  const { relayer, relayerNonce } = carried
  if (relayerNonce < countOf(chain, relayer)) return undefined
  if (!isAffordable(chain, carried)) return "insufficient funds for gas * price + value"
  const at = chain.pool.findIndex(
    (each) => each.relayer === relayer && each.relayerNonce === relayerNonce
  )
  const waiting = chain.pool[at]
  if (waiting === undefined) {
    chain.pool.push(carried)
    return undefined
  }
  if (waiting.txHash === carried.txHash) return undefined
  if (!mayReplace(carried, waiting)) return "replacement transaction underpriced"
  chain.pool[at] = carried
  return undefined
}

/** The relayer's transactions in blocks, and those that wait without a gap behind them. */
export const pendingCount = (chain: Scripted, relayer: Address): number => {
  let count = countOf(chain, relayer)
  const waits = () =>
    chain.pool.some((each) => each.relayer === relayer && each.relayerNonce === count)
  while (waits()) count++
  return count
}

/** What wallets have paid in final blocks, by their authorizations. */
export const paidBy = (
  chain: Scripted,
  wallets: ReadonlyArray<AddressKey>,
  reach?: Reach
): Effect.Effect<ReadonlyArray<MadePayment>, ChainUnavailable> => {
  const { through } = reach ?? {}
  const isThere =
    through === undefined ||
    (through.number <= finalizedNumber(chain) &&
      chain.blocks[through.number]?.hash === through.hash)
  if (isThere) return Effect.succeed(allPaidBy(chain, wallets))
  const chainId = chain.connected.chain.id
  return new ChainUnavailable({ chainId, reason: "inconsistent", detail: "its end is not final" })
}

/** What carrying a payment comes to there. */
const laidOut = 10_000n

const allPaidBy = (
  chain: Scripted,
  wallets: ReadonlyArray<AddressKey>
): ReadonlyArray<MadePayment> =>
  chain.landed.flatMap((landed) => {
    const { authorization, blockNumber, isPaid, txHash } = landed
    const { act, amountMicro, chainId, from, nonce, to, token } = authorization
    const isMade = isPaid && act === "transfer" && wallets.includes(from)
    if (!isMade || blockNumber > finalizedNumber(chain)) return []
    const amount = { token: { chainId, address: token }, units: amountMicro }
    const { timestamp: at } = chain.blocks[blockNumber] as Mined
    const made = { txId: txHash, from, at, identity: nonce.slice(2), paid: { to, amount } }
    return [{ ...made, ...boughtBy(landed), laidOut }]
  })

/** What came of it for whoever it was made for, if it was a swap. */
export const boughtBy = ({ authorization, boughtAmount, swapped }: Landed) => {
  if (swapped === undefined || boughtAmount === undefined) return {}
  const token = { chainId: authorization.chainId, address: swapped.buy }
  return { bought: { token, units: boughtAmount } }
}

/** Two blocks later a block is finalized, unless the script holds finality back. */
export const finalizedNumber = ({ blocks, finalityHeldAt }: Scripted): number =>
  finalityHeldAt ?? Math.max(0, blocks.length - 3)
