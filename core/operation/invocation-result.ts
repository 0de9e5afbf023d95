/**
 * Adapts a refusal's `next` to its caller: it is offered only to a key that may call it, and names the fields
 * that only the caller can add. Operations suggest a call without knowing the key.
 */
import { type Schema, SchemaAST } from "effect"
import type { Catalogue } from "./catalogue.ts"
import type * as Operation from "./operation.ts"
import type { Allowance } from "./rate-limit.ts"
import { type Next, type Refusal, withNext } from "./refusal.ts"

/** The fields an operation cannot do without, and that the call does not bring. */
const lacking = ({ input }: Operation.Any, args: Next["args"]): ReadonlyArray<string> =>
  Object.entries(input.fields)
    .filter(([name, field]) => !SchemaAST.isOptional(field.ast) && !(name in args))
    .map(([name]) => name)

/** The call for a key with these scopes; undefined where it may not make it. */
const offered = (
  catalogue: Catalogue["Service"],
  next: Next,
  scopes: ReadonlySet<string>
): Next | undefined => {
  const operation = catalogue.find(next.operation)
  if (operation === undefined || !scopes.has(operation.scope)) return undefined
  const { args, missing = [] } = next
  const all = [...new Set([...lacking(operation, args), ...missing])]
  return { operation: next.operation, args, ...(all.length === 0 ? {} : { missing: all }) }
}

/** The answer as this caller gets it. */
export const forCaller = (
  catalogue: Catalogue["Service"],
  answer: InvocationResult,
  scopes: ReadonlySet<string>
): InvocationResult => {
  if (answer.ok || answer.refusal.next === undefined) return answer
  const next = offered(catalogue, answer.refusal.next, scopes)
  return { ...answer, refusal: withNext(answer.refusal, next) }
}

export type InvocationResult =
  | {
      readonly ok: true
      readonly output: Schema.JsonObject
      readonly replayed: boolean
      readonly allowance: Allowance
    }
  | { readonly ok: false; readonly refusal: Refusal; readonly allowance?: Allowance }
