/**
 * What a service says when it starts: that it opens its records, then where everything is, and the next step while there
 * is nothing yet. Its commands run as they are copied.
 */
import { Effect } from "effect"
import { Accounts } from "../../core/accounts/account-store.ts"
import type { Configuration } from "./configuration.ts"

/** How the operator's commands are started beside this service. */
interface Commands {
  readonly configuration: Pick<Configuration, "dataDirectory" | "databaseUrl">
  /** `bursar`, or what a clone has in its place. */
  readonly bursar: string
}

interface Facts extends Commands {
  readonly siteUrl: string
  /** The host and port it listens on. */
  readonly listens: string
  readonly chainIds: ReadonlyArray<string>
}

/** A first start makes the database, and takes its time. */
export const opening = ({ dataDirectory, databaseUrl }: Commands["configuration"]): string =>
  databaseUrl === undefined
    ? `Opening the embedded database in ${dataDirectory}; the first start makes it.`
    : "Opening the database of DATABASE_URL."

/** As it is typed in a second terminal, whose environment has nothing of this service's. */
const commandOf = ({ bursar, configuration: { dataDirectory, databaseUrl } }: Commands): string =>
  databaseUrl !== undefined || dataDirectory === ".bursar"
    ? bursar
    : `BURSAR_DATA_DIR='${dataDirectory}' ${bursar}`

/** A line each, the most important first. */
export const lines = (
  { chainIds, listens, siteUrl, ...commands }: Facts,
  hasAccount: boolean
): ReadonlyArray<string> => [
  `Serving ${siteUrl} on ${listens}`,
  `Console: ${siteUrl}/console  Manual: ${siteUrl}/docs  REST: ${siteUrl}/api/v1  Tools: ${siteUrl}/api/mcp`,
  chainIds.length === 0
    ? "No chain is connected, so nothing can be paid or sent. Set BURSAR_CHAINS and a BURSAR_RPC_<CHAIN> for each."
    : `Chains: ${chainIds.join(", ")}`,
  ...(hasAccount
    ? []
    : [
        `There is no account yet. Open one${commands.configuration.databaseUrl === undefined ? "" : ", with the same DATABASE_URL and keys set"}: ${commandOf(commands)} accounts open --name "Corner Shop" --kind developer`,
        `Then make its first key: ${commandOf(commands)} keys create <account> --scopes all`,
        `From there to the first payment: ${siteUrl}/docs/first-payment`
      ])
]

export const welcome = Effect.fnUntraced(function* (facts: Facts) {
  const { rows } = yield* (yield* Accounts).list({ limit: 1 })
  for (const line of lines(facts, rows.length > 0)) yield* Effect.logInfo(line)
})
