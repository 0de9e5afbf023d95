/** A provisioning job: how far it is, and the vault of each of its customers. A job is found by whoever began it, or in the audit log. */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { code, link, state } from "./parts/cells.ts"
import { queryOf, type Visit } from "./parts/guard.ts"
import type { Columns, Output } from "./parts/list.ts"
import { followedFrom, type Written } from "./parts/live.ts"
import { tableOf, thing } from "./parts/thing.ts"

const { fact } = await import("./parts/facts.tsx")

type Job = Output<"get_provisioning_job">

const columns: Columns<Job["results"][number]> = {
  Customer: ({ externalId, walletMappingId }) =>
    walletMappingId === null ? externalId : link(`/console/wallets/${walletMappingId}`, externalId),
  Namespace: ({ namespace }) => namespace,
  Status: ({ status }) => state(status),
  Address: ({ address }) => code(address),
  Chain: ({ chainId }) => chainId,
  Error: ({ error }) => error
}

/** What the page of a job was written from. */
const writtenOf = ({
  failed,
  status,
  succeeded
}: Pick<Job, "failed" | "status" | "succeeded">): Written => ({
  facts: [status, succeeded, failed],
  isOver: status !== "queued" && status !== "running"
})

export const jobWritten = ({ calls }: Visit, id: string) =>
  Effect.map(calls.get_provisioning_job({ jobId: id, limit: 1 }), writtenOf)

export const jobPage = thing(
  "/console/provisioning/:id",
  Effect.fnUntraced(function* ({ calls }, id) {
    const cursor = queryOf(yield* HttpServerRequest.HttpServerRequest).get("cursor")
    const shown = yield* calls.get_provisioning_job({
      jobId: id,
      limit: 100,
      ...(cursor === null ? {} : { cursor })
    })
    const { failed, nextCursor, succeeded, total } = shown
    return {
      section: "payments",
      title: total === 1 ? "Adding a customer" : `Adding ${total} customers`,
      live: followedFrom(writtenOf(shown)),
      state: state(shown.status),
      facts: [
        ...fact("Vaults made", `${succeeded} of ${total}`),
        ...(failed === 0 ? [] : fact("Failed", String(failed), { tone: "bad" })),
        ...fact("Begun", shown.createdAt, { isTime: true }),
        ...fact("Job id", shown.jobId, { code: true })
      ],
      links: [
        { href: "/console/new/create_checkout_session", text: "New checkout link" },
        { href: "/console/wallets?kind=collection", text: "All customers' vaults" },
        ...(nextCursor === null
          ? []
          : [{ href: `/console/provisioning/${id}?cursor=${nextCursor}`, text: "More customers" }])
      ],
      parts: [
        tableOf("Customers", "No customers.", columns, shown.results, (each) =>
          JSON.stringify([each.namespace, each.externalId])
        )
      ]
    }
  })
)
