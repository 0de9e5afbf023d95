/** What is refused of a token whatever is meant by it: one that nobody vouches for, and one that has no price. */
import { define } from "../operation/refusal.ts"

export class TokenNotVerified extends define("TOKEN_NOT_VERIFIED", {
  kind: "invalid",
  meaning:
    "The token is not on the operator's list, or its contract is not what the list says; only listed tokens are traded and approved."
}) {}

export class PriceUnavailable extends define("PRICE_UNAVAILABLE", {
  kind: "unavailable",
  meaning:
    "There is no price of the token that is recent and that two sources agree on, so what it is worth cannot be held against the limits.",
  retryable: true
}) {}
