/** The amount of a transfer as a caller writes it: a decimal string of USDC, read in one place. */
import { Effect } from "effect"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import { InvalidAmount } from "../operation/refusal.ts"

export const AmountUsdc = Text.Line(40).annotate({
  description: 'USDC as a decimal string, `"12.50"`.'
})

/** Its smallest units, exactly, or the refusal that says how to write it. */
export const read = Effect.fnUntraced(function* (amountUsdc: string) {
  const amountMicro = Usdc.parse(amountUsdc)
  if (amountMicro === undefined) {
    return yield* new InvalidAmount({
      param: "amountUsdc",
      message:
        'Send a positive decimal up to a trillion with at most 6 fraction digits, such as "12.50".'
    })
  }
  return amountMicro
})
