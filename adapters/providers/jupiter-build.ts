/**
 * What Jupiter's swap API answers to `/build`: a quote and the instruction for it. Of the instruction only what the
 * route is made of is kept; whatever else it would have done beside it, before it or after it, is dropped.
 */
import { Option, Schema } from "effect"
import { type Decimal, parse } from "../../core/money/decimal.ts"
import type { Route } from "../../core/solana/swap.ts"

const Units = Schema.String.check(Schema.isPattern(/^\d{1,20}$/u))

const Instruction = Schema.Struct({
  programId: Schema.String,
  accounts: Schema.Array(
    Schema.Struct({ pubkey: Schema.String, isSigner: Schema.Boolean, isWritable: Schema.Boolean })
  ),
  data: Schema.String
})

const Answer = Schema.Struct({
  inputMint: Schema.String,
  outputMint: Schema.String,
  inAmount: Units,
  outAmount: Units,
  swapMode: Schema.Literal("ExactIn"),
  priceImpactPct: Schema.optionalKey(Schema.NullOr(Schema.String)),
  swapInstruction: Schema.optionalKey(Schema.NullOr(Instruction)),
  addressesByLookupTableAddress: Schema.optionalKey(
    Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
  )
})

export interface Build {
  readonly inputMint: string
  readonly outputMint: string
  readonly inAmount: bigint
  readonly outAmount: bigint
  readonly priceImpactPct: Decimal | null
  /** Null where it quotes and gives no instruction. */
  readonly route: Route | null
}

/** Told as a share of one. */
const percentOf = (share: string | null | undefined): Decimal | null => {
  const told = share === null || share === undefined ? undefined : parse(share)
  if (told === undefined) return null
  return told.places >= 2
    ? { units: told.units, places: told.places - 2 }
    : { units: told.units * 10n ** BigInt(2 - told.places), places: 0 }
}

/** Undefined when it is no such answer. */
export const read = (answer: unknown): Build | undefined => {
  const told = Option.getOrUndefined(Schema.decodeUnknownOption(Answer)(answer))
  if (told === undefined) return undefined
  const { addressesByLookupTableAddress: tables, swapInstruction } = told
  return {
    inputMint: told.inputMint,
    outputMint: told.outputMint,
    inAmount: BigInt(told.inAmount),
    outAmount: BigInt(told.outAmount),
    priceImpactPct: percentOf(told.priceImpactPct),
    route:
      swapInstruction === null || swapInstruction === undefined
        ? null
        : {
            program: swapInstruction.programId,
            accounts: swapInstruction.accounts.map(({ isSigner, isWritable, pubkey }) => ({
              address: pubkey,
              isSigner,
              isWritable
            })),
            data: swapInstruction.data,
            tables: Object.keys(tables ?? {})
          }
  }
}
