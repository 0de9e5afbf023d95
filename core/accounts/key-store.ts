/** The store of API keys; it holds digests, never keys. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Key } from "./key.ts"

export class Keys extends Context.Service<
  Keys,
  {
    /** Finds a key by its digest over all accounts, revoked and expired ones too. */
    readonly findByDigest: (digest: string) => Effect.Effect<Key | undefined>
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
    readonly list: (accountId: string, request: Page.Request) => Effect.Effect<Page.Page<Key>>
    /** Revokes it once; false when it is not the account's or already revoked. */
    readonly revoke: (accountId: string, keyId: string, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Notes a use; writes at most once a minute for one key. */
    readonly noteUse: (keyId: string, at: DateTime.Utc) => Effect.Effect<void>
    /** Notes a call from where the key may not be used; false when one was noted within the minute. */
    readonly noteRefusal: (keyId: string, at: DateTime.Utc) => Effect.Effect<boolean>
  }
>()("bursar/accounts/Keys") {}
