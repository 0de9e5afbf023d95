/** Who asks: the account a key belongs to, what sort of key it is, and the scopes it carries. */
import { Context, Schema } from "effect"
import type { Person } from "./role.ts"

/** The spec's ten scopes (section 5.4); each operation requires exactly one. */
export const Scope = Schema.Literals([
  "balances:read",
  "recipients:read",
  "recipients:write",
  "account:read",
  "payment_requests:read",
  "payment_requests:write",
  "cosigners:read",
  "cosigners:write",
  "proposals:write",
  "keys:manage"
])
export type Scope = typeof Scope.Type

export const KeyKind = Schema.Literals(["developer", "agent"])
export type KeyKind = typeof KeyKind.Type

export interface Facts {
  readonly accountId: string
  readonly keyId: string
  readonly kind: KeyKind
  readonly scopes: ReadonlySet<Scope>
  /** Who it is, when it is a person at the console and no key. */
  readonly person?: Person
  /** The call that runs, if it came with an idempotency key; only `invoke` says so. */
  readonly call?: { readonly operation: string; readonly idempotencyKey: string }
}

/** The caller of the running operation; only `invoke` provides it. */
export class Caller extends Context.Service<Caller, Facts>()("bursar/operation/Caller") {}
