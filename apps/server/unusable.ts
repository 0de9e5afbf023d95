/** What is said of a database that cannot be used: the server's or the network's own words, and no password. */
import { Predicate } from "effect"
import { withoutKeys } from "../cli/secrecy.ts"

/** The lowest cause has the words; what is above it only says that something failed. */
const reasonOf = (error: unknown): string => {
  let reason = ""
  let below: unknown = error
  while (Predicate.hasProperty(below, "message")) {
    if (typeof below.message === "string" && below.message !== "") reason = below.message
    below = Predicate.hasProperty(below, "cause") ? below.cause : undefined
  }
  return reason
}

export const unusable = (error: { readonly message: string }): string =>
  `The database cannot be used: ${withoutKeys(reasonOf(error))}`
