/** Reads of an account's log: how far it has come, and the hashes over any part of its tree. */
import { DateTime, Effect, Schema } from "effect"
import * as Base64 from "../encoding/base64.ts"
import { Id } from "../encoding/id.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { Secrets } from "../ports/secrets.ts"
import * as Archived from "./archive.ts"
import { Audit } from "./audit-store.ts"
import { fields, type Listed, type Placed } from "./entry.ts"
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

/** What a file has that goes on from a place: the hashes over the entries before it, as in `Export.Before`. */
export const hashesBefore = Effect.fnUntraced(function* (accountId: string, end: number) {
  const nodes = yield* (yield* Audit).nodes(accountId, Tree.parts({ begin: 0, end }))
  return nodes.map(({ hash }) => Base64.encode(hash))
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

/** In the cursor of a page of the log from its beginning, behind the place of the last entry seen. */
const place = "place"

const wrongCursor = new InvalidRequest({
  param: "cursor",
  message: "cursor belongs to another order; pass the nextCursor of the previous page unchanged."
})

const wholeLogOnly = new InvalidRequest({
  param: "order",
  message: "order=oldest lists the whole log; leave out since, until, subjectId and actor."
})

/** A page from where the texts begin on: of entries that have their place, by it. */
const oldestFirst = Effect.fnUntraced(function* (
  accountId: string,
  { after, limit }: Page.Request,
  begin: number
): Effect.fn.Return<Page.Page<Listed>, InvalidRequest, Audit> {
  if (after !== undefined && after.id !== place) return yield* Effect.fail(wrongCursor)
  const next = after === undefined ? 0 : DateTime.toEpochMillis(after.createdAt) + 1
  const from = Math.max(next, begin)
  const found = yield* (yield* Audit).inOrder(accountId, from, limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return found.length > limit && last !== undefined
    ? { rows, next: { createdAt: DateTime.makeUnsafe(last.sequence), id: place } }
    : { rows }
})

/** Where the older entries are, whose texts are no longer here. */
const elsewhere = Effect.fnUntraced(function* (
  accountId: string,
  archives: ReadonlyArray<Archived.Archive>
) {
  if (archives.length === 0) return {}
  return {
    archives: yield* Effect.forEach(archives, (archive) =>
      Effect.map(hashesBefore(accountId, archive.end), (hashes) => ({
        ...Archived.view(archive),
        hashes
      }))
    )
  }
})

export const listAuditLog = Operation.make("list_audit_log", {
  summary:
    "Lists all changes of the account, or those of one thing in it, by one actor or of a time, with actor and time, newest first unless asked otherwise.",
  next: "subjectType and subjectId identify the changed object; get_audit_proof proves an entry.",
  scope: "account:read",
  input: {
    ...Page.times,
    subjectId: Schema.optionalKey(Id("Only changes of this thing, by its id.", 128)),
    actor: Schema.optionalKey(
      Id(
        "Only changes by this actor: a key's id, `human:` and a person's id, `operator`, or `system` for what the service did by itself.",
        128
      )
    ),
    order: Schema.optionalKey(
      Schema.Literals(["newest", "oldest"]).annotate({
        description:
          "oldest reads the whole log by sequence, from 0; entries without a sequence are left out.",
        default: "newest"
      })
    ),
    ...Page.input
  },
  output: {
    entries: Schema.Array(Schema.Struct(fields)),
    archives: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          ...Archived.fields,
          hashes: Schema.Array(Schema.String).annotate({
            description:
              "Base64 of the perfect subtrees over all entries before `end`, the largest first."
          })
        })
      ).annotate({
        description:
          "The files that the operator moved the entries of closed years to, in the order of the log: these entries are not listed, whatever is asked for. Stands on the page that ends where they are; with order=oldest, on the first."
      })
    ),
    ...Page.output
  },
  refusals: [],
  handle: Effect.fnUntraced(function* ({ cursor, limit, order, ...filter }) {
    const { accountId } = yield* Caller
    const request = yield* Page.request({ cursor, limit })
    const { archives, list } = yield* Audit
    if (order !== "oldest") {
      const found = yield* list(accountId, yield* Page.during(request, filter), filter)
      const told = found.next === undefined ? yield* archives(accountId) : []
      return {
        entries: found.rows,
        ...(yield* elsewhere(accountId, told)),
        ...Page.answer(found)
      }
    }
    const isNarrowed = Object.values(filter).some((value) => value !== undefined)
    if (isNarrowed) return yield* wholeLogOnly
    const told = yield* archives(accountId)
    const found = yield* oldestFirst(accountId, request, Archived.endOf(told))
    return {
      entries: found.rows,
      ...(yield* elsewhere(accountId, cursor === undefined ? told : [])),
      ...Page.answer(found)
    }
  })
})
