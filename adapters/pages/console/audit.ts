/** The audit log of the account, and the proof that an entry is in it. */
import { Effect } from "effect"
import * as Break from "../../../core/audit/break.ts"
import { actorChoices, actorsOf } from "./history.ts"
import { code, link, time } from "./parts/cells.ts"
import { list } from "./parts/list.ts"
import { thing } from "./parts/thing.ts"

const { fact } = await import("./parts/facts.tsx")

/** Where the log goes on on another line that is said in words; what is signed there is for `bursar audit verify`. */
const factsOf = (entry: {
  readonly action: string
  readonly facts: Readonly<Record<string, string>>
}): string => {
  const { facts } = entry
  if (entry.action === Break.action) {
    const { entriesBefore = "", line = "", lineBefore = "" } = facts
    return `The records were replaced by those of a standby or a backup. Line ${line} goes on here; what line ${lineBefore} had beyond its first ${entriesBefore} entries is lost.`
  }
  return Object.entries(facts)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ")
}

/** Where the things that entries are about have a page of their own. */
const pages: Readonly<Record<string, string>> = {
  payment_request: "/console/payments",
  provisioning_job: "/console/provisioning",
  wallet: "/console/wallets",
  recipient: "/console/recipients",
  proposal: "/console/proposals",
  governance_request: "/console/governance",
  merchant_webhook: "/console/webhooks",
  webhook_delivery: "/console/deliveries"
}

const pageOf = ({
  action,
  subjectId,
  subjectType
}: Readonly<Record<"action" | "subjectId" | "subjectType", string>>): string | undefined => {
  // A transfer that pays a request by itself is shown there alone.
  const at = action.startsWith("deposit.") ? "/console/deposits" : pages[subjectType]
  return at === undefined ? undefined : `${at}/${subjectId}`
}

const entries = list({
  operation: "list_audit_log",
  key: "entries",
  at: "/console/audit",
  section: "audit",
  title: "Audit log",
  intro: "What happened in this account. Entries are never changed or removed.",
  aside: ({ archives }) =>
    archives === undefined
      ? undefined
      : `Those before sequence ${archives.at(-1)?.end} are in ${archives.map(({ file }) => file).join(", ")}.`,
  none: "No entries.",
  idOf: ({ id }) => id,
  known: actorsOf,
  choices: actorChoices,
  columns: {
    Sequence: ({ id, sequence }) =>
      sequence === null ? null : link(`/console/audit/${id}`, String(sequence)),
    Action: ({ action }) => ({ text: action.replaceAll(/[._]/gu, " "), whole: action }),
    Actor: ({ actor, actorRole, actorType }, nameOf) => ({
      ...link(`/console/audit?actor=${encodeURIComponent(actor)}`, nameOf({ actor, actorType })),
      whole: `${actorType} ${actor} (${actorRole})`
    }),
    Subject: (entry) => {
      const text = code(`${entry.subjectType} ${entry.subjectId}`)
      const href = pageOf(entry)
      return href === undefined ? text : { ...text, href }
    },
    Facts: factsOf,
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
        ...fact("Line of history", String(checkpoint.line)),
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
