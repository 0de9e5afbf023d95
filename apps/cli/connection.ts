/**
 * Which service to speak to, and as whom. A sandbox on this machine is spoken to with its own keys, but
 * only while no address was named: a key is never sent where it does not belong.
 */
import { Effect, Redacted } from "effect"
import { readFacts, type SandboxFacts } from "../sandbox/facts.ts"
import { misused } from "./exit.ts"
import { Shell } from "./shell.ts"

export interface ConnectionInput {
  readonly url: string | undefined
  readonly key: Redacted.Redacted | undefined
  readonly as: "developer" | "agent" | undefined
}

export interface Connection {
  readonly siteUrl: string
  readonly key: Redacted.Redacted
}

const present = (text: string | undefined) => (text === "" ? undefined : text)

const checkedUrl = Effect.fnUntraced(function* (text: string) {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/u.test(url.protocol) || url.username !== "") {
    return yield* misused("The address of the service must be an http(s) URL without credentials.")
  }
  return text.replace(/\/+$/u, "")
})

/** Anything else could not be sent, or is not what somebody meant to paste. */
const checkedKey = Effect.fnUntraced(function* (key: Redacted.Redacted) {
  const text = Redacted.value(key).trim()
  if (/^[\x21-\x7e]+$/u.test(text)) return Redacted.make(text)
  return yield* misused(
    "The API key must be one word of letters, digits and underscores, as it was printed once."
  )
})

const sandboxKey = (facts: SandboxFacts, as: "developer" | "agent") =>
  Redacted.make(as === "agent" ? facts.agentKey : facts.developerKey)

export const connect = Effect.fnUntraced(function* (wanted: ConnectionInput) {
  const { environment } = yield* Shell
  const named = wanted.url ?? present(environment.BURSAR_URL)
  const fromEnvironment = present(environment.BURSAR_API_KEY)
  const given =
    wanted.key ?? (fromEnvironment === undefined ? undefined : Redacted.make(fromEnvironment))
  const directory = present(environment.BURSAR_DATA_DIR) ?? ".bursar"
  const sandbox = named === undefined ? readFacts(directory) : undefined
  if (wanted.as !== undefined && (sandbox === undefined || wanted.key !== undefined)) {
    return yield* misused("--as selects one of the sandbox's keys; omit --url and --key.")
  }
  const siteUrl = named ?? sandbox?.siteUrl
  if (siteUrl === undefined) {
    return yield* misused(
      "Set the service's address with --url or BURSAR_URL.",
      `There is no sandbox in ${directory} either.`
    )
  }
  const own = sandbox === undefined ? undefined : sandboxKey(sandbox, wanted.as ?? "developer")
  const key = wanted.as !== undefined || given === undefined ? own : yield* checkedKey(given)
  if (key === undefined) {
    return yield* misused("Set an API key with BURSAR_API_KEY or --key.")
  }
  return { siteUrl: yield* checkedUrl(siteUrl), key } satisfies Connection
})
