/** What is no amount of money, in either of the two forms in which one is asked for. */
import { broken, notText, type Values } from "./wrong-text.ts"

const digits2To256 = (2n ** 256n).toString()

/** What is no number in any notation that we take. */
const noAmount: ReadonlyArray<string> = [
  "",
  " ",
  "0",
  "00",
  "-1",
  "+1",
  "- 1",
  "01",
  "1e3",
  "1E3",
  "1e-3",
  "0x31",
  "0b1",
  "1_000",
  "1,000",
  "1 000",
  " 1",
  "1 ",
  "1\n",
  "\t1",
  "1n",
  "$1",
  "1 USDC",
  "NaN",
  "Infinity",
  "-Infinity",
  "null",
  "\u0661",
  "\uff11",
  "1\u0000",
  "\u202e1",
  "1".repeat(41),
  digits2To256,
  "9".repeat(40),
  ...broken
]

const noDecimal: Values = [
  ...noAmount,
  "0.0",
  "0.000000",
  ".5",
  "1.",
  "1..0",
  "1.0.0",
  "1,5",
  "1.0000000",
  "0.0000001",
  "1000000000000.000001",
  "1000000000001"
]

/** Where only text is an amount. */
export const amountUsdc: Values = [...noDecimal, ...notText, 49, 12.5]

export const amountUsd: Values = [
  ...noDecimal,
  0,
  -1,
  -0.000001,
  0.0000001,
  1.0000001,
  0.1 + 0.2,
  1_000_000_000_001,
  1e18,
  1e21,
  1e308,
  5e-324,
  true,
  false,
  null,
  [],
  [49],
  ["49"],
  {},
  { amount: 49 }
]

export const amountSmallestUnit: Values = [
  ...noAmount,
  "1.0",
  "1.5",
  "0.1",
  "1000000000000000001",
  ...notText,
  49_000_000
]
