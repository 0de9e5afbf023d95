/**
 * The Merkle tree of an audit log (RFC 6962, section 2.1): what is stored of it, how it grows, what proves
 * that an entry is in it and that an earlier tree is its beginning, and how such proofs are checked.
 */

/** SHA-256 of the parts one after another; text is its UTF-8. */
export type Sha256 = (...parts: ReadonlyArray<Uint8Array | string>) => Uint8Array

/** A perfect subtree: it stands over the leaves `index * 2^level` up to the next of its kind. */
export interface Node {
  readonly level: number
  readonly index: number
}

export interface Hashed extends Node {
  readonly hash: Uint8Array
}

/** Leaves from `begin` up to, and without, `end`. */
export interface Range {
  readonly begin: number
  readonly end: number
}

const leafPrefix = Uint8Array.of(0)
const nodePrefix = Uint8Array.of(1)

export const leafHash = (sha256: Sha256, text: string): Uint8Array => sha256(leafPrefix, text)

const join = (sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(nodePrefix, left, right)

// Sizes are counted, never shifted: bit operations end at 32 bits.
const half = (count: number): number => Math.floor(count / 2)
const isOdd = (count: number): boolean => count % 2 === 1

/** The largest power of two below a size of at least two. */
const split = (size: number): number => {
  let left = 1
  while (left * 2 < size) left *= 2
  return left
}

/** The perfect subtrees that a range of a tree is made of, from left to right. */
export const parts = ({ begin, end }: Range): ReadonlyArray<Node> => {
  const nodes: Array<Node> = []
  for (let at = begin, size = 1; at < end; at += size) {
    size = 1
    let level = 0
    while (at % (size * 2) === 0 && at + size * 2 <= end) {
      size *= 2
      level += 1
    }
    nodes.push({ level, index: at / size })
  }
  return nodes
}

/** The hash over perfect subtrees that stand side by side, the largest on the left; of none it is that of nothing. */
export const rootOf = (sha256: Sha256, hashes: ReadonlyArray<Uint8Array>): Uint8Array => {
  const last = hashes.at(-1)
  if (last === undefined) return sha256()
  return hashes.slice(0, -1).reduceRight((right, left) => join(sha256, left, right), last)
}

/** What is new when leaves come to a tree: every perfect subtree they complete, and the tree's parts after it. */
export const grow = (
  sha256: Sha256,
  peaks: ReadonlyArray<Hashed>,
  leaves: ReadonlyArray<Uint8Array>
): { readonly added: ReadonlyArray<Hashed>; readonly peaks: ReadonlyArray<Hashed> } => {
  const standing = [...peaks]
  const added: Array<Hashed> = []
  let size = peaks.reduce((sum, { level }) => sum + 2 ** level, 0)
  for (const hash of leaves) {
    let node: Hashed = { level: 0, index: size++, hash }
    added.push(node)
    while (isOdd(node.index)) {
      const left = standing.pop() as Hashed
      const joined = join(sha256, left.hash, node.hash)
      node = { level: node.level + 1, index: half(node.index), hash: joined }
      added.push(node)
    }
    standing.push(node)
  }
  return { added, peaks: standing }
}

/** The ranges whose hashes prove that a leaf is in a tree of this size, from the leaf upwards. */
export const inclusion = (index: number, size: number): ReadonlyArray<Range> => {
  const path: Array<Range> = []
  let [begin, end] = [0, size]
  while (end - begin > 1) {
    const middle = begin + split(end - begin)
    if (index < middle) {
      path.push({ begin: middle, end })
      end = middle
    } else {
      path.push({ begin, end: middle })
      begin = middle
    }
  }
  return path.reverse()
}

/** The ranges whose hashes prove that a tree is the beginning of one of this size (1 ≤ from ≤ size). */
export const consistency = (from: number, size: number): ReadonlyArray<Range> => {
  const path: Array<Range> = []
  let [begin, end] = [0, size]
  while (end !== from) {
    const middle = begin + split(end - begin)
    if (from <= middle) {
      path.push({ begin: middle, end })
      end = middle
    } else {
      path.push({ begin, end: middle })
      begin = middle
    }
  }
  // The earlier tree itself is known to whoever asks.
  return (begin === 0 ? path : [...path, { begin, end }]).reverse()
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])

/** Whether the hashes lead from the leaf to the root (RFC 9162, section 2.1.3.2). */
export const provesInclusion = (
  sha256: Sha256,
  proof: {
    readonly leafHash: Uint8Array
    readonly leafIndex: number
    readonly treeSize: number
    readonly hashes: ReadonlyArray<Uint8Array>
    readonly rootHash: Uint8Array
  }
): boolean => {
  if (!(proof.leafIndex >= 0 && proof.leafIndex < proof.treeSize)) return false
  let [at, last, hash] = [proof.leafIndex, proof.treeSize - 1, proof.leafHash]
  for (const next of proof.hashes) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      hash = join(sha256, next, hash)
      for (; !isOdd(at) && at !== 0; at = half(at)) last = half(last)
    } else {
      hash = join(sha256, hash, next)
    }
    at = half(at)
    last = half(last)
  }
  return last === 0 && isSame(hash, proof.rootHash)
}

/** Whether the hashes lead from one root to the other (RFC 9162, section 2.1.4.2). */
export const provesConsistency = (
  sha256: Sha256,
  proof: {
    readonly fromTreeSize: number
    readonly fromRootHash: Uint8Array
    readonly treeSize: number
    readonly hashes: ReadonlyArray<Uint8Array>
    readonly rootHash: Uint8Array
  }
): boolean => {
  const { fromRootHash, fromTreeSize, rootHash, treeSize } = proof
  if (!(fromTreeSize >= 1 && fromTreeSize <= treeSize)) return false
  if (fromTreeSize === treeSize) return proof.hashes.length === 0 && isSame(fromRootHash, rootHash)
  let [at, last] = [fromTreeSize - 1, treeSize - 1]
  for (; isOdd(at); at = half(at)) last = half(last)
  // A perfect earlier tree is itself the first hash of the path.
  const [first, ...rest] = at === 0 ? [fromRootHash, ...proof.hashes] : proof.hashes
  if (first === undefined) return false
  let [early, late] = [first, first]
  for (const next of rest) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      early = join(sha256, next, early)
      late = join(sha256, next, late)
      for (; !isOdd(at) && at !== 0; at = half(at)) last = half(last)
    } else {
      late = join(sha256, late, next)
    }
    at = half(at)
    last = half(last)
  }
  return last === 0 && isSame(early, fromRootHash) && isSame(late, rootHash)
}
