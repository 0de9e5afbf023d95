/**
 * What bounds a key beside its scopes: where calls may come from, which wallets it sends from, whom it
 * pays and how much a day. Null is no bound. Caveats never change, and a key gives none wider than its own.
 */
import { Schema } from "effect"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Usd from "../money/usd.ts"
import * as AddressRange from "./address-range.ts"

export interface Caveats {
  /** CIDR, in the one way they are written. */
  readonly ipRanges: ReadonlyArray<string> | null
  readonly walletIds: ReadonlyArray<string> | null
  readonly recipientIds: ReadonlyArray<string> | null
  /** Per UTC day; what the keys it makes send counts too. */
  readonly dailyCapMicro: Usd.Usd | null
}

export const unbound: Caveats = {
  ipRanges: null,
  walletIds: null,
  recipientIds: null,
  dailyCapMicro: null
}

const AddressRangeText = Text.Line(64).check(
  Schema.makeFilter(
    (text: string) =>
      AddressRange.parse(text) === undefined
        ? "Expected an IP address or a range in CIDR"
        : undefined,
    { expected: "an IP address or a range in CIDR" }
  )
)

const ids = (description: string) =>
  Schema.optionalKey(
    Schema.Array(Id(undefined, 36))
      .check(Schema.isBetweenLength(1, 100), Schema.isUnique())
      .annotate({ description })
  )

/** Each is the calling key's own when it is left out. */
export const input = {
  ipRanges: Schema.optionalKey(
    Schema.Array(AddressRangeText)
      .check(Schema.isBetweenLength(1, 50), Schema.isUnique())
      .annotate({ description: "Allowed client IP addresses or CIDR ranges, IPv4 and IPv6." })
  ),
  walletIds: ids("The wallets it can send from."),
  recipientIds: ids("The recipients it can pay."),
  dailyCapUsd: Schema.optionalKey(
    Text.Line(40).annotate({
      description: 'USD that it and the keys created from it can send per UTC day: `"250.00"`.'
    })
  )
}

/** Null is no bound. */
export const fields = {
  ipRanges: Schema.NullOr(Schema.Array(Schema.String)),
  walletIds: Schema.NullOr(Schema.Array(Schema.String)),
  recipientIds: Schema.NullOr(Schema.Array(Schema.String)),
  dailyCapUsd: Schema.NullOr(Usd.Decimal)
}

/** The first bound by which one set of caveats would let through what another does not. */
export const wider = (wanted: Caveats, own: Caveats): keyof typeof fields | undefined => {
  const exceeds = (some: Caveats["walletIds"], all: Caveats["walletIds"]) =>
    all !== null && (some === null || some.some((id) => !all.includes(id)))
  const escapes = ({ ipRanges }: Caveats) =>
    own.ipRanges !== null &&
    (ipRanges === null || ipRanges.some((range) => !covers(own.ipRanges ?? [], range)))
  if (escapes(wanted)) return "ipRanges"
  if (exceeds(wanted.walletIds, own.walletIds)) return "walletIds"
  if (exceeds(wanted.recipientIds, own.recipientIds)) return "recipientIds"
  const { dailyCapMicro } = wanted
  const isOver =
    own.dailyCapMicro !== null && (dailyCapMicro === null || dailyCapMicro > own.dailyCapMicro)
  return isOver ? "dailyCapUsd" : undefined
}

/** Whether an address or a range lies in one of these; text that is neither lies in none. */
export const covers = (ranges: ReadonlyArray<string>, text: string): boolean => {
  const inner = AddressRange.parse(text)
  if (inner === undefined) return false
  return ranges.some((range) => {
    const outer = AddressRange.parse(range)
    return outer !== undefined && AddressRange.contains(outer, inner)
  })
}
