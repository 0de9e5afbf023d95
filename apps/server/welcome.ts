/** What a service says when it starts: where everything is, and the next step while there is nothing yet. */
import { Effect } from "effect"
import { Accounts } from "../../core/accounts/account-store.ts"

interface Facts {
  readonly siteUrl: string
  /** The host and port it listens on. */
  readonly listens: string
  readonly chainIds: ReadonlyArray<string>
}

/** A line each, the most important first. */
export const lines = (
  { chainIds, listens, siteUrl }: Facts,
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
        'There is no account yet. Open one: bursar accounts open --name "Corner Shop" --kind developer',
        "Then make its first key: bursar keys create --account <id> --scopes all",
        `From there to the first payment: ${siteUrl}/docs/first-payment`
      ])
]

export const welcome = Effect.fnUntraced(function* (facts: Facts) {
  const { rows } = yield* (yield* Accounts).list({ limit: 1 })
  for (const line of lines(facts, rows.length > 0)) yield* Effect.logInfo(line)
})
