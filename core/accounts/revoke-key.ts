/** Revokes an API key: from the commit on it is no different from one that never was. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Caller } from "../caller.ts"
import * as Operation from "../operation.ts"
import { Keys } from "../ports/keys.ts"
import { NotFound } from "../refusal.ts"
import * as Text from "../text.ts"
import * as Key from "./key.ts"

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
    const keys = yield* Keys
    const missing = new NotFound({
      param: "keyId",
      message: "No key of this account has this id; list_api_keys shows them.",
      next: { operation: "list_api_keys", args: {} }
    })
    if (yield* keys.revoke(caller.accountId, keyId, yield* DateTime.now)) {
      yield* record({
        accountId: caller.accountId,
        actor: caller.keyId,
        action: "api_key.revoked",
        subjectType: "api_key",
        subjectId: keyId
      })
    }
    return (yield* keys.find(caller.accountId, keyId)) ?? (yield* missing)
  })
})
