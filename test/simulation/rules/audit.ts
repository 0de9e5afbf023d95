/**
 * I12: an audit entry keeps its words for ever and is given one place, places follow each other without a
 * gap in every commit, and at rest each log's tree stands over exactly what was committed.
 */
import { createHash } from "node:crypto"
import type { Placed } from "../../../core/audit/entry.ts"
import * as Leaf from "../../../core/audit/entry.ts"
import type { Commit, Rows } from "../stores.ts"
import type { World } from "../world.ts"

const wordsOf = ({ sequence: _, ...words }: Rows["audit"]) => JSON.stringify(words)

const entryRules = (world: World, commit: Commit) => {
  for (const { before, after } of commit.of("audit")) {
    if (after === undefined) world.bad("I12 an audit entry was deleted")
    else if (before === undefined) {
      if (after.sequence !== null) world.bad("I12 an audit entry had its place before its commit")
    } else if (wordsOf(before) !== wordsOf(after)) world.bad("I12 an audit entry was rewritten")
    else if (before.sequence !== null) world.bad("I12 an audit entry was moved in its log")
  }
}

/** The places given in one commit are the next ones of their log, and its tree grows by as many leaves. */
const placeRules = (world: World, commit: Commit) => {
  const places = new Map<string, Array<number>>()
  for (const { after, before } of commit.of("audit")) {
    if (before === undefined || after?.sequence == null) continue
    places.set(after.accountId, [...(places.get(after.accountId) ?? []), after.sequence])
  }
  const trees = new Map(
    commit.of("audit trees").map((tree) => [(tree.after ?? tree.before)?.accountId, tree])
  )
  for (const [accountId, given] of places) {
    const tree = trees.get(accountId)
    const from = tree?.before?.treeSize ?? 0
    const sorted = given.sort((a, b) => a - b)
    if (sorted.some((place, at) => place !== from + at)) world.bad("I12 places have a gap")
    if (tree?.after?.treeSize !== from + given.length) {
      world.bad("I12 a log's tree grew by other than its new entries")
    }
  }
  for (const { before } of commit.of("audit nodes")) {
    if (before !== undefined) world.bad("I12 a node of an audit tree was changed")
  }
}

export const judgeAuditCommit = (world: World, commit: Commit): void => {
  entryRules(world, commit)
  placeRules(world, commit)
}

const sha256 = (...parts: ReadonlyArray<Uint8Array | string>): Uint8Array => {
  const digest = createHash("sha256")
  for (const part of parts) digest.update(part)
  return new Uint8Array(digest.digest())
}

/** RFC 6962, 2.1, as it is defined; `nodeAt` is what the records hold of it. */
const rootOver = (
  leaves: ReadonlyArray<Uint8Array>,
  begin: number,
  end: number,
  check: (begin: number, end: number, hash: Uint8Array) => void
): Uint8Array => {
  const size = end - begin
  let hash = leaves[begin] as Uint8Array
  if (size > 1) {
    const middle = begin + 2 ** Math.ceil(Math.log2(size) - 1)
    const left = rootOver(leaves, begin, middle, check)
    hash = sha256(Uint8Array.of(1), left, rootOver(leaves, middle, end, check))
  }
  check(begin, end, hash)
  return hash
}

/** Every perfect subtree stands in the records with the hash that the entries give it. */
const treeRules = (world: World, accountId: string, log: ReadonlyArray<Placed>) => {
  const leaves = log.map((entry) => Leaf.hashOf(sha256, entry))
  const isPerfect = (size: number) => Number.isInteger(Math.log2(size))
  let right = 0
  rootOver(leaves, 0, leaves.length, (begin, end, hash) => {
    const size = end - begin
    if (!isPerfect(size)) return
    const key = JSON.stringify([accountId, Math.log2(size), begin / size])
    const node = world.stores.get("audit nodes", key)
    if (node !== undefined && Buffer.compare(node.hash, hash) === 0) right += 1
  })
  const kept = world.stores.all("audit nodes").filter((node) => node.accountId === accountId)
  if (right === 0 || right !== kept.length) {
    world.bad("I12 an audit tree is not the one over its entries")
  }
}

/** At rest: everything committed has its place, and the tree is over it. */
export const judgeAuditRest = (world: World): void => {
  const logs = Map.groupBy(world.stores.all("audit"), ({ accountId }) => accountId)
  for (const [accountId, entries] of logs) {
    const log = entries.filter((entry): entry is Placed => entry.sequence !== null)
    if (log.length !== entries.length) world.bad("I12 a committed entry has no place in its log")
    log.sort((a, b) => a.sequence - b.sequence)
    if (log.some(({ sequence }, at) => sequence !== at)) world.bad("I12 a log has a gap or a twin")
    const size = world.stores.get("audit trees", accountId)?.treeSize ?? 0
    if (size !== log.length) world.bad("I12 a log's tree has another size than the log")
    if (log.length > 0) treeRules(world, accountId, log)
  }
}
