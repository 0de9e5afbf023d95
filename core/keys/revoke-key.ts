/**
 * Revokes an API key: from the commit on it is no different from one that never was, and so is what stems from
 * it, unless whoever revokes says that it stays. No key revokes another but those that stem from it.
 */

import { DateTime, Effect, Schema } from "effect"
import { Keys } from "../accounts/account-store.ts"
import * as Key from "../accounts/key.ts"
import { record } from "../audit/record.ts"
import { Id } from "../encoding/id.ts"
import { isActor } from "../humans/human.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { noSuch } from "../operation/own.ts"
import { define, InsufficientScope, InvalidRequest, NotFound } from "../operation/refusal.ts"
import * as Endpoint from "../webhooks/endpoint.ts"
import { endLeftovers } from "./leftovers.ts"

export class KeyHasDescendants extends define("KEY_HAS_DESCENDANTS", {
  kind: "conflict",
  meaning:
    "Active keys were created from this key (`details.descendants` counts them); say whether to revoke them too."
}) {}

const noSuchKey = () => noSuch({ param: "keyId", what: "API key", operation: "list_api_keys" })

/** What becomes of the keys that stem from it. */
export interface Choice {
  readonly includeDescendants?: boolean
  readonly keepDescendants?: boolean
}

const undecided = (keyId: string, descendants: number) =>
  new KeyHasDescendants({
    message: `${descendants === 1 ? "One active key was" : `${descendants} active keys were`} created from this key. Send includeDescendants to revoke them too, for example after a theft, or keepDescendants to keep them.`,
    details: { descendants },
    next: {
      operation: "revoke_api_key",
      args: { keyId },
      missing: ["includeDescendants|keepDescendants"]
    }
  })

const decided = Effect.fnUntraced(function* ({ includeDescendants, keepDescendants }: Choice) {
  if (includeDescendants !== true || keepDescendants !== true) return
  return yield* new InvalidRequest({
    param: "keepDescendants",
    message: "Send includeDescendants or keepDescendants, not both."
  })
})

/** Ends a key of an account, and what hangs on it; whoever acts stands in the audit log. Call it inside a transaction. */
export const revokeKey = Effect.fnUntraced(function* (
  accountId: string,
  keyId: string,
  actor: string,
  choice: Choice
) {
  yield* decided(choice)
  const keys = yield* Keys
  const now = yield* DateTime.now
  const [key, ...descendants] = yield* keys.takeBranch(accountId, keyId)
  if (key === undefined) return yield* noSuchKey()
  const living = descendants.filter((each) => Key.isUsable(each, now))
  const isIncluding = choice.includeDescendants === true
  if (living.length > 0 && !isIncluding && choice.keepDescendants !== true) {
    return yield* undecided(keyId, living.length)
  }
  // What has expired has ended by itself; what it left waiting is ended below.
  const ending = isIncluding ? [key, ...living] : [key]
  for (const { id } of ending) {
    if (!(yield* keys.revoke(accountId, id, now))) continue
    yield* record({
      accountId,
      actor,
      action: "api_key.revoked",
      subjectType: "api_key",
      subjectId: id,
      ...(id === keyId ? {} : { facts: { with: keyId } })
    })
  }
  const ids = [key, ...(isIncluding ? descendants : [])].map(({ id }) => id)
  return {
    ...Key.view({ ...key, revokedAt: key.revokedAt ?? now }),
    revokedDescendants: isIncluding ? living.length : 0,
    keptDescendants: isIncluding ? 0 : living.length,
    ...(yield* endLeftovers(accountId, ids, actor))
  }
})

/** A key ends itself and what stems from it; people, signed in, end any. */
const mayRevoke = Effect.fnUntraced(function* ({ keyId }: { readonly keyId: string }) {
  const caller = yield* Caller
  const line = yield* (yield* Keys).line(caller.accountId, keyId)
  if (line.length === 0) return yield* noSuchKey()
  if (isActor(caller.keyId) || line.some(({ id }) => id === caller.keyId)) return
  return yield* new InsufficientScope({
    param: "keyId",
    message:
      "A key can revoke only itself and keys created from it; use the console or bursar keys revoke for others."
  })
})

const choice = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

/** What is told of a revocation. */
export const fields = {
  ...Key.fields,
  revokedDescendants: Schema.Int.annotate({
    description: "Number of active keys created from it that were revoked with it."
  }),
  keptDescendants: Schema.Int.annotate({
    description: "Number of active keys created from it that stay active."
  }),
  supersededProposals: Schema.Int.annotate({
    description:
      "Number of waiting proposals that these keys had proposed or confirmed; they were cancelled."
  }),
  cancelledGovernanceRequests: Schema.Int,
  webhooks: Schema.Array(
    Schema.Struct({ id: Schema.String, url: Schema.String, status: Endpoint.EndpointStatus })
  ).annotate({
    description:
      "The webhook endpoints that these keys registered; they stay active. Rotate the secrets of those you know and delete the others."
  })
}

export const view = ({ webhooks, ...revoked }: Effect.Success<ReturnType<typeof revokeKey>>) => ({
  ...revoked,
  webhooks: webhooks.map((each) => ({ ...each, status: Endpoint.statusOf(each) }))
})

export const revokeApiKey = Operation.make("revoke_api_key", {
  summary:
    "Revokes an API key at once and cancels its waiting proposals and requests. A key can revoke itself and keys created from it. Repeating the call changes nothing.",
  next: "list_api_keys shows its revokedAt; review the webhooks it registered.",
  scope: "keys:manage",
  sideEffect: "write",
  authority: mayRevoke,
  input: {
    keyId: Id("The key's id, from list_api_keys."),
    includeDescendants: choice(
      "true also revokes the active keys created from it, for example after a theft. Required if there are such keys, unless keepDescendants is set."
    ),
    keepDescendants: choice("true keeps the active keys created from it.")
  },
  output: fields,
  refusals: [NotFound, InsufficientScope, KeyHasDescendants],
  example: {
    input: { keyId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d", includeDescendants: true }
  },
  handle: Effect.fnUntraced(function* ({ keyId, ...choice }) {
    const caller = yield* Caller
    return view(yield* revokeKey(caller.accountId, keyId, caller.keyId, choice))
  })
})
