/** Makes API keys, each shown once: a caller's is of its own kind and never wider than its own; the operator grants any. */
import { DateTime, Effect, Schema } from "effect"
import { noSuchAccount } from "../accounts/account.ts"
import { Accounts, Keys } from "../accounts/account-store.ts"
import * as Caveats from "../accounts/caveats.ts"
import { ended } from "../accounts/in-force.ts"
import * as Key from "../accounts/key.ts"
import { seenOf } from "../accounts/seen-keys.ts"
import { operator, record } from "../audit/record.ts"
import * as Text from "../encoding/text.ts"
import { Caller, Scope } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InsufficientScope, InvalidAmount, InvalidRequest, NotFound } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import * as Timestamp from "../time/timestamp.ts"
import { attenuate, type CaveatsInput as Narrowed, narrowExpiry } from "./attenuate.ts"

/** A key bound by nothing but its scopes, where no caveat is named. */
export interface KeyInput extends Partial<Caveats.Caveats> {
  readonly accountId: string
  readonly kind: Key.Key["kind"]
  readonly scopes: ReadonlyArray<Scope>
  readonly label: string | null
  readonly expiresAt: DateTime.Utc | null
  readonly madeBy?: string
}

/** Issues a key and returns it with its text; the operator's tools and set-up use it too. */
export const issue = Effect.fnUntraced(function* (wanted: KeyInput) {
  const ids = yield* Ids
  const text = Key.compose(wanted.kind, yield* ids.base62(Key.secretLength))
  const key: Key.Key = {
    id: yield* ids.uuid,
    ...Caveats.unbound,
    madeBy: null,
    ...wanted,
    prefix: Key.prefixes[wanted.kind],
    lastFour: text.slice(-4),
    createdAt: yield* DateTime.now,
    lastUsedAt: null,
    revokedAt: null
  }
  const keys = yield* Keys
  yield* keys.issue(key, (yield* Secrets).digest(text))
  seenOf(keys).forgetRefused()
  return { key, text }
})

/** When it is to expire, or a refusal of an instant that makes no sense. */
export const checkExpiry = Effect.fnUntraced(function* (expiresAt: DateTime.Utc | undefined) {
  if (expiresAt === undefined) return null
  const now = yield* DateTime.now
  if (
    DateTime.isLessThanOrEqualTo(expiresAt, now) ||
    DateTime.isGreaterThan(expiresAt, DateTime.add(now, { days: 3650 }))
  ) {
    return yield* new InvalidRequest({
      param: "expiresAt",
      message: "expiresAt must be in the future, at most ten years from now."
    })
  }
  return expiresAt
})

/** Keys of an account in force: few enough that whoever revokes one with all that stem from it waits a second. */
export const maxInForce = 1000

/** As many stem from one another at most; a key that is replaced by one of its own every month lasts eight years. */
export const maxLine = 100

/** Keys make no more than that. People, signed in, and the operator are not bound, so that no thief keeps them from it. */
const requireRoom = Effect.fnUntraced(function* (accountId: string, generation: number) {
  if (generation === 0) return
  if (generation >= maxLine) {
    return yield* new InsufficientScope({
      message: `At most ${maxLine} keys can stem from one another; create the key with an earlier one, or in the console.`
    })
  }
  const inForce = yield* (yield* Keys).countInForce(accountId, yield* DateTime.now, maxInForce)
  if (inForce < maxInForce) return
  return yield* new InvalidRequest({
    message: `${maxInForce} API keys of this account are active already; revoke some of them first.`,
    next: { operation: "list_api_keys", args: {} }
  })
})

interface KeyRequest extends Narrowed {
  readonly scopes: ReadonlyArray<Scope>
  readonly expiresAt?: DateTime.Utc
}

/** What the caller may give of what is asked for; its line stands as it is until the transaction ends. */
const bounds = Effect.fnUntraced(function* ({ expiresAt, scopes, ...asked }: KeyRequest) {
  const caller = yield* Caller
  const wider = scopes.find((scope) => !caller.scopes.has(scope))
  if (wider !== undefined) {
    return yield* new InsufficientScope({
      param: "scopes",
      message: `A key cannot grant scopes it lacks: remove ${wider}.`,
      details: { scope: wider, granted: [...caller.scopes] }
    })
  }
  const line = yield* (yield* Keys).holdLine(caller.accountId, caller.keyId)
  const maker = line.at(-1)
  if (maker !== undefined && !Key.isUsable(maker, yield* DateTime.now)) return yield* ended()
  return {
    maker,
    generation: line.length,
    expiresAt: yield* narrowExpiry(maker, expiresAt ?? null),
    caveats: yield* attenuate(caller.accountId, maker, asked)
  }
})

export const createApiKey = Operation.make("create_api_key", {
  summary:
    "Creates an API key with at most this key's rights and returns it once. Caveats restrict IP addresses, wallets, recipients and the daily amount.",
  next: "Store it now, it is not shown again; revoke_api_key revokes it.",
  scope: "keys:manage",
  role: "owner",
  sideEffect: "write",
  input: {
    scopes: Schema.Array(Scope)
      .check(Schema.isBetweenLength(1, 10), Schema.isUnique())
      .annotate({ description: "A subset of the calling key's scopes." }),
    label: Schema.optionalKey(Text.Line(64)),
    expiresAt: Schema.optionalKey(
      Timestamp.Input.annotate({
        description: "ISO 8601 with a time zone. Default: the calling key's expiry, or none."
      })
    ),
    ...Caveats.input
  },
  output: {
    ...Key.fields,
    apiKey: Schema.optionalKey(Schema.String),
    secretAvailable: Schema.Boolean
  },
  refusals: [InsufficientScope, NotFound, InvalidAmount],
  secrets: ["apiKey"],
  example: { input: { scopes: ["balances:read"], label: "Reporting" } },
  authority: bounds,
  handle: Effect.fnUntraced(function* (input, { expiresAt, caveats, generation, maker }) {
    const caller = yield* Caller
    yield* checkExpiry(input.expiresAt)
    yield* requireRoom(caller.accountId, generation)
    const { key, text } = yield* issue({
      accountId: caller.accountId,
      kind: caller.kind,
      scopes: input.scopes,
      label: input.label ?? null,
      expiresAt,
      ...caveats,
      ...(maker === undefined ? {} : { madeBy: maker.id })
    })
    yield* record({
      accountId: caller.accountId,
      actor: caller.keyId,
      action: "api_key.created",
      subjectType: "api_key",
      subjectId: key.id,
      facts: { lastFour: key.lastFour, scopes: key.scopes.join(" ") }
    })
    return { ...Key.view(key), apiKey: text, secretAvailable: true }
  })
})

export interface Granted {
  readonly accountId: string
  readonly scopes: ReadonlyArray<Scope>
  readonly label: string | null
  readonly expiresAt: DateTime.Utc | undefined
  readonly caveats?: Narrowed
}

/** The key with its text, which nobody sees again. Call it inside a transaction. */
export const grantKey = Effect.fnUntraced(function* ({
  accountId,
  caveats = {},
  ...wanted
}: Granted) {
  const account = yield* (yield* Accounts).find(accountId)
  if (account === undefined) return yield* noSuchAccount()
  const expiresAt = yield* checkExpiry(wanted.expiresAt)
  const bounds = yield* attenuate(accountId, undefined, caveats)
  const issued = yield* issue({ ...wanted, ...bounds, accountId, kind: account.kind, expiresAt })
  yield* record({
    accountId,
    actor: operator,
    action: "api_key.created",
    subjectType: "api_key",
    subjectId: issued.key.id,
    facts: { lastFour: issued.key.lastFour, scopes: issued.key.scopes.join(" ") }
  })
  return issued
})
