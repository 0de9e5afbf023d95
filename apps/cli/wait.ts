/**
 * `--wait`: follows what takes time to its end and tells how it goes. Waiting only reads: whoever stops it, or loses
 * the service meanwhile, has changed nothing.
 */
import { Effect } from "effect"
import type * as Operation from "../../core/operation/operation.ts"
import type { Name } from "../../core/treasury/operations.ts"
import type { Connection } from "./connection.ts"
import * as Exit from "./exit.ts"
import { progress } from "./progress.ts"
import { readData } from "./read-data.ts"
import type { Fields } from "./table.ts"

/** Something that is not done when the call answers. */
interface Followed {
  readonly what: string
  /** The field that names it in an answer, and in the operation that reads it. */
  readonly id: string
  readonly read: Name
  readonly param: string
  readonly succeeded: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
  readonly state: (data: Fields) => string
}

const text = (value: unknown) => (typeof value === "string" ? value : "")

const proposalState = (data: Fields): string => {
  const actions = (Array.isArray(data.nextAction) ? data.nextAction : []) as ReadonlyArray<Fields>
  const waits = actions.map(({ received, required, type, url }) =>
    `${text(type).replaceAll("_", " ")} ${received} of ${required} ${text(url)}`.trim()
  )
  if (data.status === "pending_confirm") {
    return `pending_confirm: bursar confirm-proposal ${text(data.proposalId)} confirms it`
  }
  if (waits.length > 0) return `${text(data.status)}: ${waits.join(", ")}`
  return text(data.subStatus) === ""
    ? text(data.status)
    : `${text(data.status)}: ${text(data.subStatus)}`
}

const requestState = (data: Fields): string => {
  const attempts = (Array.isArray(data.attempts) ? data.attempts : []) as ReadonlyArray<Fields>
  const confirmations = Math.max(0, ...attempts.map((each) => Number(each.confirmations ?? 0)))
  return data.status === "processing"
    ? `processing: ${confirmations} ${confirmations === 1 ? "confirmation" : "confirmations"}`
    : text(data.status)
}

const followed: ReadonlyArray<Followed> = [
  {
    what: "The proposal",
    id: "proposalId",
    read: "get_proposal",
    param: "proposalId",
    succeeded: ["completed"],
    failed: ["failed", "rejected", "cancelled", "expired", "superseded"],
    state: proposalState
  },
  {
    what: "The payment request",
    id: "pid",
    read: "get_payment_request",
    param: "idOrPid",
    succeeded: ["paid"],
    failed: ["expired", "cancelled"],
    state: requestState
  },
  {
    what: "The provisioning job",
    id: "jobId",
    read: "get_provisioning_job",
    param: "jobId",
    succeeded: ["completed"],
    failed: ["completed_with_errors", "failed"],
    state: ({ failed, status, succeeded, total }) =>
      `${text(status)}: ${Number(succeeded) + Number(failed)} of ${total}`
  }
]

/** What `--wait` would follow, if what the operation answers is not the end of it. */
export const followedBy = (operation: Operation.Any): Followed | undefined =>
  followed.find(({ id }) => id in operation.output.fields && "status" in operation.output.fields)

const pause = "1 second"
/** So often a service may be away before the waiting ends. */
const maxAway = 60

/** Reads it until it has ended; gives the last that was read. */
export const waited = Effect.fnUntraced(function* (
  connection: Connection,
  { failed, id, param, read, state, succeeded, what }: Followed,
  first: Fields
) {
  const named = { [param]: text(first[id]) }
  const { end, show } = yield* progress
  let away = 0
  const look = readData(connection, read, named).pipe(
    Effect.map((data) => data as Fields),
    Effect.catchTag("Stopped", (stopped) =>
      stopped.exitCode === 3 && ++away <= maxAway
        ? Effect.as(show("The service does not answer; trying again"), undefined)
        : Effect.fail(
            Exit.unknown(
              `${what} ${text(first[id])} was followed no further. The call itself was executed.`,
              stopped.message
            )
          )
    )
  )
  return yield* Effect.gen(function* () {
    while (true) {
      const data = yield* look
      if (data !== undefined) {
        away = 0
        yield* show(`${what} is ${state(data)}`)
        const status = text(data.status)
        if (succeeded.includes(status)) return { data, end: undefined }
        if (failed.includes(status)) {
          const reason = text(data.statusReason)
          return {
            data,
            end: Exit.refused(`${what} is ${status}${reason === "" ? "." : `: ${reason}`}`)
          }
        }
      }
      yield* Effect.sleep(pause)
    }
  }).pipe(Effect.ensuring(end))
})
