/** What every store of approvals must do: a proposal has one, a voter one vote, and both stay what they were. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { type Approval, Status } from "../../core/cosigners/approval.ts"
import { Approvals, Cosigners } from "../../core/cosigners/cosigner-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Recipients } from "../../core/recipients/recipient-store.ts"
import * as GovernanceRows from "../support/governance-rows.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Approvals | Cosigners | Proposals | Recipients | Accounts | Atomically

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  openingSuite(name, stores)
  votingSuite(name, stores)
  awaitingSuite(name, stores)
}

const accountIds = (count: number) =>
  Effect.forEach(Array(count).fill(0), () => Effect.map(Stored.account(), ({ id }) => id))

const openingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: approvals`, (it) => {
    it.effect("an approval is read back as it was, by its own id and its proposal's", () =>
      Effect.gen(function* () {
        const { find, ofProposal } = yield* Approvals
        const { id: accountId } = yield* Stored.account()
        const { id: recipientId } = yield* Stored.recipient(accountId)
        const times = { createdAt: Rows.at(0.123), expiresAt: Rows.at(9.876) }
        const rows = [
          ...(yield* Effect.forEach(Status.literals, (status) =>
            Stored.approval({ accountId, status, required: 3, ...times })
          )),
          yield* Stored.approval({ accountId, recipientId }),
          yield* Stored.approval()
        ]
        for (const row of rows) {
          assert.deepStrictEqual(yield* find(row.id), row)
          assert.deepStrictEqual(yield* ofProposal(row.proposalId), row)
          assert.isUndefined(yield* find(row.proposalId))
          assert.isUndefined(yield* ofProposal(row.id))
        }
      })
    )

    it.effect(
      "of 64 approvals of one proposal opened at once, one is, and the rest are defects",
      () =>
        Effect.gen(function* () {
          const { ofProposal, open } = yield* Approvals
          const { run } = yield* Atomically
          const proposal = yield* Stored.proposal()
          const rows = Array.from({ length: 64 }, () => GovernanceRows.anApproval(proposal))
          const opened = yield* Effect.forEach(rows, (row) => Effect.exit(run(open(row))), {
            concurrency: "unbounded"
          })
          assert.strictEqual(opened.filter(Exit.isSuccess).length, 1)
          const kept = rows[opened.findIndex(Exit.isSuccess)]
          assert.isDefined(kept)
          assert.deepStrictEqual(yield* ofProposal(proposal.id), kept)
        })
    )

    it.effect("status and requirement are written back, and nothing else", () =>
      Effect.gen(function* () {
        const { find, revise } = yield* Approvals
        const { run } = yield* Atomically
        const [row, other] = [yield* Stored.approval({ required: 2 }), yield* Stored.approval()]
        const changed = { ...row, status: "approved", required: 3 } as const
        yield* Effect.flip(run(Effect.andThen(revise(changed), Effect.fail("no"))))
        assert.deepStrictEqual(yield* find(row.id), row)
        const { id: recipientId } = yield* Stored.recipient(row.accountId)
        const rewritten = { recipientId, createdAt: Rows.at(9), expiresAt: Rows.at(99) }
        yield* revise({ ...changed, ...rewritten, proposalId: Rows.anId() })
        assert.deepStrictEqual(yield* find(row.id), changed)
        for (const wrong of [
          { ...changed, required: 2 },
          { ...changed, accountId: other.accountId },
          { ...changed, id: Rows.anId() }
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(revise(wrong))))
        }
        assert.deepStrictEqual(yield* find(row.id), changed)
      })
    )

    it.effect("the proposals that wait for co-signers are told by their owner, oldest first", () =>
      Effect.gen(function* () {
        const { pendingOf } = yield* Approvals
        const [owner = "", other = ""] = yield* accountIds(2)
        const pending = (n: number, over: Partial<Approval> = {}) =>
          Stored.approval({ accountId: owner, createdAt: Rows.at(n), ...over })
        const [second, first] = [yield* pending(2), yield* pending(1)]
        for (const status of Status.literals.filter((each) => each !== "pending")) {
          yield* pending(3, { status })
        }
        const { id: recipientId } = yield* Stored.recipient(owner)
        yield* pending(0, { recipientId })
        const foreign = yield* pending(1, { accountId: other })
        assert.deepStrictEqual(yield* pendingOf(owner), [first.proposalId, second.proposalId])
        assert.deepStrictEqual(yield* pendingOf(other), [foreign.proposalId])
        assert.deepStrictEqual(yield* pendingOf(Rows.anId()), [])
      })
    )
  })

const votingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: approvals, votes`, (it) => {
    it.effect(
      "votes are read back as they were cast, in that order, and only of their approval",
      () =>
        Effect.gen(function* () {
          const { vote, votes } = yield* Approvals
          const [approval, other] = [yield* Stored.approval(), yield* Stored.approval()]
          // Many of one instant: whatever an id sorts like, they stand as they were cast.
          const cast = (yield* accountIds(8)).map((voter, index) =>
            GovernanceRows.aVote(approval, voter, {
              isApproval: index % 2 === 0,
              at: Rows.at(1.234)
            })
          )
          for (const each of cast) assert.isTrue(yield* vote(each))
          const elsewhere = GovernanceRows.aVote(other, cast[0]?.voterAccountId ?? "")
          assert.isTrue(yield* vote(elsewhere))
          assert.deepStrictEqual(yield* votes(approval.id), cast)
          assert.deepStrictEqual(yield* votes(other.id), [elsewhere])
          assert.deepStrictEqual(yield* votes("not-an-id"), [])
        })
    )

    it.effect("of 64 votes of one voter at once, one is cast, and never turned", () =>
      Effect.gen(function* () {
        const { vote, votes } = yield* Approvals
        const { run } = yield* Atomically
        const approval = yield* Stored.approval()
        const { id: voter } = yield* Stored.account()
        const rows = Array.from({ length: 64 }, (_, n) =>
          GovernanceRows.aVote(approval, voter, { isApproval: n % 2 === 0 })
        )
        const cast = yield* Effect.forEach(rows, (row) => run(vote(row)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(cast.filter(Boolean).length, 1)
        const kept = yield* votes(approval.id)
        assert.deepStrictEqual(
          kept,
          rows.filter((_, index) => cast[index])
        )
        assert.isFalse(yield* vote(GovernanceRows.aVote(approval, voter, { at: Rows.at(9) })))
        assert.deepStrictEqual(yield* votes(approval.id), kept)
      })
    )

    it.effect("a vote is undone with its transaction", () =>
      Effect.gen(function* () {
        const { vote, votes } = yield* Approvals
        const { run } = yield* Atomically
        const approval = yield* Stored.approval()
        const row = GovernanceRows.aVote(approval, (yield* Stored.account()).id)
        yield* Effect.flip(run(Effect.andThen(vote(row), Effect.fail("no"))))
        assert.deepStrictEqual(yield* votes(approval.id), [])
        assert.isTrue(yield* vote(row))
      })
    )

    it.effect(
      "what one voted on the pending approvals of an owner is voided, and nothing else",
      () =>
        Effect.gen(function* () {
          const { vote, votes, voidVotes } = yield* Approvals
          const { run } = yield* Atomically
          const [owner = "", removed = "", staying = ""] = yield* accountIds(3)
          const pending = [
            yield* Stored.approval({ accountId: owner }),
            yield* Stored.approval({ accountId: owner })
          ]
          const ended = yield* Effect.forEach(
            Status.literals.filter((status) => status !== "pending"),
            (status) => Stored.approval({ accountId: owner, status })
          )
          const foreign = yield* Stored.approval()
          const all = [...pending, ...ended, foreign]
          for (const approval of all) {
            yield* vote(GovernanceRows.aVote(approval, removed, { isApproval: false }))
            yield* vote(GovernanceRows.aVote(approval, staying))
          }
          const voters = Effect.forEach(all, ({ id }) =>
            Effect.map(votes(id), (cast) => cast.map(({ voterAccountId }) => voterAccountId))
          )
          const both = [removed, staying]
          yield* Effect.flip(run(Effect.andThen(voidVotes(owner, removed), Effect.fail("no"))))
          assert.deepStrictEqual(
            yield* voters,
            all.map(() => both)
          )
          yield* voidVotes(owner, removed)
          assert.deepStrictEqual(
            yield* voters,
            all.map((approval) => (pending.includes(approval) ? [staying] : both))
          )
          for (const approval of pending) {
            assert.isTrue(yield* vote(GovernanceRows.aVote(approval, removed)))
          }
          assert.deepStrictEqual(yield* Effect.map(voters, ([first]) => first), [staying, removed])
        })
    )
  })

const awaitingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: approvals, awaiting`, (it) => {
    const awaited = Effect.fnUntraced(function* (cosigner: string, seconds = 1) {
      const { awaiting } = yield* Approvals
      return yield* PageWalk.readAll(2, (request) => awaiting(cosigner, Rows.at(seconds), request))
    })

    it.effect("approvals of all owners one co-signs for are awaited, newest first, stably", () =>
      Effect.gen(function* () {
        const [cosignerAccountId = "", ...owners] = yield* accountIds(4)
        for (const owner of owners) yield* Stored.member(owner, { cosignerAccountId })
        const rows = yield* Effect.forEach([3, 1, 2, 2, 2, 0], (n) =>
          Stored.approval({ accountId: owners[n % 3] ?? "", createdAt: Rows.at(n) })
        )
        // Nobody co-signs for this one, and this account co-signs for nobody.
        yield* Stored.approval()
        const read = yield* awaited(cosignerAccountId)
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(rows))
        for (const owner of owners) assert.deepStrictEqual(yield* awaited(owner), [])
      })
    )

    it.effect("what has ended or run out, or was voted on by oneself, is awaited no more", () =>
      Effect.gen(function* () {
        const { revise, vote } = yield* Approvals
        const { id: accountId } = yield* Stored.account()
        const [one, other] = [yield* Stored.member(accountId), yield* Stored.member(accountId)]
        const [me, peer] = [one.cosignerAccountId, other.cosignerAccountId]
        const left = yield* Stored.approval({ accountId, expiresAt: Rows.at(60.001) })
        yield* Stored.approval({ accountId, expiresAt: Rows.at(60) })
        const voted = yield* Stored.approval({ accountId, createdAt: Rows.at(1) })
        yield* vote(GovernanceRows.aVote(voted, me, { isApproval: false }))
        for (const status of Status.literals.filter((each) => each !== "pending")) {
          yield* revise({ ...(yield* Stored.approval({ accountId })), status })
        }
        assert.deepStrictEqual(yield* awaited(me, 60), [left])
        assert.deepStrictEqual(yield* awaited(peer, 60), [voted, left])
      })
    )

    it.effect("whose vote was voided, or rolled back, is asked for it again", () =>
      Effect.gen(function* () {
        const { vote, voidVotes } = yield* Approvals
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const [one, other] = [yield* Stored.member(accountId), yield* Stored.member(accountId)]
        const [me, peer] = [one.cosignerAccountId, other.cosignerAccountId]
        const approval = yield* Stored.approval({ accountId })
        const voting = vote(GovernanceRows.aVote(approval, me))
        yield* Effect.flip(run(Effect.andThen(voting, Effect.fail("no"))))
        assert.deepStrictEqual(yield* awaited(me), [approval])
        yield* voting
        yield* vote(GovernanceRows.aVote(approval, peer))
        yield* voidVotes(accountId, me)
        assert.deepStrictEqual(yield* awaited(me), [approval])
        assert.deepStrictEqual(yield* awaited(peer), [])
      })
    )

    it.effect("who left or has yet to join is asked for nothing; who joins is asked for all", () =>
      Effect.gen(function* () {
        const { leave } = yield* Cosigners
        const approval = yield* Stored.approval()
        const { accountId } = approval
        const { id: cosignerAccountId } = yield* Stored.account()
        assert.deepStrictEqual(yield* awaited(cosignerAccountId), [])
        const member = yield* Stored.member(accountId, { cosignerAccountId })
        assert.deepStrictEqual(yield* awaited(cosignerAccountId), [approval])
        yield* leave(accountId, member.id, Rows.at(2))
        assert.deepStrictEqual(yield* awaited(cosignerAccountId), [])
      })
    )
  })
