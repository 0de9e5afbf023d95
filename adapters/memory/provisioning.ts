/** The store of provisioning jobs in memory: jobs, and their items in the order of the request. */
import { DateTime, Effect, Layer } from "effect"
import * as Page from "../../core/operation/page.ts"
import { hasEnded, type Item, type Job } from "../../core/payments/provisioning-job.ts"
import { Provisioning } from "../../core/payments/provisioning-store.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const jobDefinition = define<Job>()({ name: "provisioning jobs", key: (job) => job.id })

interface Stored {
  readonly jobId: string
  readonly item: Item
}

const position = ({ item }: Stored) => item.position

const itemDefinition = define<Stored>()({
  name: "provisioning items",
  key: ({ item, jobId }) => `${jobId} ${item.position}`,
  sorted: {
    job: { group: ({ jobId }) => jobId, at: position },
    pending: {
      group: ({ item, jobId }) => (item.status === "pending" ? jobId : undefined),
      at: position
    }
  }
})

export const layer: Layer.Layer<Provisioning, never, MemoryStore> = Layer.effect(
  Provisioning,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const jobs = store.table(jobDefinition)
    const items = store.table(itemDefinition)
    return {
      queue: (job, queued) =>
        store.write((journal) => {
          jobs.insert(journal, job)
          for (const item of queued) items.insert(journal, { jobId: job.id, item })
        }),
      find: (accountId, jobId) =>
        store.read(() => {
          const job = jobs.get(jobId)
          return job?.accountId === accountId ? job : undefined
        }),
      lock: (jobId) => store.read(() => jobs.get(jobId)),
      items: (jobId, fromPosition, limit) =>
        store.read(() => {
          const ofJob = items.group("job", jobId)
          const from = countWhile(ofJob, (kept) => position(kept) < fromPosition)
          return ofJob.slice(from, from + limit).map(({ item }) => item)
        }),
      pending: (jobId, limit) =>
        store.read(() =>
          items
            .group("pending", jobId)
            .slice(0, limit)
            .map(({ item }) => item)
        ),
      forget: (madeBefore, max) =>
        store.write((journal) => {
          const old = jobs.all
            .filter((job) => hasEnded(job) && DateTime.isLessThan(job.createdAt, madeBefore))
            .toSorted((one, other) => -Page.newestFirst(one, other))
          let rows = 0
          for (const { id, total } of old) {
            if (rows > 0 && rows + total + 1 > max) return max
            for (const { item } of [...items.group("job", id)]) {
              items.delete(journal, `${id} ${item.position}`)
            }
            jobs.delete(journal, id)
            rows += total + 1
          }
          return rows
        }),
      progress: (job, finished) =>
        store.write((journal) => {
          jobs.replace(journal, job)
          for (const item of finished) items.replace(journal, { jobId: job.id, item })
        })
    }
  })
)
