/**
 * Mutants that no test can notice, because what they change is the same to everybody. Each names its place by the
 * text before and after, so that it is found again when lines move, and says why.
 */

export interface Equivalent {
  readonly module: string
  readonly before: string
  readonly after: string
  readonly why: string
}

const of = (module: string, why: string, ...changes: ReadonlyArray<readonly [string, string]>) =>
  changes.map(([before, after]): Equivalent => ({ module, before, after, why }))

const decimal = "core/money/decimal.ts"
const usd = "core/money/usd.ts"
const usdc = "core/money/usdc.ts"
const worth = "core/sales/worth.ts"
const move = "core/proposals/move.ts"
const filler = "Stryker was here!"

export const equivalent: ReadonlyArray<Equivalent> = [
  ...of(decimal, "The form always has this group, so the default is never taken.", [
    '""',
    `"${filler}"`
  ]),
  ...of(decimal, "The number of an empty text is zero too.", ['"0"', '""']),
  ...of(
    decimal,
    "Both ways give the same at the boundary: a power of ten to the zero is one.",
    ["places < 0", "places <= 0"],
    ["places <= maxPlaces", "places < maxPlaces"],
    ["places <= to", "places < to"]
  ),
  ...of(
    decimal,
    "Zero has no sign, and rounds to zero from either side.",
    ["units < 0n", "units <= 0n"],
    ["numerator < 0n", "numerator <= 0n"]
  ),
  ...of(
    usd,
    "Of two that are equal it does not matter which is taken.",
    ["one < other", "one <= other"],
    ["one > other", "one >= other"]
  ),
  ...of(usd, "Longer texts are above the largest amount.", ["text.length > 20", "false"]),
  ...of(usd, "A text that fits the form has a whole part.", ['""', `"${filler}"`]),
  ...of(usd, "Zero has no sign.", ["micro < 0n", "micro <= 0n"]),
  ...of(
    usdc,
    "Of two that are equal it does not matter which is taken, and nothing is missing.",
    ["one < other", "one <= other"],
    ["present >= amount", "present > amount"]
  ),
  ...of(usdc, "A brand on nothing is nothing.", ["micro === undefined", "false"]),
  ...of(
    worth,
    "Of two that are equal it does not matter which is taken.",
    ["one > other", "one >= other"],
    ["given > got", "given >= got"]
  ),
  ...of(
    move,
    "What was moved stands at the place of what was asked for, so there always is one.",
    ["changes[at]?.[0]", "changes[at][0]"],
    ["from === undefined", "false"]
  ),
  ...of(move, "Without an outcome the status has none either.", [
    "proposal.outcome === null",
    "false"
  ])
]
