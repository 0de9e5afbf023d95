/** Payments by signature on the scripted Solana chain, pushed forward by the steps of the other family's. */
import { Effect } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { signedByPayer } from "../../adapters/memory/solana-signed.ts"
import { keyOf } from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import { Chains, type Connected } from "../../core/ports/chains.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import type { SignedTransfer } from "../../core/solana/signed-transfer.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import type { Accepted } from "../../core/x402/offer.ts"
import type { Payment } from "../../core/x402/verify.ts"
import * as Value from "./chain-values.ts"
import * as Rows from "./rows.ts"
import { amountMicro } from "./settlement-steps.ts"
import * as Stored from "./stored-rows.ts"

export const chainId = "local-solana"

const anAddress = () => Value.address(Base58.encode(Buffer.from(Rows.aDigest(), "hex")))

export const aRequest = Effect.fnUntraced(function* (onVault?: Wallet) {
  const vault = onVault ?? (yield* Stored.vault({ chainId, address: anAddress() }))
  return { vault, request: yield* Stored.paymentRequest(vault, { amountMicro }) }
})

/** How long a block that a payer names is good for. */
export const hashLifeSeconds = 90

/** What a payer who holds enough signs for a request. */
export const funded = Effect.fnUntraced(function* (
  request: PaymentRequest,
  over: Partial<SignedTransfer> = {}
) {
  const { connected } = yield* Chains
  const { usdc: token } = connected.find(({ chain }) => chain.id === chainId) as Connected
  const { conditions, relayerAddress } = yield* SolanaRelay
  const feePayer = yield* relayerAddress(chainId)
  const { lastValidBlockHeight } = yield* conditions(chainId)
  const authorization = signedByPayer({
    act: "transfer",
    chainId,
    token,
    from: keyOf(chainId, anAddress()),
    to: keyOf(chainId, request.payToAddress),
    amountMicro: request.amountMicro,
    nonce: Rows.aDigest(),
    feePayer: keyOf(chainId, feePayer),
    blockhash: String(lastValidBlockHeight),
    units: 20_000,
    priority: 1n,
    memo: request.pid,
    ...over
  })
  yield* (yield* ChainScript).fund(authorization.from, authorization.amountMicro)
  const accepted: Accepted = {
    chainId,
    token,
    payTo: keyOf(chainId, request.payToAddress),
    amountMicro: request.amountMicro,
    maxTimeoutSeconds: 180,
    feePayer,
    memo: request.pid
  }
  const payload = { x402Version: 2, nonce: authorization.nonce }
  return { authorization, accepted, payload } satisfies Payment
})
