/**
 * The data of a route instruction. Taken are only the two forms whose amounts stand before the plan, at fixed places:
 * in the older forms they stand behind it, where whoever writes the plan decides which bytes they are.
 */

/** The one program that may route. */
export const routerProgram = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"

/** Where in the instruction's accounts who and what is sold stands. */
export interface Form {
  readonly discriminator: string
  /** Bytes before the amounts. */
  readonly amountsAt: number
  readonly wallet: number
  readonly source: number
  readonly destination: number
  /** Where another destination than the wallet's own account stands, if the form has one. */
  readonly otherDestination: number | null
  readonly sellMint: number
  readonly buyMint: number
  readonly tokenPrograms: readonly [number, number]
  readonly eventAuthority: number
  readonly program: number
}

const route: Form = {
  discriminator: "bb64facc31c4af14",
  amountsAt: 8,
  wallet: 0,
  source: 1,
  destination: 2,
  otherDestination: 7,
  sellMint: 3,
  buyMint: 4,
  tokenPrograms: [5, 6],
  eventAuthority: 8,
  program: 9
}

const sharedRoute: Form = {
  discriminator: "d19853937cfed8e9",
  amountsAt: 9,
  wallet: 1,
  source: 2,
  destination: 5,
  otherDestination: null,
  sellMint: 6,
  buyMint: 7,
  tokenPrograms: [8, 9],
  eventAuthority: 10,
  program: 11
}

const amountBytes = 22

/** Undefined when it is none of the two. */
export const formOf = (data: Uint8Array): Form | undefined => {
  const discriminator = Buffer.from(data.subarray(0, 8)).toString("hex")
  return [route, sharedRoute].find(
    (form) => form.discriminator === discriminator && data.length > form.amountsAt + amountBytes
  )
}

export interface Amounts {
  readonly inAmount: bigint
  readonly quotedAmount: bigint
  readonly slippageBps: number
  readonly platformFeeBps: number
  /** What is kept of what comes beyond the quote. */
  readonly positiveSlippageBps: number
}

export const amountsIn = (data: Uint8Array, { amountsAt }: Form): Amounts => {
  const view = new DataView(data.buffer, data.byteOffset + amountsAt, amountBytes)
  return {
    inAmount: view.getBigUint64(0, true),
    quotedAmount: view.getBigUint64(8, true),
    slippageBps: view.getUint16(16, true),
    platformFeeBps: view.getUint16(18, true),
    positiveSlippageBps: view.getUint16(20, true)
  }
}

/** The same way with amounts of ours: no fee, no slippage, so that the quote is the least. */
export const withAmounts = (
  data: Uint8Array,
  { inAmount, minBuyAmount }: { readonly inAmount: bigint; readonly minBuyAmount: bigint }
): Uint8Array => {
  const form = formOf(data)
  const own = Uint8Array.from(data)
  // What has no such form has no such places; it is refused as it is.
  if (form === undefined) return own
  const view = new DataView(own.buffer, form.amountsAt, amountBytes)
  view.setBigUint64(0, inAmount, true)
  view.setBigUint64(8, minBuyAmount, true)
  view.setUint16(16, 0, true)
  view.setUint16(18, 0, true)
  view.setUint16(20, 0, true)
  return own
}
