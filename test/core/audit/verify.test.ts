/**
 * An exported log is checked with nothing but a key: altered anywhere it is refused, and what is wrong is
 * said of the entry it is wrong with.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { exportLines, verifyExport } from "../../../adapters/secrets/audit-export.ts"
import { privateKeyOf } from "../../../adapters/secrets/ed25519.ts"
import type { Placed } from "../../../core/audit/entry.ts"
import type { ProblemCode } from "../../../core/audit/report.ts"
import { aLog, anExport, sha256, signedOver } from "../../support/audit-log.ts"
import * as Rows from "../../support/rows.ts"

const log = anExport(13)
const lines = log.text.trimEnd().split("\n")

const fileOf = (parts: ReadonlyArray<string>) => parts.map((line) => `${line}\n`).join("")

/** What is found, each as its code and the place or line it is of. */
const found = (text: string, key = log.verifierKey, earlier: ReadonlyArray<string> = []) => {
  const report = verifyExport(text, key, earlier)
  assert.strictEqual(report.ok, report.problems.length === 0)
  for (const { message } of report.problems) assert.match(message, /^\p{Lu}.*\.$/su)
  return report.problems.map(({ code, line, sequence }) =>
    `${code} ${sequence ?? line ?? ""}`.trim()
  )
}

const is = (...codes: ReadonlyArray<ProblemCode | `${ProblemCode} ${number}`>): Array<string> => [
  ...codes
]

describe("an export that nobody touched", () => {
  it("verifies under its key, whatever its size", () => {
    for (const size of [0, 1, 2, 3, 8, 13]) {
      const { accountId, checkpoint, text, verifierKey } = anExport(size)
      assert.deepStrictEqual(verifyExport(text, verifierKey), {
        ok: true,
        head: { accountId, treeSize: size, rootHash: checkpoint.rootHash, line: 1 },
        breaks: [],
        problems: []
      })
    }
  })

  it("verifies with the line break that a key was copied with", () => {
    assert.deepStrictEqual(found(log.text, `${log.verifierKey}\n`), [])
  })

  it("continues every checkpoint that was kept of it", () => {
    const earlier = log.entries.map(
      (_, at) => signedOver(log.accountId, log.entries.slice(0, at)).checkpoint
    )
    assert.deepStrictEqual(found(log.text, log.verifierKey, earlier), [])
  })
})

/** Every field of an entry, changed as little as can be. */
const changes: Readonly<Record<string, (entry: Placed) => Placed>> = {
  id: (entry) => ({ ...entry, id: Rows.anId() }),
  action: (entry) => ({ ...entry, action: `${entry.action}x` }),
  actor: (entry) => ({ ...entry, actor: "system2" }),
  actorType: (entry) => ({ ...entry, actorType: "key" }),
  actorRole: (entry) => ({ ...entry, actorRole: "cosigner" }),
  subjectType: (entry) => ({ ...entry, subjectType: "" }),
  subjectId: (entry) => ({ ...entry, subjectId: entry.subjectId.slice(1) }),
  "facts, a value": (entry) => ({ ...entry, facts: { ...entry.facts, plan: "Pro" } }),
  "facts, a name": (entry) => ({ ...entry, facts: { label: "", tariff: "pro" } }),
  "facts, one less": (entry) => ({ ...entry, facts: {} }),
  createdAt: (entry) => ({
    ...entry,
    createdAt: DateTime.add(entry.createdAt, { milliseconds: 1 })
  })
}

describe("an entry that was altered", () => {
  for (const [field, change] of Object.entries(changes)) {
    it(`is found and named: ${field}`, () => {
      log.entries.forEach((entry, at) => {
        const altered = exportLines(log.entries.with(at, change(entry)), log.checkpoint)
        // With the hash beside it made to fit, which entry it is can no longer be told.
        assert.deepStrictEqual(found(altered), is("root_mismatch"))
        const line = altered.split("\n")[at] as string
        const leafHash = /"leafHash":"[^"]*"/u
        const [original = ""] = leafHash.exec(lines[at] as string) ?? []
        const clumsy = fileOf(lines.with(at, line.replace(leafHash, original)))
        assert.deepStrictEqual(found(clumsy), is(`altered_entry ${at}`))
      })
    })
  }

  it("is found when it is of another account", () => {
    const accountId = Rows.anId()
    const altered = exportLines(
      log.entries.with(4, { ...(log.entries[4] as Placed), accountId }),
      log.checkpoint
    )
    assert.deepStrictEqual(found(altered), is("foreign_entry 4", "root_mismatch"))
  })

  it("is told from an altered hash beside an entry that is as it was", () => {
    const other = /"leafHash":"[^"]*"/u.exec(lines[3] as string)?.[0] as string
    const text = fileOf(lines.with(7, (lines[7] as string).replace(/"leafHash":"[^"]*"/u, other)))
    const { problems } = verifyExport(text, log.verifierKey)
    assert.strictEqual(problems.length, 1)
    assert.include(problems[0]?.message, "the entry itself is as it was signed")
  })
})

describe("a file of which one byte was changed, removed or added", () => {
  const short = anExport(2)
  const bytes = Buffer.from(short.text)
  const isRefused = (changed: Buffer, what: string) =>
    assert.isFalse(verifyExport(changed.toString(), short.verifierKey).ok, what)

  it("never verifies, whichever byte it is", () => {
    assert.isTrue(verifyExport(short.text, short.verifierKey).ok)
    bytes.forEach((byte, at) => {
      for (const bit of [1, 32]) {
        const changed = Buffer.from(bytes)
        changed[at] = byte ^ bit
        isRefused(changed, `byte ${at}, bit ${bit}`)
      }
      isRefused(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]), `without ${at}`)
      isRefused(
        Buffer.concat([bytes.subarray(0, at), Buffer.from(" "), bytes.subarray(at)]),
        `a space at ${at}`
      )
    })
  })
})

describe("entries that are not all there, once each and in order", () => {
  it("are named when one is missing", () => {
    for (let at = 0; at < 13; at++) {
      assert.deepStrictEqual(found(fileOf(lines.toSpliced(at, 1))), is(`missing_entries ${at}`))
    }
  })

  it("are named as a range when several are", () => {
    const report = verifyExport(fileOf(lines.toSpliced(3, 4)), log.verifierKey)
    assert.strictEqual(report.problems[0]?.message, "Entries 3 to 6 are missing.")
  })

  it("are named when the newest are missing below a checkpoint that covers them", () => {
    assert.deepStrictEqual(found(fileOf(lines.toSpliced(11, 2))), is("missing_entries 11"))
    assert.deepStrictEqual(found(fileOf(lines.slice(-1))), is("missing_entries 0"))
  })

  it("are named when one stands there twice", () => {
    const twice = lines.toSpliced(5, 0, lines[4] as string)
    assert.deepStrictEqual(found(fileOf(twice)), is("repeated_entry 4"))
  })

  it("are named when two have changed places", () => {
    const swapped = lines.with(4, lines[5] as string).with(5, lines[4] as string)
    assert.deepStrictEqual(found(fileOf(swapped)), is("misplaced_entry 4"))
  })

  it("are named when two were given each other's place", () => {
    const [fourth, fifth] = [log.entries[4] as Placed, log.entries[5] as Placed]
    const swapped = log.entries
      .with(4, { ...fifth, sequence: 4 })
      .with(5, { ...fourth, sequence: 5 })
    assert.deepStrictEqual(found(exportLines(swapped, log.checkpoint)), is("root_mismatch"))
  })

  it("are named when there are more than the checkpoint covers", () => {
    const more = [...log.entries, ...aLog(log.accountId, 15).slice(13)]
    const text = exportLines(more, log.checkpoint)
    assert.deepStrictEqual(found(text), is("surplus_entry 13", "surplus_entry 14"))
  })

  it("are named by their line when they are no entries", () => {
    for (const line of ["", "{}", "[]", "null", "{", ` ${lines[2]}`, lines[12] as string]) {
      const text = fileOf(lines.with(2, line.replace("\n", "")))
      assert.include(found(text).join(), "missing_entries 2")
    }
    assert.deepStrictEqual(
      found(
        fileOf(lines.with(2, (lines[2] as string).replace('"actor":', '"actor":"x","actor":')))
      ),
      is("unreadable_line 3", "missing_entries 2")
    )
  })
})

describe("a checkpoint that is not what it should be", () => {
  it("is missed when the file was cut short", () => {
    assert.deepStrictEqual(found(log.text.slice(0, -1)), is("no_checkpoint"))
    assert.deepStrictEqual(found(fileOf(lines.slice(0, -1))), is("no_checkpoint"))
    assert.deepStrictEqual(found(""), is("no_checkpoint"))
  })

  it("is refused when another key signed it", () => {
    const other = signedOver(log.accountId, log.entries, privateKeyOf(sha256("another key")))
    const text = exportLines(log.entries, other)
    assert.deepStrictEqual(found(text), is("wrong_key"))
    assert.deepStrictEqual(found(text, other.verifierKey), [])
  })

  it("is refused when it is of another account's log", () => {
    const other = anExport(13)
    assert.deepStrictEqual(found(log.text, other.verifierKey), is("wrong_key"))
    assert.deepStrictEqual(found(exportLines(log.entries, other.checkpoint)), is("wrong_key"))
  })

  it("is refused when its size or root was changed after it was signed", () => {
    const { checkpoint } = log.checkpoint
    const smaller = signedOver(log.accountId, log.entries.slice(0, 12))
    const signature = checkpoint.split("\n").at(-2)
    const [head = ""] = smaller.checkpoint.split("\n\n")
    const text = exportLines(log.entries.slice(0, 12), {
      ...smaller,
      checkpoint: `${head}\n\n${signature}\n`
    })
    assert.deepStrictEqual(found(text), is("bad_signature"))
  })

  it("is refused when what stands beside it says otherwise", () => {
    const over = [{ treeSize: 12 }, { rootHash: "" }, { verifierKey: "bursar" }]
    for (const each of over) {
      const text = exportLines(log.entries, { ...log.checkpoint, ...each })
      assert.deepStrictEqual(found(text), is("no_checkpoint 14"))
    }
  })

  it("is not looked at without a key that is one", () => {
    assert.deepStrictEqual(found(log.text, "bursar"), is("unreadable_key"))
  })
})

describe("a log that was rewritten and signed again", () => {
  const rewritten = log.entries.with(2, { ...(log.entries[2] as Placed), actor: "somebody else" })
  const text = exportLines(rewritten, signedOver(log.accountId, rewritten))

  it("is betrayed by a checkpoint that was kept from before", () => {
    assert.deepStrictEqual(found(text), [])
    for (const size of [3, 4, 8, 13]) {
      const { checkpoint } = signedOver(log.accountId, log.entries.slice(0, size))
      assert.deepStrictEqual(found(text, log.verifierKey, [checkpoint]), is("earlier_mismatch"))
    }
  })

  it("is betrayed when it is shorter than it was", () => {
    const shorter = log.entries.slice(0, 9)
    const cut = exportLines(shorter, signedOver(log.accountId, shorter))
    const earlier = [log.checkpoint.checkpoint]
    assert.deepStrictEqual(found(cut, log.verifierKey, earlier), is("earlier_mismatch"))
  })

  it("is not betrayed by a checkpoint of somebody else", () => {
    const earlier = [anExport(3).checkpoint.checkpoint, "no note"]
    assert.deepStrictEqual(
      found(log.text, log.verifierKey, earlier),
      is("wrong_key", "no_checkpoint")
    )
  })
})
