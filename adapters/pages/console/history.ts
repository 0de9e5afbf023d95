/** Who did what about a proposal, and when, as rows for people: by the names they know, with the key beside it. */

import { Effect } from "effect"
import type { Visit } from "./parts/guard.ts"
import type { Output } from "./parts/list.ts"
import type { Row } from "./parts/table.tsx"
import { actionIn } from "./proposal-words.ts"

type Entry = Output<"get_proposal_history">["history"][number]

export const actorIn = ({
  actor,
  actorName,
  actorType
}: Pick<Entry, "actor" | "actorName" | "actorType">): string => {
  if (actorType === "treasury") return "The service"
  if (actorType === "operator") return "The operator"
  if (actorType === "person") return `${actorName ?? actor}, in the console`
  return actorName ?? actor
}

export const historyRows = (history: ReadonlyArray<Entry>): ReadonlyArray<Row> =>
  history.map((entry) => ({
    id: `${entry.action} ${entry.actor} ${entry.createdAt}`,
    cells: [
      { text: actionIn(entry.action) },
      { text: actorIn(entry) },
      { text: entry.createdAt, isTime: true },
      { text: entry.reason ?? "" }
    ]
  }))

/** Who stands behind an entry of the audit log, as far as whoever is signed in knows them by name. */
export const actorsOf = ({ calls, signedIn: { human } }: Visit) =>
  Effect.map(
    calls.list_api_keys({ limit: 100 }),
    ({ api_keys: keys }) =>
      (entry: Pick<Entry, "actor" | "actorType" | "actorRole">): string => {
        const key = keys.find(({ id }) => id === entry.actor)
        const shown = `${key?.prefix}…${key?.lastFour}`
        const keyName =
          key === undefined ? null : key.label === null ? shown : `${key.label} (${shown})`
        const isSelf = entry.actor === `human:${human.id}`
        return actorIn({ ...entry, actorName: isSelf ? human.name : keyName })
      }
  )
