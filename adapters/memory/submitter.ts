/**
 * Port EvmRelay over the scripted chains. What is broadcast waits until the script mines a block, and the
 * chain's state alone decides what was paid, so it survives the layers over it.
 */
import { Clock, type DateTime, Effect, Layer } from "effect"
import { bytesToHex } from "viem/utils"
import { Address, AddressKey } from "../../core/chains/address.ts"
import type { Attempt, Authorization } from "../../core/evm/journal.ts"
import { EvmRelay, type Simulation, type TransactionStatus } from "../../core/evm/relay.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import type { SolanaRelay } from "../../core/solana/relay.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import type { KnownPayment } from "../../core/submissions/submitter.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Authorizations from "./authorization.ts"
import * as Calls from "./calls.ts"
import * as Mempool from "./mempool.ts"
import { permitsOf } from "./scripted-approvals.ts"
import * as ScriptedChain from "./scripted-chain.ts"
import * as Solana from "./solana-submitter.ts"

export interface Options {
  /** Who carries on EVM chains; two that do not share stores need two. */
  readonly relayer?: Address
  /** The same on Solana. */
  readonly solanaRelayer?: Address
}

const someRelayer = Address.make(`0x${"4e".repeat(20)}`)
const gwei = 1_000_000_000n
const maxPriorityFeePerGas = gwei
const maxFeePerGas = 3n * gwei
const gas = 150_000n
const muchWei = 10n ** 21n

const nobody = AddressKey.make("")

/** The token takes no authorization that was never valid, so what carries this only uses its nonce up. */
export const nothing = {
  act: "transfer" as const,
  token: nobody,
  from: nobody,
  to: nobody,
  amountMicro: Usdc.zero,
  nonce: "",
  validBefore: 0,
  signature: ""
}

const seconds = (time: DateTime.Utc): number => Math.floor(time.epochMilliseconds / 1000)

const trace = (
  chain: ScriptedChain.Scripted,
  authorization: Authorization,
  attempts: ReadonlyArray<Attempt>
): TransactionStatus => {
  const head = ScriptedChain.tip(chain).number
  const finalNumber = Math.max(0, head - chain.connected.confirmations + 1)
  const finalizedNumber = Mempool.finalizedNumber(chain)
  const told = (
    tag: "paid" | "reverted",
    { txHash, blockNumber }: ScriptedChain.Landed
  ): TransactionStatus => ({
    _tag: tag,
    txHash,
    isFinal: blockNumber <= finalNumber
  })
  const paid = ScriptedChain.paidIn(chain, authorization)
  if (paid !== undefined) return told("paid", paid)
  const used = ScriptedChain.usedIn(chain, authorization)
  if (used !== undefined) {
    return { _tag: used.blockNumber <= finalizedNumber ? "impossible" : "spent" }
  }
  if (authorization.act === "permit") {
    const { from, nonce } = authorization
    const isNonceConsumed = (upTo?: number) => permitsOf(chain, from, upTo) > Number(nonce)
    if (isNonceConsumed())
      return { _tag: "nonce_consumed", isFinal: isNonceConsumed(finalizedNumber) }
  }
  const finalBlock = chain.blocks[finalizedNumber]
  if (finalBlock !== undefined && seconds(finalBlock.timestamp) > authorization.validBefore) {
    return { _tag: "impossible" }
  }
  const reverted = chain.landed.find(({ txHash }) =>
    attempts.some((attempt) => attempt.txHash === txHash)
  )
  return reverted === undefined ? { _tag: "pending" } : told("reverted", reverted)
}

/** The transfer that used up the identity of a payment. */
const paymentOn = (chain: ScriptedChain.Scripted, { from, identity }: KnownPayment) => {
  const landed = chain.landed.find(
    ({ authorization: { act, from: holder, nonce }, isPaid }) =>
      isPaid && act === "transfer" && holder === from && nonce === `0x${identity}`
  )
  if (landed === undefined) return undefined
  const { amountMicro, chainId, to, token: address } = landed.authorization
  const amount = { token: { chainId, address }, units: amountMicro }
  const isFinal = landed.blockNumber <= Mempool.finalizedNumber(chain)
  return { txId: landed.txHash, isFinal, paid: { to, amount } }
}

const make = (
  state: ScriptedChain.State,
  relayer: Address,
  keys: WalletKeys["Service"]
): EvmRelay["Service"] => {
  const { sign } = keys
  const unavailable = (
    chainId: string,
    reason: ChainUnavailable["reason"],
    detail: string
  ): ChainUnavailable => new ChainUnavailable({ chainId, reason, detail })

  const present = <A>(
    chainId: string,
    use: (chain: ScriptedChain.Scripted, nowMs: number) => A
  ): Effect.Effect<A, ChainUnavailable> =>
    Effect.zipWith(ScriptedChain.present(state, chainId), Clock.currentTimeMillis, use)

  return {
    ...Calls.make(state, relayer, keys, nothing),
    relayerAddress: () => Effect.succeed(relayer),
    tokenName: (chainId) => present(chainId, () => ({ name: "USD Coin", version: "2" })),
    madeBy: (chainId, wallets, reach) =>
      Effect.flatMap(ScriptedChain.present(state, chainId), (chain) =>
        Mempool.paidBy(chain, wallets, reach)
      ),
    findPayment: (payment) => present(payment.chainId, (chain) => paymentOn(chain, payment)),
    authorize: (order) =>
      Effect.gen(function* () {
        if (order.act !== "transfer" && order.act !== "permit") {
          return yield* Effect.die(
            new SigningDenied(order.proposalId, "it is no transfer or permit")
          )
        }
        const count = (chain: ScriptedChain.Scripted) => permitsOf(chain, order.from)
        const permits = order.act === "permit" ? yield* present(order.chainId, count) : 0
        // On a chain that is not scripted there is none, and the policy denies whatever names one.
        const usdc = state.scripted.get(order.chainId)?.connected.usdc ?? nobody
        const { authorization, digest } = Authorizations.unsigned(usdc, order, permits)
        const request = { order, token: usdc, bytes: digest }
        const signature = yield* sign(order.key, "secp256k1", request)
        return { ...authorization, signature: bytesToHex(signature) }
      }),
    conditions: (chainId) =>
      present(chainId, (chain, nowMs) => ({
        maxFeePerGas,
        maxPriorityFeePerGas,
        relayerCount: Mempool.pendingCount(chain, relayer),
        relayerMined: ScriptedChain.countOf(chain, relayer),
        // Blocks come only when a script says so; the newest may be years old.
        chainTime: seconds(ScriptedChain.timeOf(chain, nowMs)),
        relayerWei: chain.relayersLackGas ? 0n : muchWei,
        dataFeeWei: 0n
      })),
    simulate: (authorization) =>
      present(authorization.chainId, (chain, nowMs): Simulation => {
        const now = seconds(ScriptedChain.timeOf(chain, nowMs))
        const reason = ScriptedChain.refusal(chain, authorization, now)
        return reason === undefined ? { _tag: "ok", gas } : { _tag: "would_revert", reason }
      }),
    wrap: (authorization, relayerNonce, fees) =>
      Effect.sync(() => Mempool.wrap(relayer, authorization, relayerNonce, fees)),
    fill: (chainId, relayerNonce, fees) =>
      Effect.sync(() => Mempool.wrap(relayer, { ...nothing, chainId }, relayerNonce, fees).raw),
    broadcast: (chainId, raw) =>
      Effect.flatMap(
        present(chainId, (chain) => ({ chain, refusal: Mempool.take(chain, raw) })),
        ({ chain, refusal }) => {
          if (refusal !== undefined) {
            return Effect.fail(unavailable(chainId, "inconsistent", refusal))
          }
          if (chain.lostReplies === 0) return Effect.void
          chain.lostReplies--
          return Effect.fail(unavailable(chainId, "unreachable", "the node's answer was lost"))
        }
      ),
    trace: (authorization, attempts) =>
      present(authorization.chainId, (chain) => trace(chain, authorization, attempts))
  }
}

/** Sends on the chains of a state, whichever family they are of. */
export const layer = (
  state: ScriptedChain.State,
  { relayer = someRelayer, solanaRelayer }: Options = {}
): Layer.Layer<EvmRelay | SolanaRelay, never, WalletKeys> =>
  Layer.merge(
    Layer.effect(
      EvmRelay,
      Effect.map(WalletKeys, (keys) => make(state, relayer, keys))
    ),
    Solana.layer(state, solanaRelayer)
  )
