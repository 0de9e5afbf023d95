/** The stores of accounts and of their API keys. Of keys digests are kept, never the keys. */
import { Context, type DateTime, type Effect } from "effect"
import type { FundingWallet } from "../chains/address.ts"
import type * as Page from "../operation/page.ts"
import type { Account } from "./account.ts"
import type { Key } from "./key.ts"

/** The store of accounts. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly find: (accountId: string) => Effect.Effect<Account | undefined>
    readonly open: (account: Account) => Effect.Effect<void>
    /** All accounts there are; for the operator alone. */
    readonly list: (request: Page.Request) => Effect.Effect<Page.Page<Account>>
    /** Gives it another tier; an account that is not there is a defect. */
    readonly retier: (accountId: string, tier: Account["tier"]) => Effect.Effect<void>
    /** The account, which nobody else changes until the transaction ends. */
    readonly lock: (accountId: string) => Effect.Effect<Account | undefined>
    /** Gives it a tier until an instant, or for good; an account that is not there is a defect. */
    readonly subscribe: (
      accountId: string,
      tier: Account["tier"],
      expiresAt: DateTime.Utc | null
    ) => Effect.Effect<void>
    /** Gives it the wallet that governs it, once; false when it has one, or is not an agent's. */
    readonly giveFundingWallet: (accountId: string, wallet: FundingWallet) => Effect.Effect<boolean>
    /** Pauses it from an instant on, by somebody, or resumes it; an account that is not there is a defect. */
    readonly pause: (
      accountId: string,
      at: DateTime.Utc | null,
      by?: string | null
    ) => Effect.Effect<void>
    /** The accounts a wallet has paid for, by its address on any chain of its family, newest first. */
    readonly fundedBy: (
      wallet: FundingWallet,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Account>>
  }
>()("bursar/accounts/Accounts") {}

/** The store of API keys; it holds digests, never keys. */
export class Keys extends Context.Service<
  Keys,
  {
    /** Finds a key by its digest over all accounts, revoked and expired ones too. */
    readonly findByDigest: (digest: string) => Effect.Effect<Key | undefined>
    /**
     * What `findByDigest` would find at this instant, outside of any transaction, where nothing has to be asked or
     * waited for; undefined where it has. Left out where it always has.
     */
    readonly atHand?: (digest: string, nowMs: number) => Key | undefined
    readonly find: (accountId: string, keyId: string) => Effect.Effect<Key | undefined>
    /** Finds it and keeps it from being revoked until the transaction ends. */
    readonly hold: (accountId: string, keyId: string) => Effect.Effect<Key | undefined>
    /** The key and those it stems from, each after the one that made it; empty when it is not the account's. */
    readonly line: (accountId: string, keyId: string) => Effect.Effect<ReadonlyArray<Key>>
    /** The same, each of them held; whoever makes a key holds its line. */
    readonly holdLine: (accountId: string, keyId: string) => Effect.Effect<ReadonlyArray<Key>>
    /**
     * The key and all that stem from it, each after the one that made it. Until the transaction ends nobody
     * else revokes any of them or makes more; whoever revokes takes the branch.
     */
    readonly takeBranch: (accountId: string, keyId: string) => Effect.Effect<ReadonlyArray<Key>>
    readonly issue: (key: Key, digest: string) => Effect.Effect<void>
    /** How many keys of the account are in force at an instant, but at most `max`. */
    readonly countInForce: (
      accountId: string,
      now: DateTime.Utc,
      max: number
    ) => Effect.Effect<number>
    readonly list: (accountId: string, request: Page.Request) => Effect.Effect<Page.Page<Key>>
    /** Revokes it once; false when it is not the account's or already revoked. */
    readonly revoke: (accountId: string, keyId: string, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Notes a use; writes at most once a minute for one key. */
    readonly noteUse: (keyId: string, at: DateTime.Utc) => Effect.Effect<void>
    /** Notes a call from where the key may not be used; false when one was noted within the minute. */
    readonly noteRefusal: (keyId: string, at: DateTime.Utc) => Effect.Effect<boolean>
  }
>()("bursar/accounts/Keys") {}
