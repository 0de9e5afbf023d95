/** How asking for a quote, and using one, is refused; what a venue or a bridge fails with becomes one of these. */
import { define } from "../operation/refusal.ts"

export class QuoteExpired extends define("QUOTE_EXPIRED", {
  kind: "invalid",
  meaning: "The quote's time is over, or a proposal has used it already; take a new one."
}) {}

export class QuoteMismatch extends define("QUOTE_MISMATCH", {
  kind: "invalid",
  meaning:
    "The proposal differs from the quote in a wallet, a token, the amount or the slippage; `details.differs` names the fields."
}) {}

export class RouteNotAvailable extends define("ROUTE_NOT_AVAILABLE", {
  kind: "invalid",
  meaning: "There is no way from the one token to the other for this amount."
}) {}

export class VenueUnavailable extends define("VENUE_UNAVAILABLE", {
  kind: "unavailable",
  meaning: "The venue of the trade does not respond; nothing was changed.",
  retryable: true
}) {}
