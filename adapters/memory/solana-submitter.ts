/**
 * Port SolanaRelay over the scripted chains. A transaction waits until the script mines a block; in the place of a
 * mark stands the identity that the chain takes once, and in the place of a block hash's life a minute and a half.
 */
import { Clock, type DateTime, Effect, Layer } from "effect"
import { bytesToHex } from "viem/utils"
import * as Address from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Attempt } from "../../core/solana/journal.ts"
import { type Bid, SolanaRelay, type TransactionStatus } from "../../core/solana/relay.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import type { KnownPayment } from "../../core/submissions/submitter.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Authorizations from "./authorization.ts"
import * as Mempool from "./mempool.ts"
import * as ScriptedChain from "./scripted-chain.ts"
import * as Signed from "./solana-signed.ts"

export const relayer = Address.Address.make(Base58.encode(new Uint8Array(32).fill(78)))
const muchLamports = 1_000_000_000_000n
const markLamports = 1_447_680n
const accountLamports = 2_039_280n
const maxPriority = 100_000n
const units = 15_000
const hashLifeSeconds = 90

const seconds = (time: DateTime.Utc): number => Math.floor(time.epochMilliseconds / 1000)

/** A signature of 64 bytes that no other transaction has. */
const txIdOf = (txHash: string): Address.TransactionId => {
  const hash = Buffer.from(txHash.slice(2), "hex")
  return Address.TransactionId.make(Base58.encode(Buffer.concat([hash, hash])))
}

/** Each transaction is a relayer's own, so that none waits for another. */
const wrapped = (
  authorization: Parameters<typeof Mempool.wrap>[1],
  { priority }: Bid,
  more: Parameters<typeof Mempool.wrap>[4] = {}
) => {
  const fees = { maxFeePerGas: priority, maxPriorityFeePerGas: priority }
  const slot = Address.Address.make(
    `${relayer} ${authorization.nonce} ${authorization.validBefore} ${priority}`
  )
  const { raw, txHash } = Mempool.wrap(slot, authorization, 0, fees, more)
  return { wire: raw, txId: txIdOf(txHash) }
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
  return { txId: txIdOf(landed.txHash), isFinal, paid: { to, amount } }
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
    (each) => isOf(transfer)(each) && attempts.some(({ txId }) => txId === txIdOf(each.txHash))
  )
  const newest = failed.at(-1)
  const finalBlock = chain.blocks[finalizedNumber]
  if (newest !== undefined && failed.length === attempts.length) {
    return {
      _tag: "failed",
      txId: txIdOf(newest.txHash),
      reason: "The wallet holds too little USDC.",
      isPassing: false,
      isFinal: failed.every(({ blockNumber }) => blockNumber <= finalizedNumber)
    }
  }
  const time = BigInt(finalBlock === undefined ? 0 : seconds(finalBlock.timestamp))
  const areDead = attempts.every(({ lastValidBlockHeight }) => time > lastValidBlockHeight)
  return { _tag: areDead ? "dead" : "pending" }
}

const hasReceived = ({ blocks }: ScriptedChain.Scripted, owner: Address.AddressKey) =>
  blocks.some(({ payments }) => payments.some(({ to }) => to === owner))

/** Nothing but USDC moves on the scripted chains, and no program takes messages. */
const swapsNothing: Pick<
  SolanaRelay["Service"],
  "signBurn" | "tryBurn" | "signDelivery" | "signSwap" | "traceDelivery" | "tryDelivery" | "trySwap"
> = {
  tryBurn: () => Effect.succeed({ _tag: "would_fail", reason: "Nothing is burnt there." }),
  signBurn: ({ proposalId }) => Effect.die(new SigningDenied(proposalId, "nothing is burnt there")),
  tryDelivery: () =>
    Effect.succeed({ _tag: "would_fail", reason: "Nothing is brought there.", isPassing: false }),
  signDelivery: () => Effect.die(new Error("Nothing is brought there.")),
  traceDelivery: () => Effect.succeed({ _tag: "dead" }),
  trySwap: () =>
    Effect.succeed({ _tag: "would_fail", reason: "Nothing is swapped there.", isPassing: false }),
  signSwap: ({ proposalId }) =>
    Effect.die(new SigningDenied(proposalId, "nothing is swapped there"))
}

type Present = <A>(
  chainId: string,
  use: (chain: ScriptedChain.Scripted, nowMs: number) => A
) => Effect.Effect<A, ChainUnavailable>

/** What payers themselves have signed. */
const signedRelay = (
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
      return wrapped(authorization, { ...signed, opensAccount: false })
    }),
  traceSigned: (signed, attempt) =>
    present(signed.chainId, (chain) => {
      const landed = chain.landed.find(({ txHash }) => txIdOf(txHash) === attempt.txId)
      return Signed.traceIt(chain, signed, landed)
    })
})

const make = (
  state: ScriptedChain.State,
  { sign }: WalletKeys["Service"]
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
      Effect.map(
        Effect.flatMap(ScriptedChain.present(state, chainId), (chain) =>
          Mempool.paidBy(chain, wallets, reach)
        ),
        (made) => made.map((each) => ({ ...each, txId: txIdOf(each.txId) }))
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
      const signature = yield* sign(order.key, "ed25519", request)
      const memo = order.memo === undefined ? {} : { memo: order.memo }
      return wrapped({ ...authorization, signature: bytesToHex(signature) }, bid, memo)
    }),
    ...swapsNothing,
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
    ...signedRelay(present)
  }
}

/** Sends on the Solana chains of a state. */
export const layer = (state: ScriptedChain.State): Layer.Layer<SolanaRelay, never, WalletKeys> =>
  Layer.effect(
    SolanaRelay,
    Effect.map(WalletKeys, (keys) => make(state, keys))
  )
