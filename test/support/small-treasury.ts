/** A treasury in memory to stand behind the network surfaces: an account, wallets, and keys on demand. */
import { Context, DateTime, Effect, Layer } from "effect"
import * as RateLimits from "../../adapters/memory/rate-limits.ts"
import { Store } from "../../adapters/memory/store.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import { Keys } from "../../core/accounts/account-store.ts"
import { openAccount } from "../../core/accounts/open.ts"
import { Scope } from "../../core/operation/caller.ts"
import type { Listed } from "../../core/tokens/token.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Accounts from "./accounts.ts"
import { aWallet } from "./rows.ts"

export const siteUrl = Wiring.siteUrl

export interface Options {
  readonly wallets?: number
  readonly failuresAllowed?: number
  readonly anonymousAllowed?: number
  readonly callsAllowed?: number
  /** The operator's list; GOLD and JUP when left out. */
  readonly tokens?: ReadonlyArray<Listed>
}

export const everyScope: ReadonlyArray<Scope> = Scope.literals

const plenty = 1e9

/** The account behind the surfaces. */
export class AccountId extends Context.Service<AccountId, string>()("test/AccountId") {}

const seeded = (count: number) =>
  Layer.effect(
    AccountId,
    Effect.gen(function* () {
      const account = yield* openAccount({
        name: "Corner Shop",
        kind: "developer",
        tier: "startup"
      })
      const wallets = yield* Wallets
      yield* Effect.forEach(Array.from({ length: count }), () => wallets.add(aWallet(account.id)))
      return account.id
    })
  )

/** A key of the account; in force unless said otherwise. */
export const issued = Effect.fnUntraced(function* (
  scopes: ReadonlyArray<Scope>,
  over: {
    readonly revoked?: boolean
    readonly expired?: boolean
    readonly ipRanges?: ReadonlyArray<string>
  } = {}
) {
  const accountId = yield* AccountId
  const now = yield* DateTime.now
  const { apiKey, key } = yield* Accounts.issued(
    { accountId, kind: "developer" },
    {
      scopes,
      ipRanges: over.ipRanges ?? null,
      expiresAt: over.expired === true ? now : null
    }
  )
  if (over.revoked === true) yield* (yield* Keys).revoke(accountId, key.id, now)
  return apiKey
})

/** The tag whose look-up fails, as a database would. */
export const brokenTag = "broken"

const broken = () => new Error("/var/lib/bursar.ts:7 select * from wallets")

const brittle = Layer.effect(
  Wallets,
  Effect.map(Wallets, (book) => ({
    ...book,
    list: (accountId, filter, page) =>
      filter.metadataKey === brokenTag ? Effect.die(broken()) : book.list(accountId, filter, page),
    atHand: (accountId, filter, page) => {
      if (filter.metadataKey === brokenTag) throw broken()
      return book.atHand?.(accountId, filter, page)
    }
  }))
)

export const layer = ({
  wallets = 3,
  callsAllowed = plenty,
  failuresAllowed = plenty,
  anonymousAllowed = plenty,
  tokens
}: Options = {}) => {
  const limits = RateLimits.layer({
    reads: callsAllowed,
    writes: callsAllowed,
    quotes: callsAllowed,
    confirms: callsAllowed,
    failures: failuresAllowed,
    anonymous: anonymousAllowed
  })
  return seeded(wallets).pipe(
    Layer.provideMerge(brittle),
    Layer.provideMerge(
      Layer.suspend(() =>
        Layer.merge(
          Wiring.layer(
            {
              store: new Store(),
              chain: Wiring.scriptedChain(["local", "local-2", "local-solana"])
            },
            1,
            tokens
          ),
          limits
        )
      )
    )
  )
}
