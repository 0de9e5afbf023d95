/**
 * Who may change people and settings: an owner whose passkey has signed that very change, and whoever has the
 * installation's own command line. No API key may, whatever its scopes.
 */
import { Effect } from "effect"
import { operator } from "../audit/record.ts"
import { requireRole } from "../humans/require-role.ts"
import { SignInRequired } from "../humans/session.ts"
import { Caller, type Facts as CallerFacts, Scope } from "../operation/caller.ts"
import { Deployment } from "../operation/deployment.ts"
import { define } from "../operation/refusal.ts"
import { InsufficientRole } from "../operation/role.ts"

export class PasskeyRequired extends define("PASSKEY_REQUIRED", {
  kind: "forbidden",
  meaning:
    "Only an owner's passkey in the console, or the operator's command line, may do this; no API key may."
}) {}

/** Refuses everybody but an owner who has signed, and the operator. Call it inside a transaction. */
export const requireOwner = Effect.fnUntraced(function* () {
  const { accountId, keyId, person } = yield* Caller
  if (person?.hasSigned === true) {
    yield* requireRole({ accountId, id: person.id }, "owner")
    return undefined
  }
  if (keyId === operator) return undefined
  const { siteUrl } = yield* Deployment
  return yield* new PasskeyRequired({
    message: `An owner of the account must do this with their passkey, at ${siteUrl}/console/people.`
  })
})

/** How it refuses. */
export const refusals = [PasskeyRequired, InsufficientRole, SignInRequired] as const

/** The operator as a caller of an account; only the installation's own command line makes one. */
export const operatorOf = (accountId: string): CallerFacts => ({
  accountId,
  keyId: operator,
  kind: "developer",
  scopes: new Set(Scope.literals)
})
