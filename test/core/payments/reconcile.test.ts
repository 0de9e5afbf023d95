/** Matching of direct sends: one unambiguous request or none, checked row by row and against an oracle. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import * as Usdc from "../../../core/money/usdc.ts"
import { type Candidate, type Match, match } from "../../../core/payments/reconcile.ts"
import { isPayable, type SettlementIssue, type Status } from "../../../core/payments/status.ts"
import type { Plain } from "../../support/plain.ts"

const expiry = DateTime.makeUnsafe("2026-11-21T12:00:00Z")
const inTime = DateTime.makeUnsafe("2026-11-21T11:59:59Z")
const tooLate = DateTime.makeUnsafe("2026-11-21T12:00:01Z")
const dust = Usdc.make(10_000n)

const request = (pid: string, changes: Plain<Partial<Candidate>> = {}): Candidate => ({
  id: pid,
  pid,
  status: "open",
  amountMicro: Usdc.make(49_000_000n),
  comingMicro: Usdc.zero,
  expiresAt: expiry,
  ...(changes as Partial<Candidate>)
})
const incoming = (micro: bigint, blockTime = inTime) => ({
  amountMicro: Usdc.make(micro),
  blockTime
})
const credited = (requestId: string): Match => ({ _tag: "credited", requestId })
const deposit = (issue: SettlementIssue, candidatePids: ReadonlyArray<string>): Match => ({
  _tag: "deposit",
  issue,
  candidatePids
})

const status = fc.constantFrom<Status>(
  "open",
  "processing",
  "partially_paid",
  "expired",
  "cancelled"
)
const candidate = fc.record({
  status,
  amountMicro: fc.bigInt({ min: 1n, max: 5n }).map((units) => Usdc.make(units * 1_000_000n)),
  comingMicro: fc.bigInt({ min: 0n, max: 3n }).map((units) => Usdc.make(units * 1_000_000n))
})

describe("A direct send", () => {
  it("pays the only request of the vault, whatever its amount", () => {
    for (const amount of [49_000_000n, 10_000n, 60_000_000n]) {
      assert.deepEqual(match([request("a")], incoming(amount), dust), credited("a"))
    }
  })

  it("pays the only one of several with the equal amount", () => {
    const candidates = [request("a"), request("b", { amountMicro: 20_000_000n })]
    assert.deepEqual(match(candidates, incoming(20_000_000n), dust), credited("b"))
  })

  it("is skipped when two open requests have the equal amount", () => {
    const candidates = [request("a"), request("b"), request("c", { amountMicro: 1_000_000n })]
    assert.deepEqual(
      match(candidates, incoming(49_000_000n), dust),
      deposit("ambiguous", ["a", "b"])
    )
  })

  it("is skipped when none of several has the equal amount", () => {
    const candidates = [request("a"), request("b")]
    assert.deepEqual(match(candidates, incoming(7n), dust), deposit("ambiguous", ["a", "b"]))
  })

  it("counts a partly paid request by what remains", () => {
    const candidates = [
      request("a", { status: "partially_paid", comingMicro: 40_000_000n }),
      request("b")
    ]
    assert.deepEqual(match(candidates, incoming(9_000_000n), dust), credited("a"))
    assert.deepEqual(match(candidates, incoming(49_000_000n), dust), credited("b"))
  })

  it("below one cent is a deposit unless it completes the request", () => {
    assert.deepEqual(match([request("a")], incoming(9_999n), dust), deposit("underpaid", ["a"]))
    const nearly = request("a", { status: "partially_paid", comingMicro: 48_999_999n })
    assert.deepEqual(match([nearly], incoming(1n), dust), credited("a"))
  })

  it("is on time in a block stamped at the expiry, and late a second after", () => {
    assert.deepEqual(match([request("a")], incoming(49_000_000n, expiry), dust), credited("a"))
    assert.deepEqual(
      match([request("a")], incoming(49_000_000n, tooLate), dust),
      deposit("late", ["a"])
    )
  })

  it("for an expired or cancelled request never pays it", () => {
    for (const status of ["expired", "cancelled"] as const) {
      assert.deepEqual(
        match([request("a", { status })], incoming(49_000_000n), dust),
        deposit("late", ["a"])
      )
    }
  })

  it("below one cent is a deposit where nothing is missing any more", () => {
    const covered = request("a", { status: "processing", comingMicro: 49_000_000n })
    assert.deepEqual(match([covered], incoming(9_999n), dust), deposit("underpaid", ["a"]))
    assert.deepEqual(match([covered], incoming(10_000n), dust), credited("a"))
  })

  it("that is late names those that ask for its amount, or else all it may have been for", () => {
    const [a, b] = [request("a", { status: "expired" }), request("b", { status: "cancelled" })]
    const c = request("c", { status: "cancelled", amountMicro: 7n })
    const late = (amount: bigint, ...pids: ReadonlyArray<string>) =>
      assert.deepEqual(match([a, b, c], incoming(amount), dust), deposit("late", pids))
    late(7n, "c")
    late(49_000_000n, "a", "b")
    late(8n, "a", "b", "c")
    const part = request("d", { status: "expired", comingMicro: 48_000_000n })
    const only = match([a, part], incoming(1_000_000n), dust)
    assert.deepEqual(only, deposit("late", ["d"]))
    assert.deepEqual(match([c], incoming(8n), dust), deposit("late", ["c"]))
  })

  it("that nothing takes repeats a paid request, unless one that ended asks for its amount", () => {
    const again = (...candidates: ReadonlyArray<Candidate>) =>
      match(candidates, { ...incoming(5n), repeats: "paid" }, dust)
    const duplicate = { _tag: "deposit", issue: "duplicate", candidatePids: ["paid"] } as const
    assert.deepEqual(again(), duplicate)
    assert.deepEqual(again(request("a", { status: "expired" })), duplicate)
    const equal = request("a", { status: "expired", amountMicro: 5n })
    assert.deepEqual(again(equal), deposit("late", ["a"]))
    assert.deepEqual(again(request("a", { amountMicro: 5n })), credited("a"))
    const two = again(request("a"), request("b"))
    assert.deepEqual(two, deposit("ambiguous", ["a", "b"]))
    assert.deepEqual(again(request("a")), deposit("underpaid", ["a"]))
  })

  it("names the newest fifty of those that it may have been for", () => {
    const many = Array.from({ length: 60 }, (_, at) =>
      request(`pr_${at}`, { status: "expired", comingMicro: Usdc.make(1n) })
    )
    assert.deepStrictEqual(
      match(many, incoming(7_000_000n, tooLate), dust),
      deposit(
        "late",
        many.slice(10).map(({ pid }) => pid)
      )
    )
  })

  it("nobody asked for is a plain deposit", () => {
    assert.deepEqual(match([], incoming(5_000_000n), dust), deposit("none", []))
  })

  it("credits exactly when the rule of the spec has one answer", () => {
    fc.assert(
      fc.property(
        fc.array(candidate, { maxLength: 5 }),
        fc.bigInt({ min: 1n, max: 6n }).map((units) => Usdc.make(units * 1_000_000n)),
        fc.constantFrom(inTime, expiry, tooLate),
        (rows, amount, blockTime) => {
          const candidates = rows.map((row, index) => request(`r${index}`, row))
          const open = candidates.filter(
            (each) =>
              isPayable(each.status) && blockTime.epochMilliseconds <= expiry.epochMilliseconds
          )
          const equal = open.filter((each) => each.amountMicro - each.comingMicro === amount)
          const expected =
            open.length === 1 ? open[0]?.id : equal.length === 1 ? equal[0]?.id : undefined
          const found = match(candidates, incoming(amount, blockTime), dust)
          assert.strictEqual(found._tag === "credited" ? found.requestId : undefined, expected)
        }
      ),
      { numRuns: 10_000 }
    )
  })

  it("is helped by its payer's claim only where two requests of its amount are left to choose from", () => {
    fc.assert(
      fc.property(
        fc.array(candidate, { maxLength: 5 }),
        fc.bigInt({ min: 1n, max: 6n }).map((units) => Usdc.make(units * 1_000_000n)),
        fc.constantFrom(inTime, tooLate),
        fc.integer({ min: 0, max: 5 }),
        (rows, amount, blockTime, at) => {
          const candidates = rows.map((row, index) => request(`r${index}`, row))
          const unclaimed = match(candidates, incoming(amount, blockTime), dust)
          const claimedFor = `r${at}`
          const found = match(candidates, { ...incoming(amount, blockTime), claimedFor }, dust)
          const isChoice =
            unclaimed._tag === "deposit" &&
            unclaimed.issue === "ambiguous" &&
            unclaimed.candidatePids.includes(claimedFor) &&
            candidates.some(
              (each) => each.id === claimedFor && each.amountMicro - each.comingMicro === amount
            )
          const byClaim: Match = { _tag: "credited", requestId: claimedFor, byClaim: true }
          assert.deepEqual(found, isChoice ? byClaim : unclaimed)
        }
      ),
      { numRuns: 10_000 }
    )
  })
})
