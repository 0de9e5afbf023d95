/** What OpenAPI says of the two addresses where plans are sold for a payment by x402; they are no tools. */
import { onboardAgent, renewAgent } from "../../../core/agents/plans.ts"
import type * as Operation from "../../../core/operation/operation.ts"
import * as Refusal from "../../../core/operation/refusal.ts"
import * as Refusals from "../refusals.ts"
import { ofInput, ofOutput } from "./json-schema.ts"

type Node = Readonly<Record<string, unknown>>

const paymentHeader: Node = {
  name: "PAYMENT-SIGNATURE",
  in: "header",
  required: false,
  description: "The signed payment of an x402 client (version 2), in base64.",
  schema: { type: "string" }
}

const always: ReadonlyArray<Refusal.Class> = [
  Refusal.InvalidRequest,
  Refusal.UnknownField,
  Refusals.InvalidJson,
  Refusals.PayloadTooLarge,
  Refusals.UnsupportedMediaType,
  Refusal.RateLimited,
  Refusal.UpstreamUnavailable,
  Refusal.Internal
]

const success = (spec: Operation.OperationSpec): Node => ({
  description: "Paid and executed.",
  headers: {
    "X-Request-Id": { $ref: "#/components/headers/RequestId" },
    "PAYMENT-RESPONSE": { $ref: "#/components/headers/PaymentResponse" }
  },
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["ok", "data"],
        properties: { ok: { type: "boolean", enum: [true] }, data: ofOutput(spec) }
      }
    }
  }
})

/** Every refusal class of the two addresses. */
export const planRefusals: ReadonlyArray<Refusal.Class> = [
  ...new Set([...always, ...onboardAgent.refusals, ...renewAgent.refusals])
]

type Refused = (classes: ReadonlyArray<Refusal.Class>) => Node

/** A 402 says how to pay, and what became of a payment that came. */
const paymentHeaders: Node = {
  "PAYMENT-REQUIRED": { $ref: "#/components/headers/PaymentRequired" },
  "PAYMENT-RESPONSE": { $ref: "#/components/headers/PaymentResponse" }
}

const responsesOf = (spec: Operation.OperationSpec, refused: Refused): Node => {
  const classes = [...new Set([...always, ...spec.refusals])]
  const byStatus = Map.groupBy(classes, ({ code, kind }) => Refusals.statusOf(code, kind))
  const entries = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, those]): [string, Node] => {
      const said = refused(those)
      if (status !== 402) return [String(status), said]
      return ["402", { ...said, headers: { ...(said.headers as Node), ...paymentHeaders } }]
    })
  return { "200": success(spec), ...Object.fromEntries(entries) }
}

const entryOf = (
  spec: Operation.OperationSpec,
  refused: Refused,
  { parameters, security }: { readonly parameters: ReadonlyArray<Node>; readonly security: Node }
): Node => ({
  operationId: spec.name,
  summary: spec.summary,
  description: `${spec.summary}\n\nNext: ${spec.next}`,
  tags: ["agents"],
  ...security,
  parameters: [paymentHeader, ...parameters],
  requestBody: {
    required: false,
    content: { "application/json": { schema: ofInput(spec), example: spec.example.input } }
  },
  responses: responsesOf(spec, refused)
})

export const planPaths = (refused: Refused): Node => ({
  "/api/agents": {
    post: entryOf(onboardAgent, refused, {
      parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }],
      security: { security: [] }
    })
  },
  "/api/agents/renew": {
    post: entryOf(renewAgent, refused, { parameters: [], security: {} })
  }
})

export const planHeaders: Node = {
  PaymentRequired: {
    description: "How to pay: x402 version 2, in base64.",
    schema: { type: "string" }
  },
  PaymentResponse: {
    description: "The result of the payment, in base64.",
    schema: { type: "string" }
  }
}
