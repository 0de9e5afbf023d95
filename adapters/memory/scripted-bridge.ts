/**
 * The calls by which something leaves a scripted chain and arrives on another: their bytes are the journey itself, so
 * that another journey is another call. On its chain each is a payment to or from the bridge.
 */
import { Schema } from "effect"
import { AddressKey, keyOf, type TransactionId } from "../../core/chains/address.ts"
import { hexKey } from "../../core/chains/evm.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Journey } from "../../core/ports/bridge.ts"
import { type Approval, current } from "./scripted-approvals.ts"
import type { Own } from "./scripted-calls.ts"

/** Whom calls are made to; no contract of any real chain. */
export const contract = AddressKey.make(hexKey(`0x${"b1".repeat(20)}`))

const Json = Schema.toCodecJson(Journey)
const encode = Schema.encodeSync(Json)
const decode = Schema.decodeUnknownSync(Json)

export const isSame = (one: Journey, other: Journey): boolean =>
  canonical(encode(one)) === canonical(encode(other))

export type Act = "depart" | "deliver"

const lengthDigits = 8

/** Its length stands before it: what signs a call may add bytes of its own behind. */
export const callOf = (act: Act, journey: Journey): Schema.JsonObject => {
  const bytes = Buffer.from(canonical({ act, journey: encode(journey) }), "utf8")
  const length = bytes.length.toString(16).padStart(lengthDigits, "0")
  return { to: contract, data: `0x${length}${bytes.toString("hex")}`, value: "0" }
}

export interface Said {
  readonly act: Act
  readonly journey: Journey
}

/** What a call to the bridge says; undefined for any other call. */
export const saidIn = ({ data, to }: { readonly data: string; readonly to: string }) => {
  if (to.toLowerCase() !== contract) return undefined
  const bytes = Buffer.from(data.slice(2), "hex")
  const length = Number.parseInt(data.slice(2, 2 + lengthDigits), 16)
  const text = bytes.subarray(lengthDigits / 2, lengthDigits / 2 + length).toString("utf8")
  const { act, journey } = JSON.parse(text) as Record<string, unknown>
  const said: Said = { act: act === "depart" ? "depart" : "deliver", journey: decode(journey) }
  return said
}

/** One part in so many. */
const feeOneIn = 10_000n

export const feeOf = (units: bigint): bigint => units / feeOneIn

interface Sent {
  readonly txHash: TransactionId
  readonly relayer: string
  readonly own?: Own
}

/** As much of a scripted chain as such calls are made on. */
interface Chain {
  readonly connected: { readonly chain: { readonly id: string }; readonly usdc: AddressKey }
  readonly landed: ReadonlyArray<Sent & { readonly isPaid: boolean }>
  readonly blocks: ReadonlyArray<{
    readonly approvals: ReadonlyArray<Approval>
    readonly payments: ReadonlyArray<Moved>
  }>
}

interface Moved {
  readonly from: AddressKey
  readonly to: AddressKey
  readonly amountMicro: bigint
  readonly signedAs?: string
}

/** The transaction by which a journey's act was done on a chain, if it was. */
export const doneOn = (chain: Chain, act: Act, identity: string) =>
  chain.landed.find(({ isPaid, own }) => {
    if (!isPaid || own === undefined) return false
    const said = saidIn(own)
    return said?.act === act && said.journey.identity === identity
  })

/** Whether somebody else than a wallet brought a journey to its end in these blocks. */
export const isBrought = ({ blocks }: Pick<Chain, "blocks">, identity: string): boolean =>
  blocks.some(({ payments }) =>
    payments.some(({ from, signedAs }) => from === contract && signedAs === identity)
  )

const heldBy = ({ blocks }: Chain, holder: AddressKey): bigint =>
  blocks
    .flatMap(({ payments }) => payments)
    .reduce((held, { amountMicro, from, to }) => {
      const got = to === holder ? held + amountMicro : held
      return from === holder ? got - amountMicro : got
    }, 0n)

/** What a call moves; `refused` when the bridge reverts it, undefined when it is none of the bridge's. */
export const movedBy = (chain: Chain, { own, relayer, txHash }: Sent) => {
  const said = own === undefined ? undefined : saidIn(own)
  if (said === undefined) return undefined
  const { act, journey } = said
  const sender = keyOf(chain.connected.chain.id, relayer)
  if (doneOn(chain, act, journey.identity) !== undefined) return "refused" as const
  const { usdc: token } = chain.connected
  if (act === "depart") {
    const allowed = current(chain as never, { token, owner: sender, spender: contract }) ?? 0n
    const isCovered = allowed >= journey.units && heldBy(chain, sender) >= journey.units
    if (sender !== journey.sender || !isCovered) return "refused" as const
    return { txHash, from: sender, to: contract, amountMicro: Usdc.make(journey.units) }
  }
  if (isBrought(chain, journey.identity)) return "refused" as const
  const units = journey.units - feeOf(journey.units)
  return { txHash, from: contract, to: journey.receiver, amountMicro: Usdc.make(units) }
}
