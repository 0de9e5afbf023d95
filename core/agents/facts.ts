/** What whoever opens an account by paying says beside the payment, as it is kept with the settlement. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { EmailAddress } from "../mail/address.ts"

const Plan = Schema.Literals(["personal", "startup"])

/** What `POST /api/agents/renew` takes. */
export const planToRenew = Schema.optionalKey(
  Plan.annotate({ description: "The plan to pay for. Default: the account's current plan." })
)

/** What `POST /api/agents` takes; every field may be left out. */
export const input = {
  plan: Schema.optionalKey(
    Plan.annotate({ description: "The plan to pay for. Default: `personal`." })
  ),
  name: Schema.optionalKey(
    Text.Name.annotate({ description: "The account's name. Default: `Agent`." })
  ),
  contactEmail: Schema.optionalKey(
    EmailAddress.annotate({
      description: "Email address that receives a link to claim the account. Default: none."
    })
  )
}

const StoredFacts = Schema.Struct({
  name: Schema.String,
  contactEmail: Schema.NullOr(Schema.String),
  /** The digest of the key under which whoever paid may read the account's first key again. */
  buyer: Schema.String
})
export type Facts = typeof StoredFacts.Type

/** Facts as they stand in the settlement; others than ours are a bug. */
export const read = (facts: unknown) => Effect.orDie(Schema.decodeUnknownEffect(StoredFacts)(facts))
