/**
 * I15: money is whole smallest units from text to text. What was written is read as itself, random text is
 * read as a slower reader of our own reads it, and what is no amount is refused.
 */
import * as Usdc from "../../core/money/usdc.ts"
import { amountUsdc } from "../support/wrong-amounts.ts"
import type { Part } from "./part.ts"

const digits = "0123456789"
const near = `${digits}${digits}..,+-eE_x n`

const below = (bound: number) => Math.floor(Math.random() * bound)

/** Every length of amount as often as another. */
const anAmount = (): bigint => {
  const length = 1 + below(18)
  let text = String(1 + below(9))
  while (text.length < length) text += digits[below(10)]
  return BigInt(text)
}

const anyText = (): string => {
  const length = 1 + below(12)
  let text = ""
  while (text.length < length) text += near[below(near.length)]
  return text
}

/** Digit by digit, without an expression. */
const readSlowly = (text: string): bigint | undefined => {
  const [whole = "", fraction, ...rest] = text.split(".")
  const isDigits = (part: string) => part !== "" && [...part].every((each) => digits.includes(each))
  if (rest.length > 0 || !isDigits(whole) || (whole.length > 1 && whole.startsWith("0"))) {
    return undefined
  }
  if (fraction !== undefined && (!isDigits(fraction) || fraction.length > 6)) return undefined
  let micro = 0n
  for (const digit of `${whole}${(fraction ?? "").padEnd(6, "0")}`) {
    micro = micro * 10n + BigInt(digits.indexOf(digit))
  }
  return micro > 0n && micro <= Usdc.maxMicro ? micro : undefined
}

export const part: Part = {
  name: "amounts",
  promise: "no amount is lost or invented between its text and its smallest units",
  run: async ({ quick }) => {
    const values = quick ? 100_000 : 1_000_000
    let drifted = 0
    let sum = 0n
    let writtenSum = 0n
    for (let number = 0; number < values; number++) {
      const micro = anAmount()
      const read = Usdc.parse(Usdc.format(micro))
      if (read !== micro) drifted += 1
      sum += micro
      writtenSum += read ?? 0n
    }
    let misread = 0
    let refused = 0
    for (let number = 0; number < values; number++) {
      const text = anyText()
      const read = Usdc.parse(text)
      if (read !== readSlowly(text)) misread += 1
      if (read === undefined) refused += 1
    }
    const texts = amountUsdc.filter((each) => typeof each === "string")
    const taken = texts.filter((text) => Usdc.parse(text) !== undefined)
    return [
      {
        invariant: "I15",
        what: "amounts written and read again",
        seen: `${values} values, ${drifted} drifted; their sum differs by ${sum - writtenSum}`,
        holds: drifted === 0 && sum === writtenSum
      },
      {
        invariant: "I15",
        what: "random text against a second reader",
        seen: `${values} texts, ${refused} refused, ${misread} read differently`,
        holds: misread === 0 && refused > 0 && refused < values
      },
      {
        invariant: "I15",
        what: "text that is no amount",
        seen: `${texts.length} forms, ${taken.length} taken`,
        holds: taken.length === 0 && texts.length > 0
      }
    ]
  }
}
