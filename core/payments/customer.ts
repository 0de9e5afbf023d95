/** How callers name a customer: by the merchant's own id, in a namespace of their own. */
import { Schema } from "effect"
import * as Text from "../encoding/text.ts"

export const defaultNamespace = "default"

export const customerFields = {
  externalId: Text.Line(128).annotate({ description: "Your own id for the customer." }),
  namespace: Schema.optionalKey(
    Text.Line(64).annotate({ description: "Separates ids of several systems. Default: `default`." })
  )
}
