/**
 * What a person may do in their account: a viewer reads, an approver acts, an owner also says who may act. Keys
 * are bounded by scopes instead; a person has no more than their role, whatever page they call from.
 */
import { type Effect, Schema } from "effect"
import { define, type Refusal } from "./refusal.ts"

/** From the least power to the most. */
export const Role = Schema.Literals(["viewer", "approver", "owner"])
export type Role = typeof Role.Type

/** A person who calls. */
export interface Person {
  readonly id: string
  readonly role: Role
  /** Whether their passkey has signed this very call. */
  readonly hasSigned: boolean
  /** Refuses whoever was removed or has no such role by now; who has keeps it until the transaction ends. */
  readonly holdRole: (needed: Role) => Effect.Effect<unknown, Refusal>
}

export class InsufficientRole extends define("INSUFFICIENT_ROLE", {
  kind: "forbidden",
  meaning:
    "The person's role does not allow this; `details.needed` names the role that does. An owner can change roles."
}) {}

const indefinite: Readonly<Record<Role, string>> = {
  viewer: "a viewer",
  approver: "an approver",
  owner: "an owner"
}

/** Why a person may not do what needs a role; undefined when they may. */
export const roleRefusal = (role: Role, needed: Role): InsufficientRole | undefined =>
  Role.literals.indexOf(role) >= Role.literals.indexOf(needed)
    ? undefined
    : new InsufficientRole({
        message: `You are ${indefinite[role]} of this account, and this needs ${indefinite[needed]}; ask an owner to do it or to change your role.`,
        details: { role, needed }
      })
