/** The schema of a refusal by RFC 9457. */
import type { JsonSchema } from "./json-schema.ts"

export const problem: JsonSchema = {
  type: "object",
  description:
    "An error as sent with `Accept: application/problem+json`: the same facts in the form of RFC 9457; `kind` is the error's `type`.",
  required: ["type", "title", "status", "detail", "code", "kind", "outcome", "requestId"],
  properties: {
    type: { type: "string", format: "uri" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string" },
    kind: { type: "string" },
    outcome: { type: "string" },
    requestId: { type: "string" }
  }
}
