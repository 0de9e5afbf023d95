/** How a proposal moves: only as its life goes, with its approval closed in the right way, and told once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Approvals } from "../../../core/cosigners/cosigner-store.ts"
import type { Notice } from "../../../core/notices/notice.ts"
import { Notices } from "../../../core/notices/notice-store.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import { move } from "../../../core/proposals/move.ts"
import { mayFollow, type Proposal, type Status } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import * as GovernanceRows from "../../support/governance-rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const inMemory = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1))

const statuses: ReadonlyArray<Status> = [
  "pending_confirm",
  "requires_action",
  "executing",
  "completed",
  "failed",
  "rejected",
  "cancelled",
  "expired",
  "superseded"
]

const waiting = Effect.fnUntraced(function* (status: Status = "requires_action") {
  const proposal = yield* Stored.proposal({ status })
  const approval = GovernanceRows.anApproval(proposal)
  const approvals = yield* Approvals
  yield* approvals.open(approval)
  return { proposal, approval: Effect.map(approvals.find(approval.id), (row) => row?.status) }
})

const told = Effect.fnUntraced(function* (accountId: string) {
  const { rows } = yield* (yield* Audit).list(accountId, { limit: 100 })
  return rows.map(({ action, actor, facts }) => ({ action, actor, facts }))
})

describe("a proposal that is moved", () => {
  it.effect.each(
    statuses.flatMap((from) =>
      statuses.filter((to) => to !== from && !mayFollow(from, to)).map((to) => [from, to] as const)
    )
  )("never goes from %s to %s, and stays as it was", ([from, to]) =>
    inMemory(
      Effect.gen(function* () {
        const proposal = yield* Stored.proposal({ status: from })
        // The records refuse it as well; these would take anything.
        const written: Array<Proposal> = []
        const stores = {
          ...(yield* Proposals),
          move: (moved: ReadonlyArray<Proposal>) => Effect.sync(() => void written.push(...moved))
        }
        const moving = move(proposal, { status: to }, "system")
        const exit = yield* Effect.exit(Effect.provideService(moving, Proposals, stores))
        assert.isTrue(Exit.hasDies(exit))
        assert.deepStrictEqual(written, [])
        const kept = yield* (yield* Proposals).find(proposal.accountId, proposal.id)
        assert.strictEqual(kept?.status, from)
        assert.deepStrictEqual(yield* told(proposal.accountId), [])
      })
    )
  )

  it.effect.each([
    ["rejected", "rejected"],
    ["expired", "expired"],
    ["executing", "approved"],
    ["completed", "approved"],
    ["failed", "superseded"],
    ["cancelled", "superseded"],
    ["superseded", "superseded"]
  ] as const)("to %s leaves its approval %s, and says so once", ([status, approval]) =>
    inMemory(
      Effect.gen(function* () {
        const its = yield* waiting()
        const { accountId } = its.proposal
        const moved = yield* move(its.proposal, { status, statusReason: "why" }, "somebody")
        assert.deepStrictEqual(yield* (yield* Proposals).find(accountId, moved.id), moved)
        assert.strictEqual(moved.status, status)
        assert.strictEqual(yield* its.approval, approval)
        assert.deepStrictEqual(yield* told(accountId), [
          {
            action: `proposal.${status}`,
            actor: "somebody",
            facts: { from: "requires_action", reason: "why" }
          }
        ])
      })
    )
  )

  it.effect("that fails is told to approvers with a link, unless it only keeps records", () =>
    inMemory(
      Effect.gen(function* () {
        const written: Array<object> = []
        const notices = {
          ...(yield* Notices),
          write: (notice: Notice) =>
            Effect.as(
              Effect.sync(() => written.push(notice)),
              true
            )
        }
        const failing = Effect.fnUntraced(function* (kind: string, statusReason: string | null) {
          const proposal = yield* Stored.proposal({ status: "executing", kind })
          const change = { status: "failed", statusReason } as const
          yield* Effect.provideService(move(proposal, change, "system"), Notices, notices)
          return proposal
        })
        for (const kind of ["rename_account", "create_account", "add_recipient"]) {
          yield* failing(kind, "why")
        }
        yield* failing("approve_recipient", null)
        assert.deepStrictEqual(written, [])
        const { accountId, id, summary } = yield* failing("send", "why")
        const { summary: bare } = yield* failing("send", null)
        const done = yield* Stored.proposal({ status: "executing" })
        const completing = move(done, { status: "completed" }, "system")
        yield* Effect.provideService(completing, Notices, notices)
        const [first, second, ...more] = written
        assert.deepInclude(first, {
          accountId,
          type: "send_failed",
          subject: id,
          role: "approver",
          summary: `Failed: ${summary} (why)`,
          path: `/console/proposals/${id}`
        })
        assert.deepInclude(second, { summary: `Failed: ${bare}` })
        assert.deepStrictEqual(more, [])
      })
    )
  )

  it.effect("without a reason tells none", () =>
    inMemory(
      Effect.gen(function* () {
        const { proposal } = yield* waiting()
        yield* move(proposal, { status: "executing", statusReason: null }, "system")
        const [entry] = yield* told(proposal.accountId)
        assert.deepStrictEqual(entry?.facts, { from: "requires_action" })
      })
    )
  )

  it.effect("in anything but its status closes and tells nothing", () =>
    inMemory(
      Effect.gen(function* () {
        const { approval, proposal } = yield* waiting()
        const moved = yield* move(proposal, { statusReason: "still waiting" }, "system")
        const kept = yield* (yield* Proposals).find(proposal.accountId, proposal.id)
        assert.strictEqual(kept?.statusReason, "still waiting")
        assert.deepStrictEqual(kept, moved)
        assert.strictEqual(yield* approval, "pending")
        assert.deepStrictEqual(yield* told(proposal.accountId), [])
      })
    )
  )

  it.effect("leaves an approval that has ended as it ended, and one that it never waited for", () =>
    inMemory(
      Effect.gen(function* () {
        const approvals = yield* Approvals
        const ended = yield* waiting()
        const row = yield* approvals.ofProposal(ended.proposal.id)
        if (row === undefined) return assert.fail("there is no approval")
        yield* approvals.revise({ ...row, status: "rejected" })
        yield* move(ended.proposal, { status: "executing" }, "system")
        assert.strictEqual(yield* ended.approval, "rejected")
        const early = yield* waiting("pending_confirm")
        yield* move(early.proposal, { status: "executing" }, "system")
        assert.strictEqual(yield* early.approval, "pending")
      })
    )
  )

  it.effect("from executing wakes whoever waits for it, and from nowhere else", () =>
    inMemory(
      Effect.gen(function* () {
        const woken: Array<string> = []
        const notifier = {
          ...(yield* Notifier),
          signal: (topic: string, subject?: string) =>
            Effect.sync(() => {
              if (topic === "proposals") woken.push(subject ?? "")
            })
        }
        const moving = (proposal: Proposal, status: Status) =>
          Effect.provideService(move(proposal, { status }, "system"), Notifier, notifier)
        const proposal = yield* Stored.proposal({ status: "executing" })
        yield* moving(proposal, "completed")
        assert.deepStrictEqual(woken, [proposal.id])
        yield* moving(yield* Stored.proposal({ status: "pending_confirm" }), "cancelled")
        assert.lengthOf(woken, 1)
      })
    )
  )

  it.effect("to another outcome than its status says tells it", () =>
    inMemory(
      Effect.gen(function* () {
        const proposal = yield* Stored.proposal({ status: "executing" })
        const { accountId } = proposal
        yield* move(proposal, { status: "failed", outcome: "partly_executed" }, "system")
        const [entry] = yield* told(accountId)
        assert.deepStrictEqual(entry?.facts, { from: "executing", outcome: "partly_executed" })
        const { rows } = yield* (yield* Audit).list(accountId, { limit: 1 })
        assert.deepInclude(rows[0], { subjectType: "proposal", subjectId: proposal.id })
      })
    )
  )

  it.effect("that waited for a passkey alone has no approval to close", () =>
    inMemory(
      Effect.gen(function* () {
        const proposal = yield* Stored.proposal({ status: "requires_action" })
        const moved = yield* move(proposal, { status: "executing" }, "system")
        assert.strictEqual(moved.status, "executing")
      })
    )
  )
})
