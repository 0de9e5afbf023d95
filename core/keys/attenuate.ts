/**
 * What a new key gets of its maker: each caveat and the expiry that the call leaves out are the maker's
 * own, and none that it names may be wider.
 */
import { DateTime, Effect, type Schema } from "effect"
import * as AddressRange from "../accounts/address-range.ts"
import * as Caveats from "../accounts/caveats.ts"
import { capped, maxGenerations } from "../accounts/in-force.ts"
import type { Key } from "../accounts/key.ts"
import * as Usd from "../money/usd.ts"
import { InsufficientScope, InvalidAmount, NotFound } from "../operation/refusal.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { Wallets } from "../wallets/wallet-store.ts"

/** Caveats as a caller names them. */
export type CaveatsInput = Schema.Struct<typeof Caveats.input>["Type"]

const unknown = (param: string, thing: string, operation: string) =>
  new NotFound({
    param,
    message: `This account has no ${thing} with one of these ids; see ${operation}.`,
    next: { operation, args: {} }
  })

/** Whatever a caveat names is the account's own. */
const checkIds = Effect.fnUntraced(function* (accountId: string, wanted: CaveatsInput) {
  const [wallets, recipients] = [yield* Wallets, yield* Recipients]
  for (const id of wanted.walletIds ?? []) {
    if ((yield* wallets.find(accountId, id)) !== undefined) continue
    return yield* unknown("walletIds", "wallet", "list_wallets")
  }
  for (const id of wanted.recipientIds ?? []) {
    if ((yield* recipients.find(accountId, id)) !== undefined) continue
    return yield* unknown("recipientIds", "recipient", "list_recipients")
  }
})

const capOf = Effect.fnUntraced(function* (text: string) {
  const micro = Usd.parse(text)
  if (micro !== undefined) return micro
  return yield* new InvalidAmount({
    param: "dailyCapUsd",
    message: 'Send a positive decimal with at most 6 fraction digits, such as "250.00".'
  })
})

const canonicalRanges = (ranges: ReadonlyArray<string>) => [
  ...new Set(
    ranges.flatMap((text) => {
      const range = AddressRange.parse(text)
      return range === undefined ? [] : [AddressRange.format(range)]
    })
  )
]

/** The caveats of a key that `maker` makes; whoever acts without a key gives what they are asked for. */
export const attenuate = Effect.fnUntraced(function* (
  accountId: string,
  maker: Key | undefined,
  wanted: CaveatsInput
) {
  yield* checkIds(accountId, wanted)
  const own = maker ?? Caveats.unbound
  const caveats: Caveats.Caveats = {
    ipRanges: wanted.ipRanges === undefined ? own.ipRanges : canonicalRanges(wanted.ipRanges),
    walletIds: wanted.walletIds ?? own.walletIds,
    recipientIds: wanted.recipientIds ?? own.recipientIds,
    dailyCapMicro:
      wanted.dailyCapUsd === undefined ? own.dailyCapMicro : yield* capOf(wanted.dailyCapUsd)
  }
  const param = Caveats.wider(caveats, own)
  if (param !== undefined) {
    return yield* new InsufficientScope({
      param,
      message: `A key cannot create a key with more rights: narrow ${param}, or omit it to copy this key's own.`
    })
  }
  if (maker !== undefined && (yield* capped(maker)).length >= maxGenerations) {
    return yield* new InsufficientScope({
      message: `Delegation depth exceeded: keys with a daily cap can be ${maxGenerations} levels deep; use a parent key.`
    })
  }
  return caveats
})

/** The expiry of a key that `maker` makes: not after the maker's own, which it is when none is named. */
export const narrowExpiry = Effect.fnUntraced(function* (
  maker: Key | undefined,
  wanted: DateTime.Utc | null
) {
  const own = maker?.expiresAt ?? null
  if (own === null || wanted === null) return wanted ?? own
  if (DateTime.isLessThanOrEqualTo(wanted, own)) return wanted
  return yield* new InsufficientScope({
    param: "expiresAt",
    message: `expiresAt must not exceed the parent key's ${DateTime.formatIso(own)}; send an earlier one, or omit it.`
  })
})
