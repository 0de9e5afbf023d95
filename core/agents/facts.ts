/** What whoever opens an account by paying says beside the payment, as it is kept with the settlement. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { EmailAddress } from "../mail/address.ts"

const Plan = Schema.Literals(["personal", "startup"])

/** What `POST /api/agents/renew` takes. */
export const planToRenew = Schema.optionalKey(
  Plan.annotate({ description: "The plan to pay for; the account's own when left out." })
)

/** What `POST /api/agents` takes; every field may be left out. */
export const input = {
  plan: Schema.optionalKey(
    Plan.annotate({ description: "The plan to pay for; `personal` when left out." })
  ),
  name: Schema.optionalKey(
    Text.Name.annotate({ description: "What the account is called; `Agent` when left out." })
  ),
  contactEmail: Schema.optionalKey(
    EmailAddress.annotate({
      description: "Where a human is mailed a link to claim the account; nobody when left out."
    })
  )
}

const kept = Schema.Struct({
  name: Schema.String,
  contactEmail: Schema.NullOr(Schema.String),
  /** The digest of the key under which whoever paid may read the account's first key again. */
  holder: Schema.String
})
export type Facts = typeof kept.Type

/** Facts as they stand in the settlement; others than ours are a bug. */
export const read = (facts: unknown) => Effect.orDie(Schema.decodeUnknownEffect(kept)(facts))
