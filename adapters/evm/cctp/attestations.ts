/**
 * The issuer's attestation service over HTTP: what a transfer costs, and the attested message of a burn. Everything it
 * says is checked against the chain by whoever asks; an answer that cannot be read is no answer.
 */
import { Effect, Schema } from "effect"
import { type Decimal, ofNumber } from "../../../core/money/decimal.ts"
import * as Provider from "../provider.ts"

export const publicUrls = {
  main: "https://iris-api.circle.com",
  test: "https://iris-api-sandbox.circle.com"
} as const

export interface Fee {
  readonly finalityThreshold: number
  readonly basisPoints: Decimal
}

const Hex = Schema.String.check(Schema.isPattern(/^0x(?:[0-9a-fA-F]{2})+$/u))

const Fees = Schema.Array(
  Schema.Struct({ finalityThreshold: Schema.Int, minimumFee: Schema.Number })
)

const Message = Schema.Struct({
  message: Schema.NullOr(Schema.String),
  attestation: Schema.NullOr(Schema.String),
  status: Schema.String,
  delayReason: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const Messages = Schema.Struct({ messages: Schema.Array(Message) })

const Allowance = Schema.Struct({ allowance: Schema.Number })

export interface Attestation {
  /** Null until it is signed. */
  readonly signed: { readonly message: `0x${string}`; readonly attestation: `0x${string}` } | null
  readonly delayReason: string | null
}

const signedOf = ({ attestation, message, status }: typeof Message.Type): Attestation["signed"] => {
  const isHex = Schema.is(Hex)
  return status === "complete" && isHex(message) && isHex(attestation)
    ? {
        message: message as `0x${string}`,
        attestation: attestation as `0x${string}`
      }
    : null
}

const millionths = 1_000_000

/** Speaks to one service; its connections end with the scope. */
export const make = Effect.fnUntraced(function* (options: Provider.Options) {
  const { ask, decoded, failed } = yield* Provider.make("The attestation service", options)
  const get = (path: string) => ask(`v2/${path}`)
  return {
    /** What a transfer between two domains costs, by how final the burn must be. */
    fees: Effect.fnUntraced(function* (from: number, to: number) {
      const fees = yield* decoded(Fees, yield* get(`burn/USDC/fees/${from}/${to}`))
      return fees.flatMap(({ finalityThreshold, minimumFee }): ReadonlyArray<Fee> => {
        const basisPoints = ofNumber(minimumFee)
        return basisPoints === undefined || basisPoints.units < 0n
          ? []
          : [{ finalityThreshold, basisPoints }]
      })
    }),
    /** How much may be carried fast now, in the smallest units. */
    fastAllowance: Effect.gen(function* () {
      const { allowance } = yield* decoded(Allowance, yield* get("fastBurn/USDC/allowance"))
      return Number.isFinite(allowance) && allowance > 0
        ? BigInt(Math.floor(allowance)) * BigInt(millionths)
        : 0n
    }),
    /** Of the messages of a transaction; undefined when the service does not know the transaction yet. */
    messages: Effect.fnUntraced(function* (domain: number, txHash: string) {
      const reply = yield* get(`messages/${domain}?transactionHash=${txHash}`)
      if (reply.status === 404) return undefined
      const { messages } = yield* decoded(Messages, reply)
      return messages.map(
        (each): Attestation => ({
          signed: signedOf(each),
          delayReason: each.delayReason ?? null
        })
      )
    }),
    /** Asks for an attestation that has run out to be made anew. */
    attestAnew: (nonce: string) =>
      Effect.flatMap(ask(`v2/reattest/${nonce}`, "POST"), (reply) =>
        reply.status < 300 ? Effect.void : Effect.fail(failed(reply))
      )
  }
})

export type Attestations = Effect.Success<ReturnType<typeof make>>
