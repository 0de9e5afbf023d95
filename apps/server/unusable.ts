/** What is said of a database that cannot be used: the server's or the network's own words and what to do, and no password. */
import { Predicate } from "effect"
import { withoutKeys } from "../cli/secrecy.ts"

/** What to do, by the code of the network or of PostgreSQL. */
const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    "Nothing listens there: start PostgreSQL, or correct the host and port in DATABASE_URL.",
  ENOTFOUND: "There is no such host: correct it in DATABASE_URL.",
  EAI_AGAIN:
    "The name of the host cannot be looked up now: check DNS and the host in DATABASE_URL.",
  ETIMEDOUT: "Nothing answers there: check the network and the host and port in DATABASE_URL.",
  "28000": "Correct the user in DATABASE_URL, or let it in by pg_hba.conf.",
  "28P01": "Correct the user and the password in DATABASE_URL.",
  "3D000": "Create it with createdb, or correct the name in DATABASE_URL.",
  "42501": "Make its user the owner of the database.",
  "53300": "Raise max_connections of the server, or lower DATABASE_CONNECTIONS."
}

/** The lowest cause has the words; what is above it only says that something failed. */
const reasonOf = (error: unknown): { readonly reason: string; readonly code?: string } => {
  let [reason, code]: [string, string?] = [""]
  let below: unknown = error
  while (Predicate.isObject(below)) {
    if (Predicate.hasProperty(below, "message") && typeof below.message === "string") {
      reason = below.message === "" ? reason : below.message
    }
    if (Predicate.hasProperty(below, "code") && typeof below.code === "string") code = below.code
    below = Predicate.hasProperty(below, "cause") ? below.cause : undefined
  }
  return code === undefined ? { reason } : { reason, code }
}

export const unusable = (error: { readonly message: string }): string => {
  const { code = "", reason } = reasonOf(error)
  const said = `The database cannot be used: ${withoutKeys(reason)}`
  const todo = advice[code]
  return todo === undefined ? said : `${said.replace(/\.$/u, "")}. ${todo}`
}
