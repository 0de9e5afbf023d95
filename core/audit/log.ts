/** Reads of an account's log: how far it has come, and the hashes over any part of its tree. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import * as Page from "../operation/page.ts"
import { Secrets } from "../ports/secrets.ts"
import { Audit } from "./audit-store.ts"
import { fields, type Placed } from "./entry.ts"
import * as Tree from "./tree.ts"

/** The hash over each range, in the order asked for; read at once, as nodes never change. */
export const hashesOver = Effect.fnUntraced(function* (
  accountId: string,
  ranges: ReadonlyArray<Tree.Range>
) {
  const { hash } = yield* Secrets
  const parts = ranges.map(Tree.parts)
  const nodes = yield* (yield* Audit).nodes(accountId, parts.flat())
  let at = 0
  return parts.map(({ length }) => {
    const own = nodes.slice(at, at + length)
    at += length
    return Tree.rootOf(
      hash,
      own.map((node) => node.hash)
    )
  })
})

/** The root over the first entries. */
export const rootAt = Effect.fnUntraced(function* (accountId: string, treeSize: number) {
  const [root] = yield* hashesOver(accountId, [{ begin: 0, end: treeSize }])
  return root as Uint8Array
})

/** Entries read at once. */
const page = 1000

/** All entries up to a size in the order of the log: what an export is made of, with the checkpoint of that size. */
export const entriesUpTo = Effect.fnUntraced(function* (accountId: string, treeSize: number) {
  const audit = yield* Audit
  const entries: Array<Placed> = []
  while (entries.length < treeSize) {
    const most = Math.min(page, treeSize - entries.length)
    const next = yield* audit.inOrder(accountId, entries.length, most)
    if (next.length === 0)
      return yield* Effect.die(new Error("The audit log is shorter than its tree"))
    entries.push(...next)
  }
  return entries
})

export const listAuditLog = Page.list("list_audit_log", {
  summary:
    "Lists all changes of the account, or of one thing in it, with actor and time, newest first.",
  next: "subjectType and subjectId identify the changed object; get_audit_proof proves an entry.",
  scope: "account:read",
  key: "entries",
  fields,
  input: {
    ...Page.times,
    subjectId: Schema.optionalKey(
      Text.Line(128).annotate({ description: "Only changes of this thing, by its id." })
    )
  },
  page: ({ accountId, filter, request }) =>
    Effect.flatMap(Page.during(request, filter), (period) =>
      Audit.use(({ list }) => list(accountId, period, filter))
    ),
  view: (entry) => entry
})
