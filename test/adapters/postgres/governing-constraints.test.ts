/** The database itself keeps governing within its accounts and as it was decided, whatever a program asks. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Approvals, Cosigners } from "../../../core/cosigners/cosigner-store.ts"
import { GovernanceRequests } from "../../../core/governance/governance-store.ts"
import { isRefused } from "../../support/constraint-errors.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as GovernanceRows from "../../support/governance-rows.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const stores = Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engine))

type Over = Readonly<Record<string, unknown>>

/** Each of the values in turn in place of a right one. */
const isRefusedWith = <Row, R>(
  write: (row: Row) => Effect.Effect<unknown, never, R>,
  row: Row,
  wrong: ReadonlyArray<Over>
) => Effect.forEach(wrong, (over) => isRefused(write({ ...row, ...over })), { discard: true })

layer(stores)("governing, constraints", (it) => {
  it.effect("two accounts are joined by an invite between them, and by no other", () =>
    Effect.gen(function* () {
      const { invite, join } = yield* Cosigners
      const [owner, cosigner, other] = [
        yield* Stored.account(),
        yield* Stored.account(),
        yield* Stored.account()
      ]
      const row = GovernanceRows.anInvite(owner.id, cosigner.id)
      yield* isRefusedWith(invite, row, [
        { cosignerAccountId: owner.id },
        { cosignerAccountId: Rows.anId() },
        { ownerAccountId: Rows.anId() }
      ])
      yield* invite(row)
      const membership = GovernanceRows.aMembership(row)
      yield* isRefusedWith(join, membership, [
        { cosignerAccountId: owner.id },
        { cosignerAccountId: other.id },
        { ownerAccountId: other.id },
        { ownerAccountId: cosigner.id, cosignerAccountId: owner.id },
        { inviteId: Rows.anId() }
      ])
      yield* join(membership)
    })
  )

  it.effect("an approval is of its own account's proposal and recipient, and takes a vote", () =>
    Effect.gen(function* () {
      const { open, vote } = yield* Approvals
      const [proposal, foreign] = [yield* Stored.proposal(), yield* Stored.proposal()]
      const { id: recipientId } = yield* Stored.recipient(foreign.accountId)
      const row = GovernanceRows.anApproval(proposal)
      yield* isRefusedWith(open, row, [
        { accountId: foreign.accountId },
        { proposalId: foreign.id },
        { recipientId },
        { required: 0 }
      ])
      yield* open(row)
      const { id: voter } = yield* Stored.account()
      yield* isRefusedWith(vote, GovernanceRows.aVote(row, voter), [
        { approvalId: Rows.anId() },
        { voterAccountId: Rows.anId() }
      ])
    })
  )

  it.effect("no status or hash is made up, and nothing runs out before it is made", () =>
    Effect.gen(function* () {
      const [owner, cosigner] = [yield* Stored.account(), yield* Stored.account()]
      const madeUp = [{ status: "undecided" }, { expiresAt: Rows.at(0) }]
      const { invite, revise } = yield* Cosigners
      yield* isRefusedWith(invite, GovernanceRows.anInvite(owner.id, cosigner.id), madeUp)
      yield* isRefusedWith(revise, GovernanceRows.aRevision(owner.id), [
        { number: 0 },
        { accountId: Rows.anId() }
      ])
      const { open, vote } = yield* Approvals
      const approval = GovernanceRows.anApproval(yield* Stored.proposal())
      yield* isRefusedWith(open, approval, madeUp)
      yield* open(approval)
      yield* isRefusedWith(vote, GovernanceRows.aVote(approval, owner.id), [{ intentHash: "abc" }])
      const { store } = yield* GovernanceRequests
      yield* isRefusedWith(store, GovernanceRows.aGovernanceRequest(owner.id), [
        ...madeUp,
        { payloadHash: "abc" },
        { payload: [] },
        { action: "" },
        { accountId: Rows.anId() }
      ])
    })
  )

  it.effect("invites, memberships and rules cannot be rewritten", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { members, revise, rules } = yield* Cosigners
      const { id: owner } = yield* Stored.account()
      const member = yield* Stored.member(owner)
      const revision = GovernanceRows.aRevision(owner)
      yield* revise(revision)
      const other = Rows.anId()
      yield* isRefused(sql`update cosigner_invite set cosigner_account_id = ${other}`)
      yield* isRefused(sql`update cosigner_invite set expires_at = now()`)
      yield* isRefused(sql`update cosigner_membership set owner_account_id = ${other}`)
      yield* isRefused(sql`update cosigner_membership set cosigner_account_id = ${other}`)
      yield* isRefused(sql`update cosigner_rules set rules = '[]'`)
      yield* isRefused(sql`delete from cosigner_rules where account_id = ${owner}`)
      yield* isRefused(sql`truncate cosigner_rules`)
      assert.deepStrictEqual(yield* members(owner, { limit: 5 }), { rows: [member] })
      assert.deepStrictEqual(yield* rules(owner), revision)
    })
  )

  it.effect("approvals, votes and what was asked for cannot be rewritten", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { find, vote, votes } = yield* Approvals
      const approval = yield* Stored.approval()
      const { cosignerAccountId } = yield* Stored.member(approval.accountId)
      const cast = GovernanceRows.aVote(approval, cosignerAccountId, { isApproval: false })
      yield* vote(cast)
      const request = GovernanceRows.aGovernanceRequest(approval.accountId)
      const { open, store } = yield* GovernanceRequests
      yield* store(request)
      yield* isRefused(sql`update cosigner_approval set proposal_id = ${Rows.anId()}`)
      yield* isRefused(sql`update cosigner_approval set account_id = ${cosignerAccountId}`)
      yield* isRefused(sql`update cosigner_approval set expires_at = now()`)
      yield* isRefused(sql`update cosigner_vote set is_approval = true`)
      yield* isRefused(sql`update cosigner_vote set intent_hash = ${Rows.aDigest()}`)
      yield* isRefused(sql`truncate cosigner_vote`)
      yield* isRefused(sql`update governance_request set payload = '{}'`)
      yield* isRefused(sql`update governance_request set payload_hash = ${Rows.aDigest()}`)
      yield* isRefused(sql`update governance_request set action = 'remove_cosigner'`)
      assert.deepStrictEqual(yield* find(approval.id), approval)
      assert.deepStrictEqual(yield* votes(approval.id), [cast])
      const listed = yield* open(approval.accountId, Rows.at(1), { limit: 5 })
      assert.deepStrictEqual(listed, { rows: [request] })
    })
  )
})
