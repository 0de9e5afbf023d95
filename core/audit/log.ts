/** Reads of an account's log: how far it has come, and the hashes over any part of its tree. */
import { Effect } from "effect"
import { Audit } from "../ports/audit.ts"
import { Secrets } from "../ports/secrets.ts"
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
