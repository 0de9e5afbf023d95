/** Whoever rewrites a log and calls it a replaced one is found out: a break is signed over exactly what is before it. */
import { assert, describe, it } from "@effect/vitest"
import { exportLines, verifyExport } from "../../../adapters/secrets/audit-export.ts"
import { privateKeyOf } from "../../../adapters/secrets/ed25519.ts"
import type { Placed } from "../../../core/audit/entry.ts"
import { aBreak, aLog, anExport, sha256, signedOver } from "../../support/audit-log.ts"
import * as Rows from "../../support/rows.ts"

const { accountId, checkpoint, entries } = anExport(8)
const { verifierKey } = checkpoint
const kept = checkpoint.checkpoint

/** Entries that come after some, each with the next place. */
const followed = (before: ReadonlyArray<Placed>, count: number) => [
  ...before,
  ...aLog(accountId, count).map((entry, at) => ({ ...entry, sequence: before.length + at }))
]

const report = (log: ReadonlyArray<Placed>, line: number, earlier: ReadonlyArray<string> = []) =>
  verifyExport(exportLines(log, signedOver(accountId, log, undefined, line)), verifierKey, earlier)

/** What is said of a log in which the fifth entry is a break. */
const forged = (changed: Placed, line = 2) => {
  const log = followed([...entries.slice(0, 5), changed], 3)
  const { ok, problems } = report(log, line)
  assert.isFalse(ok)
  for (const { code } of problems) assert.strictEqual(code, "forged_break")
  return problems.map(({ message }) => message).join(" ")
}

const first = entries.slice(0, 5)
const toTwo = { line: 2, lineBefore: 1 }
const genuine = aBreak(accountId, first, toTwo)

describe("a break", () => {
  it("is accepted where the log goes on, and named", () => {
    const { breaks, ok } = report(followed([...first, genuine], 3), 2, [kept])
    assert.isTrue(ok)
    assert.deepStrictEqual(
      breaks.map(({ line, lineBefore, lost, sequence }) => [sequence, lineBefore, line, lost]),
      [[5, 1, 2, 3]]
    )
    assert.include(breaks[0]?.message, "line 2 goes on after the first 5 entries of line 1")
  })

  it("is refused without a line that comes later", () => {
    const same = aBreak(accountId, first, { line: 2, lineBefore: 2 })
    assert.include(forged(same), "line 2 does not follow line 2")
    const back = aBreak(accountId, first, { line: 1, lineBefore: 2 })
    assert.include(forged(back, 1), "line 1 does not follow line 2")
  })

  it("is refused when another key signed it, or nobody", () => {
    const other = aBreak(accountId, first, toTwo, privateKeyOf(sha256("another key")))
    assert.include(forged(other), "not signed with the log's key")
    const unsigned = { ...genuine, facts: { ...genuine.facts, checkpoint: "" } }
    assert.include(forged(unsigned), "not signed with the log's key")
  })

  it("is refused when it is signed over fewer entries than stand before it", () => {
    const early = { ...aBreak(accountId, entries.slice(0, 4), toTwo), sequence: 5 }
    assert.include(forged(early), "over the first 4 entries and not over the 5 before it")
  })

  it("is refused when it is signed over other entries", () => {
    const changed = first.with(2, { ...(first[2] as Placed), actor: "somebody else" })
    assert.include(forged(aBreak(accountId, changed, toTwo)), "other entries")
  })

  it("is refused when what is signed is a checkpoint like any other", () => {
    const plain = signedOver(accountId, first).checkpoint
    const entry = { ...genuine, facts: { ...genuine.facts, checkpoint: plain } }
    assert.include(forged(entry), "a checkpoint and no break")
  })

  it("is refused when it tells another line than is signed", () => {
    for (const fact of ["line", "lineBefore", "entriesBefore"]) {
      const told = { ...genuine, facts: { ...genuine.facts, [fact]: "3" } }
      assert.include(forged(told), "something else than what is signed", fact)
    }
  })

  it("is refused when it ends a line that the log is not on", () => {
    const log = followed([...first, genuine], 2)
    const again = aBreak(accountId, log, { line: 3, lineBefore: 1 })
    const { problems } = report([...log, again], 3)
    assert.include(problems[0]?.message, "it ends line 1, while the log is on line 2")
  })

  it("is missed where the checkpoint is of a line that none leads to", () => {
    const { problems } = report(followed([...first, genuine], 3), 3)
    assert.include(problems[0]?.message, "The checkpoint is of line 3")
    const none = report(followed(first, 3), 2, [kept])
    assert.deepStrictEqual(
      none.problems.map(({ code }) => code),
      ["earlier_mismatch"]
    )
    assert.include(none.problems[0]?.message, "no entry says how this log comes from there")
  })

  it("excuses nothing before it", () => {
    const rewritten = first.with(1, { ...(first[1] as Placed), actor: "somebody else" })
    const log = followed([...rewritten, aBreak(accountId, rewritten, toTwo)], 3)
    const before = signedOver(accountId, first).checkpoint
    const { problems } = report(log, 2, [before])
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["earlier_mismatch"]
    )
  })

  it("excuses nothing of its own line", () => {
    const log = followed([...first, genuine], 3)
    const onTwo = signedOver(accountId, followed(log, 2), undefined, 2).checkpoint
    const { problems } = report(log, 2, [onTwo])
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["earlier_mismatch"]
    )
  })

  it("is of the account's own log", () => {
    const foreign = aBreak(Rows.anId(), first, toTwo)
    assert.include(forged({ ...foreign, accountId }), "not signed with the log's key")
  })
})
