/** Revokes an API key: from the commit on it is no different from one that never was. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Caller } from "../caller.ts"
import * as Operation from "../operation.ts"
import { Keys } from "../ports/keys.ts"
import { NotFound } from "../refusal.ts"
import * as Text from "../text.ts"
import * as Key from "./key.ts"

/** Ends a key of an account and gives it back as it now is; whoever acts stands in the audit log. */
export const revokeKey = Effect.fnUntraced(function* (
  accountId: string,
  keyId: string,
  actor: string
) {
  const keys = yield* Keys
  if (yield* keys.revoke(accountId, keyId, yield* DateTime.now)) {
    yield* record({
      accountId,
      actor,
      action: "api_key.revoked",
      subjectType: "api_key",
      subjectId: keyId
    })
  }
  const key = yield* keys.find(accountId, keyId)
  if (key !== undefined) return key
  return yield* new NotFound({
    param: "keyId",
    message: "No key of this account has this id; list_api_keys shows them.",
    next: { operation: "list_api_keys", args: {} }
  })
})

export const revokeApiKey = Operation.make("revoke_api_key", {
  summary: "Revokes an API key at once. Revoking it again changes nothing.",
  next: "list_api_keys shows it with its revokedAt.",
  scope: "keys:manage",
  nature: "write",
  input: { keyId: Text.Line(64).annotate({ description: "The key's id, from list_api_keys." }) },
  output: Key.fields,
  refusals: [NotFound],
  run: Effect.fnUntraced(function* ({ keyId }) {
    const caller = yield* Caller
    return Key.view(yield* revokeKey(caller.accountId, keyId, caller.keyId))
  })
})
