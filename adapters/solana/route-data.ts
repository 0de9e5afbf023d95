/**
 * The programs that may route, and the data of their instructions. Taken are only forms whose amounts stand before the
 * plan, at fixed places: in others they stand behind it, where whoever writes the plan decides which bytes they are.
 */

const jupiter = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"
const okx = "6m2CDdhRgxpH4WjvdzxAYbGxwdGUz5MziiL5jek2kBma"

/**
 * What may route on each chain, which nobody configures. A venue of the real chain names the first alone in routes that
 * can be signed for; the other one is signed for here, where both are programs of ours.
 */
const pinned: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["solana", [jupiter]],
  ["local-solana", [jupiter, okx]]
])

/** The programs that a wallet's swap may call on a chain; none where nothing is swapped. */
export const programsOn = (chainId: string): ReadonlyArray<string> => pinned.get(chainId) ?? []

/** All programs that route anywhere. */
export const routerPrograms: ReadonlyArray<string> = [...new Set([...pinned.values()].flat())]

/** What a swap is held to, as its instruction says it; nought where the form has no such field. */
export interface Amounts {
  readonly inAmount: bigint
  readonly quotedAmount: bigint
  /** What must come back; where a form has none, the quote is, less slippage. */
  readonly minAmount: bigint
  readonly slippageBps: bigint
  readonly platformFeeBps: bigint
  /** What is kept of what comes beyond the quote. */
  readonly positiveSlippageBps: bigint
}

type Field = readonly [name: keyof Amounts, bytes: 2 | 8]

/** Where in the instruction's accounts who and what is sold stands, and in its data how much. */
export interface Form {
  readonly program: string
  readonly discriminator: string
  /** Bytes before the amounts. */
  readonly amountsAt: number
  readonly amounts: ReadonlyArray<Field>
  readonly wallet: number
  readonly source: number
  readonly destination: number
  /** Where another destination than the wallet's own account stands, if the form has one. */
  readonly otherDestination: number | null
  readonly sellMint: number
  readonly buyMint: number
  readonly tokenPrograms: ReadonlyArray<number>
  /** Where it names who signs its events and the program itself, if it tells events so. */
  readonly events: { readonly authority: number; readonly program: number } | null
}

const quoted: ReadonlyArray<Field> = [
  ["inAmount", 8],
  ["quotedAmount", 8],
  ["slippageBps", 2],
  ["platformFeeBps", 2],
  ["positiveSlippageBps", 2]
]

const route: Form = {
  program: jupiter,
  discriminator: "bb64facc31c4af14",
  amountsAt: 8,
  amounts: quoted,
  wallet: 0,
  source: 1,
  destination: 2,
  otherDestination: 7,
  sellMint: 3,
  buyMint: 4,
  tokenPrograms: [5, 6],
  events: { authority: 8, program: 9 }
}

const sharedRoute: Form = {
  program: jupiter,
  discriminator: "d19853937cfed8e9",
  amountsAt: 9,
  amounts: quoted,
  wallet: 1,
  source: 2,
  destination: 5,
  otherDestination: null,
  sellMint: 6,
  buyMint: 7,
  tokenPrograms: [8, 9],
  events: { authority: 10, program: 11 }
}

const swap: Form = {
  program: okx,
  discriminator: "f8c69e91e17587c8",
  amountsAt: 8,
  amounts: [
    ["inAmount", 8],
    ["quotedAmount", 8],
    ["minAmount", 8]
  ],
  wallet: 0,
  source: 1,
  destination: 2,
  otherDestination: null,
  sellMint: 3,
  buyMint: 4,
  tokenPrograms: [],
  events: null
}

/** Where the amounts of a form end, and its plan begins. */
export const planAt = ({ amounts, amountsAt }: Form): number =>
  amounts.reduce((at, [, bytes]) => at + bytes, amountsAt)

/** How a program is called; undefined when the data is of none of its forms. */
export const formOf = (program: string, data: Uint8Array): Form | undefined => {
  const discriminator = Buffer.from(data.subarray(0, 8)).toString("hex")
  return [route, sharedRoute, swap].find(
    (form) =>
      form.program === program && form.discriminator === discriminator && data.length > planAt(form)
  )
}

const viewOf = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength)

const nothing: Amounts = {
  inAmount: 0n,
  quotedAmount: 0n,
  minAmount: 0n,
  slippageBps: 0n,
  platformFeeBps: 0n,
  positiveSlippageBps: 0n
}

export const amountsIn = (data: Uint8Array, { amounts, amountsAt }: Form): Amounts => {
  const view = viewOf(data)
  let at = amountsAt
  const told = amounts.map(([name, bytes]) => {
    const value = bytes === 8 ? view.getBigUint64(at, true) : BigInt(view.getUint16(at, true))
    at += bytes
    return [name, value]
  })
  const read: Amounts = { ...nothing, ...Object.fromEntries(told) }
  const isHeldToQuote = !amounts.some(([name]) => name === "minAmount")
  return isHeldToQuote ? { ...read, minAmount: read.quotedAmount } : read
}

/** The same way with amounts of ours: no fee, no slippage, so that the quote is the least. */
export const withAmounts = (
  program: string,
  data: Uint8Array,
  { inAmount, minBuyAmount }: { readonly inAmount: bigint; readonly minBuyAmount: bigint }
): Uint8Array => {
  const form = formOf(program, data)
  const own = Uint8Array.from(data)
  // What has no such form has no such places; it is refused as it is.
  if (form === undefined) return own
  const view = viewOf(own)
  const ours: Amounts = {
    ...nothing,
    inAmount,
    quotedAmount: minBuyAmount,
    minAmount: minBuyAmount
  }
  let at = form.amountsAt
  for (const [name, bytes] of form.amounts) {
    if (bytes === 8) view.setBigUint64(at, ours[name], true)
    else view.setUint16(at, Number(ours[name]), true)
    at += bytes
  }
  return own
}
