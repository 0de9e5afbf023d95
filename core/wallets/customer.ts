/** How callers name a customer: by the merchant's own id, in a namespace of their own, which alone names nobody. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import type { Customer } from "./wallet.ts"

export const defaultNamespace = "default"

export const customerFields = {
  externalId: Text.Line(128).annotate({ description: "Your own id for the customer." }),
  namespace: Schema.optionalKey(
    Text.Line(64).annotate({ description: "Separates ids of several systems. Default: `default`." })
  )
}

/** Two more input fields, of lists that can be narrowed to a customer. */
export const filterFields = {
  customerExternalId: Schema.optionalKey(customerFields.externalId),
  customerNamespace: customerFields.namespace
}

interface Wanted {
  readonly customerExternalId?: string | undefined
  readonly customerNamespace?: string | undefined
}

/** The customer that a list is narrowed to, if to any. */
export const wantedCustomer = ({
  customerExternalId: externalId,
  customerNamespace: namespace
}: Wanted): Effect.Effect<Customer | undefined, InvalidRequest> =>
  externalId === undefined && namespace !== undefined
    ? Effect.fail(
        new InvalidRequest({
          param: "customerNamespace",
          message: "customerNamespace needs customerExternalId; send both."
        })
      )
    : Effect.succeed(
        externalId === undefined
          ? undefined
          : { externalId, namespace: namespace ?? defaultNamespace }
      )
