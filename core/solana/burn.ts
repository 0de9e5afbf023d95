/**
 * A burn as a wallet's call on Solana: USDC is destroyed for a receiver on another chain. The call names what follows from
 * a bridge's approved terms, to the last unit; under which block and by which accounts it is burnt is found when it is signed.
 */
import { Option, Schema } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { TokenAmount } from "../chains/token-amount.ts"
import type { Submission, Terms } from "../submissions/submission.ts"
import type { KnownPayment } from "../submissions/submitter.ts"

const Told = Schema.Struct({
  /** The number of the chain that it goes to, and whom it is minted to there: 32 bytes in hex. */
  domain: Schema.Int,
  recipient: Schema.String,
  maxFeeUnits: Schema.BigIntFromString,
  minFinality: Schema.Int
})
export type Told = typeof Told.Type

/** Units and identity stand in it too, so that no two burns have one call. */
const BurnCall = Schema.Struct({
  burn: Schema.Struct({
    ...Told.fields,
    units: Schema.BigIntFromString,
    identity: Schema.String
  })
})
type Call = (typeof BurnCall.Type)["burn"]

const BurnCallJson = Schema.toCodecJson(BurnCall)
const encode = Schema.encodeSync(BurnCallJson)
const decode = Schema.decodeUnknownOption(BurnCallJson)

/** As it stands in the terms of a submission. */
export const callOf = (burn: Call): NonNullable<Terms["call"]> =>
  encode({ burn }) as NonNullable<Terms["call"]>

/** A burn as it is looked for, tried and signed. */
export interface Burn extends KnownPayment, Told {
  /** The program that burns. */
  readonly to: AddressKey
  readonly amount: TokenAmount
}

/** What is burnt by an act on a chain; undefined when it does something else, or says another amount or identity. */
export const burnOf = (
  chainId: string,
  {
    act,
    amount,
    call,
    from,
    identity,
    to
  }: Pick<Terms, "act" | "amount" | "call" | "from" | "identity" | "to">
): Burn | undefined => {
  const told = act === "call" ? Option.getOrUndefined(decode(call))?.burn : undefined
  if (told === undefined || told.units !== amount.units || told.identity !== identity) {
    return undefined
  }
  const { domain, maxFeeUnits, minFinality, recipient } = told
  return { chainId, from, to, amount, identity, domain, recipient, maxFeeUnits, minFinality }
}

/** What a submission burns. */
export const burnIn = ({ chainId, terms }: Pick<Submission, "chainId" | "terms">) =>
  burnOf(chainId, terms)
