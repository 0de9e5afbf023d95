/** Why a transaction of ours fails, told by the instruction that failed and its error. */

import { outOfUsdc, priceMoved } from "../../core/solana/reasons.ts"
import { at } from "./ask.ts"
import type { Part } from "./transaction.ts"

export type Failure =
  /** It will fail whenever it is tried, until somebody changes something. */
  | { readonly _tag: "told"; readonly reason: string }
  /** Another way, or a moment later, may do. */
  | { readonly _tag: "passing"; readonly reason: string }
  /** The mark is there already. */
  | { readonly _tag: "marked" }
  /** The relayer's own part: nothing is wrong with the payment. */
  | { readonly _tag: "relayer"; readonly detail: string }

const insufficient = 1
const alreadyInUse = 0
const frozen = 17
const slippage = 6001

export const tooLittle = outOfUsdc

const refusal = (reason: string): Failure => ({ _tag: "told", reason })

const ofTransfer = (code: unknown, detail: string): Failure => {
  if (code === insufficient) return refusal(tooLittle)
  if (code === frozen) {
    return refusal("The issuer of USDC has frozen the account of the wallet or of the recipient.")
  }
  return refusal(`The transfer fails: ${detail}.`)
}

const expired = 6016
const paused: ReadonlyArray<unknown> = [6001, 6002]

/** What a message waits for while its receiver is frozen or the issuer has paused; any other may be brought anew. */
const ofDelivery = (code: unknown, detail: string): Failure => {
  if (code === frozen) {
    return { _tag: "passing", reason: "The issuer of USDC has frozen the receiving account." }
  }
  if (paused.includes(code)) {
    return { _tag: "passing", reason: "The issuer of USDC has paused what arrives." }
  }
  if (code === insufficient) {
    return { _tag: "passing", reason: "The issuer of USDC may not mint so much now." }
  }
  if (code === alreadyInUse) return refusal("It was brought there already.")
  return refusal(code === expired ? "The attestation ran out." : `The delivery fails: ${detail}.`)
}

const denylisted = 6021
const feeTooLow = 6026

const ofBurn = (code: unknown, detail: string): Failure => {
  if (code === insufficient) return refusal(tooLittle)
  if (code === frozen) return refusal("The issuer of USDC has frozen the account of the wallet.")
  if (code === denylisted) return refusal("The issuer of USDC lets the wallet burn nothing.")
  if (code === feeTooLow) return refusal("The issuer of USDC asks for a higher fee now.")
  return refusal(
    paused.includes(code)
      ? "The issuer of USDC has paused what leaves."
      : `The burn fails: ${detail}.`
  )
}

export const failureOf = (error: unknown, parts: ReadonlyArray<Part>): Failure => {
  const detail = JSON.stringify(error)
  const index = at(error, "InstructionError", 0)
  const code = at(error, "InstructionError", 1, "Custom")
  const part = typeof index === "number" ? parts[index] : undefined
  switch (part) {
    case "transfer":
      return ofTransfer(code, detail)
    case "mark":
      return code === alreadyInUse ? { _tag: "marked" } : { _tag: "relayer", detail }
    case "account":
      return code === insufficient
        ? { _tag: "relayer", detail }
        : refusal(`The recipient's USDC account cannot be opened: ${detail}.`)
    case "memo":
      return refusal(`The memo cannot be written: ${detail}.`)
    case "route":
      return {
        _tag: "passing",
        reason: code === slippage ? priceMoved : `The route fails: ${detail}.`
      }
    case "burn":
      return ofBurn(code, detail)
    case "delivery":
      return ofDelivery(code, detail)
    case "budget":
    case undefined:
      // Fees, rent, a block that is not known: what concerns the whole transaction is the relayer's.
      return { _tag: "relayer", detail }
  }
}
