/**
 * Port SolanaRelay over the scripted chains. A transaction waits until the script mines a block; in the place of a
 * mark stands the identity that the chain takes once, and in the place of a block hash's life a minute and a half.
 */
import { Clock, type DateTime, Effect, Layer } from "effect"
import { bytesToHex, hexToBytes } from "viem/utils"
import * as Address from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Attempt } from "../../core/solana/journal.ts"
import {
  type Bid,
  SolanaRelay,
  type SwapTrial,
  type TransactionStatus
} from "../../core/solana/relay.ts"
import { type Route, type Swap, swapOf } from "../../core/solana/swap.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import type { KnownPayment } from "../../core/submissions/submitter.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Authorizations from "./authorization.ts"
import * as Mempool from "./mempool.ts"
import * as ScriptedChain from "./scripted-chain.ts"
import * as Swaps from "./scripted-swaps.ts"
import * as Signed from "./solana-signed.ts"

export const someRelayer = Address.Address.make(Base58.encode(new Uint8Array(32).fill(78)))
const muchLamports = 1_000_000_000_000n
const markLamports = 1_447_680n
const accountLamports = 2_039_280n
const maxPriority = 100_000n
const units = 15_000
const hashLifeSeconds = 90
/** For two signatures. */
const networkFee = 10_000n

const seconds = (time: DateTime.Utc): number => Math.floor(time.epochMilliseconds / 1000)

/** Each transaction is a relayer's own, so that none waits for another. */
const wrapped = (
  relayer: Address.Address,
  authorization: Parameters<typeof Mempool.wrap>[1],
  { priority }: Bid,
  more: Parameters<typeof Mempool.wrap>[4] = {}
) => {
  const fees = { maxFeePerGas: priority, maxPriorityFeePerGas: priority }
  const slot = Address.Address.make(
    `${relayer} ${authorization.signature} ${authorization.validBefore} ${priority}`
  )
  const { raw, txHash } = Mempool.wrap(slot, authorization, 0, fees, more)
  return { wire: raw, txId: txHash }
}

const isOf = (payment: KnownPayment) => (landed: ScriptedChain.Landed) =>
  landed.authorization.act === "transfer" &&
  landed.authorization.from === payment.from &&
  landed.authorization.nonce === `0x${payment.identity}`

const find = (chain: ScriptedChain.Scripted, payment: KnownPayment) => {
  const landed = chain.landed.find((each) => each.isPaid && isOf(payment)(each))
  if (landed === undefined) return undefined
  const { amountMicro, chainId, to, token } = landed.authorization
  const amount = { token: { chainId, address: token }, units: amountMicro }
  const isFinal = landed.blockNumber <= Mempool.finalizedNumber(chain)
  const found = { txId: landed.txHash, isFinal, paid: { to, amount } }
  const swapped = Mempool.boughtBy(landed)
  return { ...found, ...swapped, ...("bought" in swapped ? { networkFee } : {}) }
}

const trace = (
  chain: ScriptedChain.Scripted,
  transfer: KnownPayment,
  attempts: ReadonlyArray<Attempt>
): TransactionStatus => {
  const found = find(chain, transfer)
  if (found !== undefined) return { _tag: "marked", found }
  const finalizedNumber = Mempool.finalizedNumber(chain)
  const failed = chain.landed.filter(
    (each) => isOf(transfer)(each) && attempts.some(({ txId }) => txId === each.txHash)
  )
  const newest = failed.at(-1)
  const finalBlock = chain.blocks[finalizedNumber]
  if (newest !== undefined && failed.length === attempts.length) {
    return {
      _tag: "failed",
      txId: newest.txHash,
      ...(newest.failure ?? Swaps.tooLittleUsdc),
      isFinal: failed.every(({ blockNumber }) => blockNumber <= finalizedNumber)
    }
  }
  const time = BigInt(finalBlock === undefined ? 0 : seconds(finalBlock.timestamp))
  const areDead = attempts.every(({ lastValidBlockHeight }) => time > lastValidBlockHeight)
  return { _tag: areDead ? "dead" : "pending" }
}

const hasReceived = ({ blocks }: ScriptedChain.Scripted, owner: Address.AddressKey) =>
  blocks.some(({ payments }) => payments.some(({ to }) => to === owner))

/** Nothing is burnt on the scripted chains, and no program takes messages. */
const burnsNothing: Pick<
  SolanaRelay["Service"],
  "signBurn" | "tryBurn" | "signDelivery" | "traceDelivery" | "tryDelivery"
> = {
  tryBurn: () => Effect.succeed({ _tag: "would_fail", reason: "Nothing is burnt there." }),
  signBurn: ({ proposalId }) => Effect.die(new SigningDenied(proposalId, "nothing is burnt there")),
  tryDelivery: () =>
    Effect.succeed({ _tag: "would_fail", reason: "Nothing is brought there.", isPassing: false }),
  signDelivery: () => Effect.die(new Error("Nothing is brought there.")),
  traceDelivery: () => Effect.succeed({ _tag: "dead" })
}

/** What a trial of a swap finds on the chain as it is. */
const trialOf = (
  chain: ScriptedChain.Scripted,
  rates: Swaps.Rates,
  swap: Swap,
  route: Route
): SwapTrial => {
  const { amount, buy, from, minBuyAmount, to } = swap
  if (find(chain, swap) !== undefined) return { _tag: "marked" }
  const sell = amount.token.address ?? buy
  if (Swaps.heldOf(chain, sell, from) < amount.units) {
    return { _tag: "would_fail", ...Swaps.tooLittle }
  }
  const violation = Swaps.violation(route, swap)
  if (violation !== undefined) return { _tag: "refused", violation }
  if (Swaps.boughtFor(rates, { sell, buy, sellAmount: amount.units }) < minBuyAmount) {
    return { _tag: "would_fail", ...Swaps.moved }
  }
  const isOpen =
    buy === chain.connected.usdc
      ? hasReceived(chain, to)
      : chain.others.get(buy)?.balances.has(to) === true
  return { _tag: "would_swap", units, opensAccount: !isOpen }
}

/** What is signed follows from the order alone; of the swap beside it, only how much more is asked for. */
const swaps = (
  state: ScriptedChain.State,
  present: Present,
  relayer: Address.Address,
  { sign }: WalletKeys["Service"]
): Pick<SolanaRelay["Service"], "signSwap" | "trySwap"> => ({
  trySwap: (swap, route) =>
    present(swap.chainId, (chain) => trialOf(chain, state.rates, swap, route)),
  signSwap: Effect.fnUntraced(function* (order, { minBuyAmount }, route, bid, conditions) {
    const denied = (violation: string) => Effect.die(new SigningDenied(order.proposalId, violation))
    const ordered = swapOf(order.chainId, order)
    if (ordered === undefined) return yield* denied("it is no swap")
    if (minBuyAmount < ordered.minBuyAmount) {
      return yield* denied("it would give less than the floor")
    }
    const violation = Swaps.violation(route, { ...ordered, minBuyAmount })
    if (violation !== undefined) return yield* denied(violation)
    const token = order.amount.token.address ?? ordered.buy
    const validBefore = Number(conditions.lastValidBlockHeight) + 1
    const { authorization } = Authorizations.unsigned(token, { ...order, validBefore }, 0)
    const swapped = { buy: ordered.buy, minBuyAmount }
    const bytes = hexToBytes(Swaps.digestOf(authorization, swapped))
    const signature = yield* sign(order.key, "ed25519", { order, token, bytes })
    const signed = { ...authorization, signature: bytesToHex(signature) }
    return wrapped(relayer, signed, bid, { swapped })
  })
})

type Present = <A>(
  chainId: string,
  use: (chain: ScriptedChain.Scripted, nowMs: number) => A
) => Effect.Effect<A, ChainUnavailable>

/** What payers themselves have signed. */
const signedRelay = (
  relayer: Address.Address,
  present: Present
): Pick<SolanaRelay["Service"], "readSigned" | "trySigned" | "countersign" | "traceSigned"> => ({
  readSigned: (chainId, wire, payTo) => Effect.succeed(Signed.read(chainId, wire, payTo)),
  trySigned: (signed) =>
    present(signed.chainId, (chain, nowMs) =>
      Signed.tryIt(chain, signed, seconds(ScriptedChain.timeOf(chain, nowMs)))
    ),
  countersign: (signed) =>
    Effect.sync(() => {
      const authorization = Signed.authorizationOf(signed)
      return wrapped(relayer, authorization, { ...signed, opensAccount: false })
    }),
  traceSigned: (signed, attempt) =>
    present(signed.chainId, (chain) => {
      const landed = chain.landed.find(({ txHash }) => txHash === attempt.txId)
      return Signed.traceIt(chain, signed, landed)
    })
})

const make = (
  state: ScriptedChain.State,
  relayer: Address.Address,
  keys: WalletKeys["Service"]
): SolanaRelay["Service"] => {
  const unavailable = (
    chainId: string,
    reason: ChainUnavailable["reason"],
    detail: string
  ): ChainUnavailable => new ChainUnavailable({ chainId, reason, detail })
  const present: Present = (chainId, use) =>
    Effect.zipWith(ScriptedChain.present(state, chainId), Clock.currentTimeMillis, use)
  return {
    relayerAddress: () => Effect.succeed(relayer),
    madeBy: (chainId, wallets, reach) =>
      Effect.flatMap(ScriptedChain.present(state, chainId), (chain) =>
        Mempool.paidBy(chain, wallets, reach)
      ),
    findPayment: (payment) => present(payment.chainId, (chain) => find(chain, payment)),
    conditions: (chainId) =>
      present(chainId, (chain, nowMs) => {
        const now = seconds(ScriptedChain.timeOf(chain, nowMs))
        return {
          blockhash: ScriptedChain.tip(chain).hash,
          lastValidBlockHeight: BigInt(now + hashLifeSeconds),
          relayerLamports: chain.relayersLackGas ? 0n : muchLamports,
          markLamports,
          accountLamports,
          priority: 0n,
          maxPriority
        }
      }),
    simulate: (transfer) =>
      present(transfer.chainId, (chain) => {
        const { amount, from, to } = transfer
        if (find(chain, transfer) !== undefined) return { _tag: "marked" } as const
        return ScriptedChain.balance(chain, from) < amount.units
          ? ({ _tag: "would_fail", reason: "The wallet holds too little USDC." } as const)
          : ({
              _tag: "ok",
              units,
              opensAccount: !hasReceived(chain, to)
            } as const)
      }),
    sign: Effect.fnUntraced(function* (order, bid, { lastValidBlockHeight }) {
      if (order.act !== "transfer") {
        return yield* Effect.die(new SigningDenied(order.proposalId, "it is no transfer"))
      }
      const { usdc } = ScriptedChain.find(state, order.chainId).connected
      const validBefore = Number(lastValidBlockHeight) + 1
      const { authorization, digest } = Authorizations.unsigned(usdc, { ...order, validBefore }, 0)
      const request = { order, token: usdc, bytes: digest }
      const signature = yield* keys.sign(order.key, "ed25519", request)
      const memo = order.memo === undefined ? {} : { memo: order.memo }
      return wrapped(relayer, { ...authorization, signature: bytesToHex(signature) }, bid, memo)
    }),
    ...swaps(state, present, relayer, keys),
    ...burnsNothing,
    broadcast: (chainId, wire) =>
      Effect.flatMap(
        present(chainId, (chain) => ({ chain, refusal: Mempool.take(chain, wire) })),
        ({ chain, refusal }) => {
          if (refusal !== undefined) {
            return Effect.fail(unavailable(chainId, "inconsistent", refusal))
          }
          if (chain.lostReplies === 0) return Effect.void
          chain.lostReplies--
          return Effect.fail(unavailable(chainId, "unreachable", "the node's answer was lost"))
        }
      ),
    trace: (transfer, attempts) =>
      present(transfer.chainId, (chain) => trace(chain, transfer, attempts)),
    ...signedRelay(relayer, present)
  }
}

/** Sends on the Solana chains of a state; two relayers that do not share stores need two addresses. */
export const layer = (
  state: ScriptedChain.State,
  relayer = someRelayer
): Layer.Layer<SolanaRelay, never, WalletKeys> =>
  Layer.effect(
    SolanaRelay,
    Effect.map(WalletKeys, (keys) => make(state, relayer, keys))
  )
