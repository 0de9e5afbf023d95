/** The store of emails in memory. */
import { DateTime, Effect, Layer } from "effect"
import type { Email } from "../../core/mail/email.ts"
import { OutboundEmails } from "../../core/mail/email-store.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal } from "./table.ts"

const everywhere = "all"

const definition = define<Email>()({
  name: "emails",
  key: (email) => email.id,
  sorted: {
    queued: {
      group: ({ accountId, purpose, status }) =>
        status === "queued" ? `${accountId} ${purpose}` : "ended",
      at: ({ createdAt }) => DateTime.toEpochMillis(createdAt)
    },
    all: { group: () => everywhere, at: ({ createdAt }) => DateTime.toEpochMillis(createdAt) }
  }
})

export const layer: Layer.Layer<OutboundEmails, never, MemoryStore> = Layer.effect(
  OutboundEmails,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const emails = store.table(definition)
    /** Changes an email that is still queued; the email as it then is. */
    const change = (journal: Journal, emailId: string, by: (email: Email) => Partial<Email>) => {
      const email = emails.get(emailId)
      if (email?.status !== "queued") return undefined
      const changed = { ...email, ...by(email) }
      emails.replace(journal, changed)
      return changed
    }
    return {
      write: (email) => store.write((journal) => emails.insert(journal, email)),
      find: (emailId) => store.read(() => emails.get(emailId)),
      list: (status, request) =>
        store.read(() =>
          page(
            emails.group("all", everywhere),
            request,
            (email) => email,
            (email) => status === undefined || email.status === status
          )
        ),
      attempt: (emailId) =>
        store.write((journal) =>
          change(journal, emailId, ({ attempts }) => ({ attempts: attempts + 1 }))
        ),
      recordFailure: (emailId, lastError) =>
        store.write((journal) => {
          change(journal, emailId, () => ({ lastError }))
        }),
      end: (emailId, { at, error, status }) =>
        store.write((journal) => {
          const over = { status, sealedText: null, endedAt: at, lastError: error }
          return change(journal, emailId, () => over) !== undefined
        }),
      supersede: ({ accountId, purpose, to }, at) =>
        store.write((journal) => {
          const queued = emails.group("queued", `${accountId} ${purpose}`)
          for (const { id } of queued.filter((email) => email.to === to)) {
            change(journal, id, () => ({ status: "superseded", sealedText: null, endedAt: at }))
          }
        })
    }
  })
)
