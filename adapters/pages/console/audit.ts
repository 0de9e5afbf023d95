/** The audit log of the account, and the proof that an entry is in it. */
import { Effect } from "effect"
import { code, link, time } from "./parts/cells.ts"
import { list, nothing } from "./parts/list.ts"
import { thing } from "./parts/thing.ts"

const { fact } = await import("./parts/facts.tsx")

const factsOf = (facts: Readonly<Record<string, string>>): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ")

const entries = list({
  operation: "list_audit_log",
  key: "entries",
  at: "/console/audit",
  section: "audit",
  title: "Audit log",
  intro: "What happened in this account. Entries are never changed or removed.",
  none: "No entries.",
  idOf: ({ id }) => id,
  known: nothing,
  columns: {
    Sequence: ({ id, sequence }) =>
      sequence === null ? null : link(`/console/audit/${id}`, String(sequence)),
    Action: ({ action }) => action,
    Actor: ({ actor, actorRole, actorType }) => `${actorType} ${actor} (${actorRole})`,
    Subject: ({ subjectId, subjectType }) => code(`${subjectType} ${subjectId}`),
    Facts: ({ facts }) => factsOf(facts),
    At: ({ createdAt }) => time(createdAt)
  }
})

const proof = thing(
  "/console/audit/:id",
  Effect.fnUntraced(function* ({ calls }, id) {
    const checkpoint = yield* calls.get_audit_checkpoint({})
    const shown = yield* calls.get_audit_proof({ entryId: id })
    return {
      section: "audit",
      title: `Proof of an audit entry`,
      facts: [
        ...fact("Entry", id, { code: true }),
        ...fact("Entries covered", String(checkpoint.treeSize)),
        ...fact("Root hash", checkpoint.rootHash, { code: true }),
        ...fact("Verifier key", checkpoint.verifierKey, { code: true }),
        ...fact("Signed", checkpoint.createdAt, { isTime: true })
      ],
      parts: [
        { title: "Proof", text: JSON.stringify(shown, null, 2) },
        { title: "Checkpoint", text: checkpoint.checkpoint }
      ]
    }
  })
)

export const auditPages = [entries, proof] as const
