/**
 * A log that is in several files is checked as one: each file holds by itself and goes on from another, and a file that
 * lacks is told apart from one that was changed.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  beginVerifying,
  exportLines,
  sizeIn,
  verifyExport
} from "../../../adapters/secrets/audit-export.ts"
import { privateKeyOf } from "../../../adapters/secrets/ed25519.ts"
import type { Placed } from "../../../core/audit/entry.ts"
import * as Leaf from "../../../core/audit/entry.ts"
import * as Tree from "../../../core/audit/tree.ts"
import { type FilesReport, together } from "../../../core/audit/verify-files.ts"
import * as Base64 from "../../../core/encoding/base64.ts"
import { aBreak, aLog, sha256, signedOver } from "../../support/audit-log.ts"
import * as Rows from "../../support/rows.ts"

const accountId = Rows.anId()
const log = aLog(accountId, 13)
const { verifierKey } = signedOver(accountId, log)

const beforeOf = (entries: ReadonlyArray<Placed>, first: number) => {
  if (first === 0) return undefined
  const leaves = entries.slice(0, first).map((entry) => Leaf.hashOf(sha256, entry))
  const { peaks } = Tree.grow(sha256, [], leaves)
  return { entries: first, hashes: peaks.map(({ hash }) => Base64.encode(hash)) }
}

/** A file of a log, from one place up to, and without, another. */
const part = (first: number, end: number, entries = log, line = 1, key?: string) =>
  exportLines(entries.slice(first, end), {
    ...signedOver(
      accountId,
      entries.slice(0, end),
      key === undefined ? undefined : privateKeyOf(sha256(key)),
      line
    ),
    before: beforeOf(entries, first)
  })

const checkpointOf = (text: string): string => {
  const last = text.trimEnd().split("\n").at(-1) ?? "{}"
  return last.startsWith("{") ? (JSON.parse(last).checkpoint ?? "") : ""
}

/** What is found in files, by the names that they are given. */
const checked = (
  files: Readonly<Record<string, string>>,
  kept: ReadonlyArray<string> = []
): FilesReport => {
  const notes = [...kept, ...Object.values(files).map(checkpointOf)]
  const found = Object.entries(files).map(([file, text]) => {
    const lines = text.trimEnd().split("\n")
    const last = lines.pop()
    const checking = beginVerifying(last, verifierKey, notes)
    if (!("line" in checking)) return { ...checking, file }
    lines.every(checking.line)
    return { ...checking.end(), file }
  })
  return together(found, kept.map(sizeIn))
}

const codes = ({ problems }: FilesReport) =>
  problems.map(({ code, file = "", sequence = "" }) => `${code} ${file} ${sequence}`.trim())

const noteAt = (size: number, line = 1) =>
  signedOver(accountId, log.slice(0, size), undefined, line).checkpoint

describe("the files of a log", () => {
  it("hold together wherever it is cut, in any order of their names, with every checkpoint that was kept", () => {
    const kept = log.map((_, size) => noteAt(size))
    for (const [one, other] of [
      [1, 2],
      [4, 8],
      [5, 11],
      [7, 13]
    ] as const) {
      const { breaks, head, ok, problems, proved } = checked(
        { c: part(other, 13), a: part(0, one), b: part(one, other) },
        kept
      )
      assert.deepStrictEqual([ok, problems, breaks], [true, [], []])
      assert.strictEqual(head?.treeSize, 13)
      assert.deepStrictEqual(
        proved.map(({ file, first }) => [file, first]),
        [
          ["a", 0],
          ["b", one],
          ["c", other]
        ]
      )
    }
  })

  it("may have entries twice, as an export from before they were moved", () => {
    assert.deepStrictEqual(codes(checked({ a: part(0, 6), b: part(0, 9), c: part(6, 13) })), [])
  })

  it("are not whole without one of them, and it is said which entries lack", () => {
    const [a, b, c] = [part(0, 4), part(4, 9), part(9, 13)]
    assert.deepStrictEqual(codes(checked({ a, c })), ["missing_file  4"])
    assert.deepStrictEqual(codes(checked({ b, c })), ["missing_file  0"])
    assert.deepStrictEqual(checked({ b, c }).proved.length, 2)
    assert.deepStrictEqual(
      verifyExport(b, verifierKey).problems.map(({ code }) => code),
      ["missing_file"]
    )
  })

  it("tell a byte that was changed from a file that lacks", () => {
    const [a, b, c] = [part(0, 4), part(4, 9), part(9, 13)]
    const altered = b.replace('\\"5\\"', '\\"6\\"')
    assert.notStrictEqual(altered, b)
    assert.deepStrictEqual(codes(checked({ a, b: altered, c })), ["altered_entry b 5"])
    const cut = b.split("\n").toSpliced(1, 1).join("\n")
    assert.deepStrictEqual(codes(checked({ a, b: cut, c })), ["missing_entries b 5"])
    const endless = b.split("\n").slice(0, -2).join("\n")
    assert.include(codes(checked({ a, b: endless, c })), "no_checkpoint b")
  })

  it("are refused where one states other hashes of the entries before it than the log's", () => {
    const [a, b] = [part(0, 4), part(4, 13)]
    const [hash = ""] = beforeOf(log, 4)?.hashes ?? []
    const other = b.replace(hash, Base64.encode(sha256("another")))
    assert.deepStrictEqual(codes(checked({ a, b: other })), ["root_mismatch b"])
    for (const wrong of [{ entries: 3 }, { entries: 14 }, { entries: 4, hashes: [] }, 4]) {
      const line = JSON.stringify(wrong)
      const end = b.replace(/"before":\{[^}]*\}/u, `"before":${line}`)
      assert.notStrictEqual(end, b)
      assert.include(codes(checked({ a, b: end })), "no_checkpoint b")
    }
  })

  it("are refused where one ends in another log than the next goes on from, though both are signed", () => {
    const rewritten = log.map((entry) => (entry.sequence === 2 ? { ...entry, actor: "x" } : entry))
    assert.deepStrictEqual(codes(checked({ a: part(0, 6, rewritten), b: part(6, 13) })), [
      "earlier_mismatch a"
    ])
    assert.deepStrictEqual(codes(checked({ a: part(0, 9, rewritten), b: part(0, 13) })), [
      "earlier_mismatch a"
    ])
  })

  it("are refused where a checkpoint that was kept is of another log, or beyond them", () => {
    const files = { a: part(0, 6), b: part(6, 13) }
    const rewritten = log.map((entry) => (entry.sequence === 2 ? { ...entry, actor: "x" } : entry))
    const of = (size: number) => signedOver(accountId, rewritten.slice(0, size)).checkpoint
    assert.deepStrictEqual(codes(checked(files, [of(5)])), ["earlier_mismatch a"])
    assert.deepStrictEqual(codes(checked(files, [of(8)])), ["earlier_mismatch b"])
    assert.deepStrictEqual(codes(checked(files, ["no note"])), ["no_checkpoint"])
    const beyond = signedOver(accountId, aLog(accountId, 20)).checkpoint
    assert.deepStrictEqual(codes(checked(files, [beyond])), ["earlier_mismatch b"])
  })

  it("of several lines of history name the break and what is lost, wherever the files are cut", () => {
    const before = log.slice(0, 6)
    const entry = aBreak(accountId, before, { line: 2, lineBefore: 1 })
    const after = aLog(accountId, 10)
      .slice(7)
      .map((each) => each)
    const broken = [...before, entry, ...after]
    for (const cut of [3, 6, 7, 8]) {
      const lineAtCut = cut <= 6 ? 1 : 2
      const report = checked({ a: part(0, cut, broken, lineAtCut), b: part(cut, 10, broken, 2) }, [
        noteAt(5),
        noteAt(9)
      ])
      assert.deepStrictEqual(codes(report), [])
      assert.deepStrictEqual(
        report.breaks.map(({ line, lineBefore, lost, sequence }) => [
          sequence,
          line,
          lineBefore,
          lost
        ]),
        [[6, 2, 1, 3]]
      )
    }
  })
})
