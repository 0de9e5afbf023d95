/**
 * Payers' own transactions on the scripted Solana chains: JSON in the place of bytes, a digest in the place of a
 * signature, and a time in the place of a block's life.
 */
import { Option, Schema } from "effect"
import type { AddressKey } from "../../core/chains/address.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import type { SignedTrace, SignedTrial } from "../../core/solana/relay.ts"
import { type NotPlain, SignedTransfer } from "../../core/solana/signed-transfer.ts"
import * as Authorizations from "./authorization.ts"
import * as Mempool from "./mempool.ts"
import * as ScriptedChain from "./scripted-chain.ts"

const Json = Schema.fromJsonString(Schema.toCodecJson(SignedTransfer))
const encode = Schema.encodeSync(Json)
const decode = Schema.decodeUnknownOption(Json)

type Fields = Omit<SignedTransfer, "wire" | "signature">

/** The block that a transaction names says in Unix seconds until when it is taken. */
const endOf = ({ blockhash }: Pick<SignedTransfer, "blockhash">): number => Number(blockhash)

/** What the token of a scripted chain takes in the place of the transaction. */
export const authorizationOf = (signed: Fields & { readonly signature: string }): Authorization => {
  const { act, amountMicro, chainId, from, nonce, signature, to, token } = signed
  return {
    act,
    chainId,
    token,
    from,
    to,
    amountMicro,
    nonce,
    validBefore: endOf(signed),
    signature
  }
}

/** As a payer's wallet signs it. */
export const signedByPayer = (fields: Fields): SignedTransfer => {
  const { signature } = Authorizations.signedByPayer(authorizationOf({ ...fields, signature: "" }))
  const signed = { ...fields, signature, wire: "" }
  return { ...signed, wire: Buffer.from(encode(signed)).toString("base64") }
}

export const read = (
  chainId: string,
  wire: string,
  payTo: AddressKey
): SignedTransfer | NotPlain => {
  const found = Option.getOrUndefined(decode(Buffer.from(wire, "base64").toString("utf8")))
  const no = (reason: string, message: string): NotPlain => ({
    _tag: "not_plain",
    reason: `invalid_exact_svm_payload_${reason}`,
    message
  })
  if (found === undefined || found.chainId !== chainId) {
    return no("transaction_could_not_be_decoded", "The transaction cannot be read.")
  }
  if (found.to !== payTo) return no("recipient_mismatch", "The transfer is to another account.")
  return Authorizations.isSigned(authorizationOf(found))
    ? { ...found, wire }
    : no("signature_invalid", "The payer's signature is invalid.")
}

const wouldFail = (reason: string): SignedTrial => ({ _tag: "would_fail", reason })

export const tryIt = (
  chain: ScriptedChain.Scripted,
  signed: SignedTransfer,
  atSeconds: number
): SignedTrial => {
  const authorization = authorizationOf(signed)
  if (ScriptedChain.paidIn(chain, authorization) !== undefined) return { _tag: "landed" }
  if (atSeconds >= endOf(signed)) return { _tag: "expired" }
  return ScriptedChain.balance(chain, signed.from) < signed.amountMicro
    ? wouldFail("The wallet holds too little USDC.")
    : { _tag: "ok" }
}

export const traceIt = (
  chain: ScriptedChain.Scripted,
  signed: SignedTransfer,
  landed: ScriptedChain.Landed | undefined
): SignedTrace => {
  const finalNumber = Mempool.finalizedNumber(chain)
  if (landed !== undefined) {
    const isFinal = landed.blockNumber <= finalNumber
    const reason = "The wallet holds too little USDC."
    return landed.isPaid ? { _tag: "paid", isFinal } : { _tag: "failed", isFinal, reason }
  }
  const finalMs = chain.blocks[finalNumber]?.timestamp.epochMilliseconds ?? 0
  return { _tag: finalMs / 1000 >= endOf(signed) ? "dead" : "pending" }
}
