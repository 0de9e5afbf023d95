/**
 * What an x402 client sends in PAYMENT-SIGNATURE: read field by field, so that nothing of it but what was
 * signed, and for which offer, ever goes any further.
 */
import { Effect, Schema } from "effect"
import { keyOf, parse as parseAddress } from "../../core/chains/address.ts"
import { hexKey } from "../../core/chains/evm.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import { type Accepted, PaymentRefused } from "../../core/x402/offer.ts"
import type { Payment } from "../../core/x402/verify.ts"

const Address = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/u))
/** Text that is kept as it came. The database takes no NUL and no half of a surrogate pair. */
const Kept = Schema.String.check(Schema.isPattern(/^[^\0\p{Cs}]*$/u))
const Whole = Schema.String.check(Schema.isPattern(/^(?:0|[1-9]\d{0,77})$/u))

const resource = Schema.optionalKey(Schema.NullOr(Schema.Struct({ url: Kept })))

const extra = Schema.optionalKey(
  Schema.NullOr(
    Schema.Struct({
      name: Schema.optionalKey(Kept),
      version: Schema.optionalKey(Kept),
      feePayer: Schema.optionalKey(Kept),
      memo: Schema.optionalKey(Kept)
    })
  )
)

const accepted = {
  scheme: Schema.Literal("exact"),
  amount: Whole,
  maxTimeoutSeconds: Schema.optionalKey(Schema.Finite),
  extra
}

/** Version 2 of the protocol, scheme `exact` on EVM by EIP-3009. */
const OnEvm = Schema.Struct({
  x402Version: Schema.Literal(2),
  resource,
  accepted: Schema.Struct({
    ...accepted,
    network: Schema.String.check(Schema.isPattern(/^eip155:[1-9]\d{0,15}$/u)),
    asset: Address,
    payTo: Address
  }),
  payload: Schema.Struct({
    // A contract's signature is as long as the contract likes.
    signature: Schema.String.check(Schema.isPattern(/^0x(?:[0-9a-fA-F]{2}){1,2048}$/u)),
    authorization: Schema.Struct({
      from: Address,
      to: Address,
      value: Whole,
      validAfter: Whole,
      validBefore: Whole,
      nonce: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}$/u))
    })
  })
})

const SolanaAddress = Schema.String.check(
  Schema.makeFilter((text: string) => parseAddress("solana", text) !== undefined)
)

/** The same scheme on Solana: a transaction that lacks only its fee payer's signature. */
const OnSolana = Schema.Struct({
  x402Version: Schema.Literal(2),
  resource,
  accepted: Schema.Struct({
    ...accepted,
    network: Schema.String.check(Schema.isPattern(/^solana:[A-Za-z0-9]{1,32}$/u)),
    asset: SolanaAddress,
    payTo: SolanaAddress
  }),
  payload: Schema.Struct({
    transaction: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9+/]{1,4096}={0,2}$/u))
  })
})

const Payload = Schema.Union([OnEvm, OnSolana])

type Read = typeof Payload.Type
type EvmRead = typeof OnEvm.Type

const decode = Schema.decodeUnknownEffect(Payload)

export interface Paying {
  /** The address it says it pays for. */
  readonly resourceUrl: string | undefined
  readonly signed: Payment
}

const malformed = () =>
  new PaymentRefused({
    reason: "invalid_payload",
    message:
      "PAYMENT-SIGNATURE must be base64 of an x402 version 2 payload of the scheme exact, with an EIP-3009 signature or a Solana transaction."
  })

/** What no clock will say for tens of thousands of years is refused before it is counted with. */
const isSane = (text: string): boolean => text.length <= 12

const parse = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, "base64").toString("utf8"))
  } catch {
    return undefined
  }
}

const authorizationOf = Effect.fnUntraced(function* (chainId: string, read: EvmRead) {
  const { authorization, signature } = read.payload
  const { validBefore } = authorization
  if (!isSane(authorization.validAfter) || !isSane(validBefore)) {
    return yield* new PaymentRefused({
      reason: "invalid_exact_evm_payload_authorization_valid_before",
      message: "The signature is valid for too long; use the offer's maxTimeoutSeconds."
    })
  }
  const validAfter = Number(authorization.validAfter)
  const signed: Authorization = {
    act: "transfer",
    chainId,
    token: keyOf(chainId, read.accepted.asset),
    from: keyOf(chainId, authorization.from),
    to: keyOf(chainId, authorization.to),
    amountMicro: Usdc.make(BigInt(authorization.value)),
    nonce: hexKey(authorization.nonce),
    ...(validAfter === 0 ? {} : { validAfter }),
    validBefore: Number(validBefore),
    signature: hexKey(signature)
  }
  return signed
})

const transactionOf = Effect.fnUntraced(function* (chainId: string, read: typeof OnSolana.Type) {
  const { readSigned } = yield* SolanaRelay
  const payTo = keyOf(chainId, read.accepted.payTo)
  const signed = yield* readSigned(chainId, read.payload.transaction, payTo)
  return "_tag" in signed ? yield* new PaymentRefused(signed) : signed
})

const acceptedOf = (chainId: string, { accepted }: Read): Accepted => {
  const { amount, asset, extra, maxTimeoutSeconds, payTo } = accepted
  return {
    ...extra,
    chainId,
    token: keyOf(chainId, asset),
    payTo: keyOf(chainId, payTo),
    amountMicro: Usdc.make(BigInt(amount)),
    ...(maxTimeoutSeconds === undefined ? {} : { maxTimeoutSeconds })
  }
}

/** Reads the header; `chainIdOf` names the connected chain of a network, if there is one. */
export const read = Effect.fnUntraced(function* (
  header: string,
  chainIdOf: (network: string) => string | undefined
) {
  const found = yield* Effect.mapError(decode(parse(header)), malformed)
  const { accepted, payload, resource } = found
  const chainId = chainIdOf(accepted.network)
  if (chainId === undefined) {
    return yield* new PaymentRefused({
      reason: "invalid_network",
      message: `Payments on ${accepted.network} are not accepted here.`
    })
  }
  const paying: Paying = {
    resourceUrl: resource?.url,
    signed: {
      authorization:
        "transaction" in found.payload
          ? yield* transactionOf(chainId, found as typeof OnSolana.Type)
          : yield* authorizationOf(chainId, found as EvmRead),
      accepted: acceptedOf(chainId, found),
      payload: { x402Version: 2, accepted, payload, resource: resource ?? null }
    }
  }
  return paying
})
