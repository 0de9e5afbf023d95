/** Who did what about a proposal, and when, as rows for people: by the names they know, with the key beside it. */

import { Effect } from "effect"
import type { Visit } from "./parts/guard.ts"
import type { Offer } from "./parts/input.tsx"
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

type Key = Output<"list_api_keys">["api_keys"][number]

const nameOf = ({ label, lastFour, prefix }: Key): string => {
  const shown = `${prefix}…${lastFour}`
  return label === null ? shown : `${label} (${shown})`
}

/** The newest keys and people of the account, by what they are called as actors. */
const namedActors = Effect.fnUntraced(function* ({ calls }: Visit) {
  const { api_keys: keys } = yield* calls.list_api_keys({ limit: 100 })
  const { people } = yield* calls.list_people({ limit: 100 })
  return new Map([
    ...people.map(({ name, personId }) => [`human:${personId}`, name] as const),
    ...keys.map((key) => [key.id, nameOf(key)] as const)
  ])
})

/** Whose entries of the audit log may be asked for; whoever is asked for already stays among them. */
export const actorChoices = (visit: Visit, query: URLSearchParams) =>
  Effect.map(namedActors(visit), (names): Readonly<Record<string, Offer>> => {
    const asked = query.get("actor") ?? ""
    const all = new Map([["system", "The service"], ["operator", "The operator"], ...names])
    if (asked !== "" && !all.has(asked)) all.set(asked, asked)
    return { actor: { choices: [...all].map(([value, text]) => ({ value, text })) } }
  })

/** Who stands behind an entry of the audit log, as far as whoever is signed in knows them by name. */
export const actorsOf = (visit: Visit) =>
  Effect.map(
    namedActors(visit),
    (names) =>
      (entry: Pick<Entry, "actor" | "actorType">): string =>
        actorIn({ ...entry, actorName: names.get(entry.actor) ?? null })
  )
