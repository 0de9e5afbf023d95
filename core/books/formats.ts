/** The formats that books are written in, by the name a caller chooses. */
import { beancount } from "./beancount.ts"
import { csv } from "./csv.ts"
import type { Format } from "./format.ts"
import { hledger } from "./hledger.ts"
import { ofx } from "./ofx.ts"
import type { Statement } from "./statement.ts"

export const formatNames = ["csv", "hledger", "beancount", "ofx"] as const
export type FormatName = (typeof formatNames)[number]

export const formats: Readonly<Record<FormatName, (statement: Statement) => Format>> = {
  csv,
  hledger,
  beancount,
  ofx
}
