/**
 * Where an account's log goes on on another line of history: what the line before had beyond it is lost. The entry there
 * carries a note that is signed over the last checkpoint of that line, so that nobody else can make one.
 */
import { DateTime, Effect } from "effect"
import { CheckpointSigner } from "../ports/checkpoint-signer.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { isOlder, type LineNow } from "../timeline/numbering.ts"
import type { Head } from "./audit-store.ts"
import type { Entry } from "./entry.ts"
import * as Note from "./note.ts"
import { system } from "./record.ts"
import * as TreeHead from "./tree-head.ts"

export const action = "audit_log.continued"

/** The line that the log is on, when it has to go on on another one. */
export const brokenLine = (
  head: Head | undefined,
  now: LineNow,
  [next]: ReadonlyArray<Entry>
): number | undefined => {
  if (head !== undefined) return head.line < now.number ? head.line : undefined
  // Of a log without entries the line before may have had some, if the account was there by then.
  return now.number > 1 && next !== undefined && isOlder(now, next.createdAt) ? 1 : undefined
}

/** The entry with which a log goes on on a line. */
export const entryOf = Effect.fnUntraced(function* (
  accountId: string,
  last: { readonly treeSize: number; readonly rootHash: Uint8Array; readonly line: number },
  line: number
) {
  const { hash } = yield* Secrets
  const { publicKey, sign } = yield* CheckpointSigner
  // Before it is signed, which may take long: an id tells its time, and the two must agree.
  const [id, createdAt] = [yield* (yield* Ids).uuid, yield* DateTime.now]
  const origin = TreeHead.originOf(accountId)
  const text = TreeHead.write({ origin, ...last, nextLine: line })
  const entry: Entry = {
    id,
    accountId,
    action,
    actor: system,
    actorType: "treasury",
    actorRole: "worker",
    subjectType: "audit_log",
    subjectId: accountId,
    facts: {
      line: String(line),
      lineBefore: String(last.line),
      entriesBefore: String(last.treeSize),
      checkpoint: Note.write(hash, text, origin, publicKey, yield* sign(text))
    },
    createdAt
  }
  return entry
})

/** A break as a log tells it. */
export interface Break {
  /** The place of its entry; the line before has all entries below. */
  readonly sequence: number
  readonly line: number
  readonly lineBefore: number
}

export const messageOf = ({ line, lineBefore, sequence }: Break): string =>
  `The records were replaced before entry ${sequence}: line ${line} goes on after the first ${sequence} entries of line ${lineBefore}, and what line ${lineBefore} had beyond them is lost.`
