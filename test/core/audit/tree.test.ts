/**
 * The Merkle tree against the definition of RFC 6962 written out as it stands there, at every size up to 70,
 * and against the vectors of Certificate Transparency; a proof with one byte changed proves nothing.
 */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Tree from "../../../core/audit/tree.ts"

const sha256: Tree.Sha256 = (...parts) => {
  const digest = createHash("sha256")
  for (const part of parts) digest.update(part)
  return new Uint8Array(digest.digest())
}

type Hash = Uint8Array

const hex = (hash: Hash) => Buffer.from(hash).toString("hex")
const hexes = (hashes: ReadonlyArray<Hash>) => hashes.map(hex)

/** RFC 6962, 2.1: the largest power of two smaller than n. */
const powerBelow = (n: number) => 2 ** Math.ceil(Math.log2(n) - 1)

const node = (left: Hash, right: Hash) => sha256(Uint8Array.of(1), left, right)

/** RFC 6962, 2.1: MTH. */
const naiveRoot = (leaves: ReadonlyArray<string>): Hash => {
  if (leaves.length === 0) return sha256("")
  if (leaves.length === 1) return sha256(Uint8Array.of(0), leaves[0] as string)
  const k = powerBelow(leaves.length)
  return node(naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}

/** RFC 6962, 2.1.1: PATH. */
const naivePath = (m: number, leaves: ReadonlyArray<string>): ReadonlyArray<Hash> => {
  if (leaves.length <= 1) return []
  const k = powerBelow(leaves.length)
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))]
}

/** RFC 6962, 2.1.2: SUBPROOF. */
const naiveSubproof = (
  m: number,
  leaves: ReadonlyArray<string>,
  isWhole: boolean
): ReadonlyArray<Hash> => {
  if (m === leaves.length) return isWhole ? [] : [naiveRoot(leaves)]
  const k = powerBelow(leaves.length)
  return m <= k
    ? [...naiveSubproof(m, leaves.slice(0, k), isWhole), naiveRoot(leaves.slice(k))]
    : [...naiveSubproof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))]
}

const most = 70
const texts = Array.from({ length: most }, (_, at) => `entry ${at}`)

/** All nodes of the tree over some leaves, as a store would keep them. */
const kept = (leaves: ReadonlyArray<string>) => {
  const { added } = Tree.grow(
    sha256,
    [],
    leaves.map((leaf) => Tree.leafHash(sha256, leaf))
  )
  return new Map(added.map((each) => [`${each.level}/${each.index}`, each]))
}

const all = kept(texts)

const lookIn = (nodes: ReadonlyMap<string, Tree.Hashed>, range: Tree.Range): Hash => {
  const parts = Tree.parts(range).map(({ index, level }) => nodes.get(`${level}/${index}`))
  return Tree.rootOf(
    sha256,
    parts.map((part) => (part as Tree.Hashed).hash)
  )
}

const rootAt = (size: number) => lookIn(all, { begin: 0, end: size })

const sizes = Array.from({ length: most }, (_, at) => at + 1)

/** Every hash of a proof with one byte of it changed, and the proof a hash shorter and longer. */
const spoilt = (hashes: ReadonlyArray<Hash>): ReadonlyArray<ReadonlyArray<Hash>> => [
  ...hashes.flatMap((hash, at) =>
    Array.from(hash, (_, byte) => hashes.with(at, flipped(hash, byte)))
  ),
  ...(hashes.length === 0 ? [] : [hashes.slice(1), hashes.slice(0, -1)]),
  [...hashes, sha256("")],
  [sha256(""), ...hashes]
]

const flipped = (hash: Hash, byte: number): Hash => hash.with(byte, (hash[byte] ?? 0) ^ 1)

const flips = (hash: Hash) => Array.from(hash, (_, byte) => flipped(hash, byte))

describe("the root", () => {
  it("is what RFC 6962 defines, at every size", () => {
    assert.strictEqual(hex(rootAt(0)), hex(naiveRoot([])))
    for (const size of sizes) {
      assert.strictEqual(hex(rootAt(size)), hex(naiveRoot(texts.slice(0, size))), `size ${size}`)
    }
  })

  it("is the same whether leaves come one by one, all at once or in any two portions", () => {
    const leaves = texts.map((text) => Tree.leafHash(sha256, text))
    for (let cut = 0; cut <= most; cut++) {
      const first = Tree.grow(sha256, [], leaves.slice(0, cut))
      const second = Tree.grow(sha256, first.peaks, leaves.slice(cut))
      const added = [...first.added, ...second.added]
      assert.strictEqual(added.length, all.size)
      for (const { hash, index, level } of added) {
        assert.strictEqual(hex(hash), hex(all.get(`${level}/${index}`)?.hash as Hash))
      }
    }
  })
})

describe("a proof that an entry is in the log", () => {
  it("is the path of RFC 6962, and is accepted, for every entry at every size", () => {
    for (const size of sizes) {
      for (let index = 0; index < size; index++) {
        const hashes = Tree.inclusion(index, size).map((range) => lookIn(all, range))
        assert.deepStrictEqual(hexes(hashes), hexes(naivePath(index, texts.slice(0, size))))
        const leafHash = Tree.leafHash(sha256, texts[index] as string)
        const claim = { leafHash, leafIndex: index, treeSize: size, rootHash: rootAt(size), hashes }
        assert.isTrue(Tree.provesInclusion(sha256, claim), `${index} of ${size}`)
      }
    }
  })

  it("proves no other entry, place, size or root", () => {
    for (const size of [1, 2, 3, 7, 8, 13]) {
      for (let index = 0; index < size; index++) {
        const hashes = Tree.inclusion(index, size).map((range) => lookIn(all, range))
        const leafHash = Tree.leafHash(sha256, texts[index] as string)
        const claim = { leafHash, leafIndex: index, treeSize: size, rootHash: rootAt(size), hashes }
        const refuses = (over: Partial<Parameters<typeof Tree.provesInclusion>[1]>) =>
          assert.isFalse(Tree.provesInclusion(sha256, { ...claim, ...over }), JSON.stringify(over))
        for (const each of spoilt(hashes)) refuses({ hashes: each })
        for (const each of flips(leafHash)) refuses({ leafHash: each })
        for (const each of flips(claim.rootHash)) refuses({ rootHash: each })
        for (let other = -1; other <= size; other++) {
          if (other !== index) refuses({ leafIndex: other })
        }
        refuses({ treeSize: 0 })
        refuses({ leafIndex: Number.NaN })
      }
    }
  })
})

describe("a proof that an earlier log is the beginning of a later one", () => {
  it("is the path of RFC 6962, and is accepted, from every size to every size", () => {
    for (const size of sizes) {
      for (let from = 1; from <= size; from++) {
        const hashes = Tree.consistency(from, size).map((range) => lookIn(all, range))
        const naive = naiveSubproof(from, texts.slice(0, size), true)
        assert.deepStrictEqual(hexes(hashes), hexes(naive), `${from} to ${size}`)
        const proof = {
          fromTreeSize: from,
          fromRootHash: rootAt(from),
          treeSize: size,
          rootHash: rootAt(size),
          hashes
        }
        assert.isTrue(Tree.provesConsistency(sha256, proof), `${from} to ${size}`)
      }
    }
  })

  it("proves no other beginning", () => {
    for (const size of [1, 2, 3, 7, 8, 13]) {
      for (let from = 1; from <= size; from++) {
        const proof = {
          fromTreeSize: from,
          fromRootHash: rootAt(from),
          treeSize: size,
          rootHash: rootAt(size),
          hashes: Tree.consistency(from, size).map((range) => lookIn(all, range))
        }
        const refuses = (over: Partial<Parameters<typeof Tree.provesConsistency>[1]>) =>
          assert.isFalse(Tree.provesConsistency(sha256, { ...proof, ...over }))
        for (const each of spoilt(proof.hashes)) refuses({ hashes: each })
        for (const each of flips(proof.fromRootHash)) refuses({ fromRootHash: each })
        for (const each of flips(proof.rootHash)) refuses({ rootHash: each })
        refuses({ fromTreeSize: 0 })
        refuses({ fromTreeSize: size + 1 })
        refuses({ fromTreeSize: Number.NaN })
      }
    }
  })

  it("is not to be had for a log that was rewritten before its end", () => {
    const rewritten = kept(texts.with(2, "another entry"))
    for (let from = 3; from <= 20; from++) {
      for (let size = from; size <= 21; size++) {
        const proof = {
          fromTreeSize: from,
          fromRootHash: rootAt(from),
          treeSize: size,
          rootHash: lookIn(rewritten, { begin: 0, end: size }),
          hashes: Tree.consistency(from, size).map((range) => lookIn(rewritten, range))
        }
        assert.isFalse(Tree.provesConsistency(sha256, proof))
      }
    }
  })
})

/** The eight leaves of the reference implementation of Certificate Transparency; all of them are ASCII. */
const reference = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f"
].map((leaf) => Buffer.from(leaf, "hex").toString("latin1"))

const referenceRoots = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
]

describe("the vectors of Certificate Transparency", () => {
  const nodes = kept(reference)
  const at = (ranges: ReadonlyArray<Tree.Range>) => hexes(ranges.map((each) => lookIn(nodes, each)))

  it("have these roots", () => {
    const roots = reference.map((_, at) => hex(lookIn(nodes, { begin: 0, end: at + 1 })))
    assert.deepStrictEqual(roots, referenceRoots)
  })

  it("have these proofs", () => {
    const firstOfEight = [
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
    ]
    assert.deepStrictEqual(at(Tree.inclusion(0, 8)), firstOfEight)
    assert.deepStrictEqual(at(Tree.consistency(1, 8)), firstOfEight)
    assert.deepStrictEqual(at(Tree.consistency(6, 8)), [
      "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
    ])
  })
})
