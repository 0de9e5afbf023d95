/**
 * Revokes an API key: from the commit on it is no different from one that never was, and so is what stems from
 * it, unless whoever revokes says that it stays. No key revokes another but those that stem from it.
 */
import { DateTime, Effect, Schema } from "effect"
import * as Key from "../accounts/key.ts"
import { Keys } from "../accounts/key-store.ts"
import { record } from "../audit/record.ts"
import * as Text from "../encoding/text.ts"
import { isActor } from "../humans/human.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { define, InsufficientScope, InvalidRequest, NotFound } from "../operation/refusal.ts"
import * as Endpoint from "../webhooks/endpoint.ts"
import { endLeftovers } from "./leftovers.ts"

export class KeyHasDescendants extends define("KEY_HAS_DESCENDANTS", {
  kind: "conflict",
  meaning:
    "Keys in force stem from the one to revoke (`details.descendants` counts them); say whether they end with it."
}) {}

const noSuchKey = () =>
  new NotFound({
    param: "keyId",
    message: "No key of this account has this id; list_api_keys shows them.",
    next: { operation: "list_api_keys", args: {} }
  })

/** What becomes of the keys that stem from it. */
export interface Choice {
  readonly includeDescendants?: boolean
  readonly keepDescendants?: boolean
}

const undecided = (keyId: string, descendants: number) =>
  new KeyHasDescendants({
    message: `${descendants === 1 ? "One key in force stems" : `${descendants} keys in force stem`} from this one. Send includeDescendants to revoke them with it, as after a theft, or keepDescendants to leave them in force.`,
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
  const ending = isIncluding ? [key, ...descendants] : [key]
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
  const ids = ending.map(({ id }) => id)
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
      "A key revokes itself and the keys that stem from it, no other; a person does it in the console, or the operator with bursar keys revoke."
  })
})

const choice = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

/** What is told of a revocation. */
export const fields = {
  ...Key.fields,
  revokedDescendants: Schema.Int.annotate({
    description: "How many keys in force stemmed from it and ended with it."
  }),
  keptDescendants: Schema.Int.annotate({ description: "How many stemmed from it and stay." }),
  supersededProposals: Schema.Int.annotate({
    description: "How many proposals waited that they had proposed or confirmed."
  }),
  cancelledGovernanceRequests: Schema.Int,
  webhooks: Schema.Array(
    Schema.Struct({ id: Schema.String, url: Schema.String, status: Endpoint.EndpointStatus })
  ).annotate({
    description:
      "The webhook endpoints they registered, which go on: rotate the secret of those you know and delete the others."
  })
}

export const view = ({ webhooks, ...revoked }: Effect.Success<ReturnType<typeof revokeKey>>) => ({
  ...revoked,
  webhooks: webhooks.map((each) => ({ ...each, status: Endpoint.statusOf(each) }))
})

export const revokeApiKey = Operation.make("revoke_api_key", {
  summary:
    "Revokes an API key at once, with what it left waiting. A key revokes itself and those that stem from it. Revoking it again changes nothing.",
  next: "list_api_keys shows it with its revokedAt; look through the webhooks it registered.",
  scope: "keys:manage",
  nature: "write",
  authority: mayRevoke,
  input: {
    keyId: Text.Line(64).annotate({ description: "The key's id, from list_api_keys." }),
    includeDescendants: choice(
      "True revokes the keys that stem from it too, as after a theft. This or keepDescendants when there are any."
    ),
    keepDescendants: choice("True leaves the keys that stem from it in force.")
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
