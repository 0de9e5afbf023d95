/** What every store of co-signers must do: two accounts have one open invite and one membership at a time. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Cosigners } from "../../core/cosigners/cosigner-store.ts"
import type { Invite } from "../../core/cosigners/invite.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as GovernanceRows from "../support/governance-rows.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Cosigners | Accounts | Atomically

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  invitingSuite(name, stores)
  answeringSuite(name, stores)
  joiningSuite(name, stores)
}

const twoAccounts = Effect.gen(function* () {
  return [(yield* Stored.account()).id, (yield* Stored.account()).id] as const
})

const anInvite = (over: Partial<Invite> = {}) =>
  Effect.map(twoAccounts, ([owner, cosigner]) => GovernanceRows.anInvite(owner, cosigner, over))

/** An invite like another one, under an id of its own. */
const again = (invite: Invite, over: Partial<Invite> = {}): Invite => ({
  ...invite,
  id: Rows.anId(),
  ...over
})

const readInvite = Effect.fnUntraced(function* (inviteId: string) {
  const { lockInvite } = yield* Cosigners
  return yield* (yield* Atomically).run(lockInvite(inviteId))
})

const atOnce = <A, B, E, R>(rows: ReadonlyArray<A>, change: (row: A) => Effect.Effect<B, E, R>) =>
  Effect.flatMap(Atomically, ({ run }) =>
    Effect.forEach(rows, (row) => run(change(row)), { concurrency: "unbounded" })
  )

const invitingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: cosigners, inviting`, (it) => {
    it.effect("an invite is read back as it was, and comes in at the invited account only", () =>
      Effect.gen(function* () {
        const cosigners = yield* Cosigners
        const { run } = yield* Atomically
        const [owner, cosigner] = yield* twoAccounts
        const invite = GovernanceRows.anInvite(owner, cosigner, { expiresAt: Rows.at(60.123) })
        const reversed = GovernanceRows.anInvite(cosigner, owner, { nickname: null })
        for (const row of [invite, reversed]) {
          assert.isTrue(yield* run(cosigners.invite(row)))
          assert.deepStrictEqual(yield* readInvite(row.id), row)
        }
        assert.isUndefined(yield* readInvite("not-an-id"))
        const incoming = (accountId: string) =>
          cosigners.incoming(accountId, Rows.at(1), { limit: 5 })
        assert.deepStrictEqual(yield* incoming(cosigner), { rows: [invite] })
        assert.deepStrictEqual(yield* incoming(owner), { rows: [reversed] })
        assert.deepStrictEqual(yield* incoming((yield* Stored.account()).id), { rows: [] })
        assert.isFalse(yield* cosigners.cosigns(cosigner, owner))
      })
    )

    it.effect("nobody invites himself", () =>
      Effect.gen(function* () {
        const { invite } = yield* Cosigners
        const { id } = yield* Stored.account()
        assert.isTrue(Exit.isFailure(yield* Effect.exit(invite(GovernanceRows.anInvite(id, id)))))
      })
    )

    it.effect("of 64 invites of the same two accounts at once, one is open", () =>
      Effect.gen(function* () {
        const cosigners = yield* Cosigners
        const first = yield* anInvite()
        const rows = Array.from({ length: 64 }, () => again(first))
        const added = yield* atOnce(rows, cosigners.invite)
        assert.strictEqual(added.filter(Boolean).length, 1)
        const open = yield* cosigners.incoming(first.cosignerAccountId, Rows.at(1), { limit: 5 })
        assert.deepStrictEqual(PageWalk.ids(open.rows), PageWalk.idsAt(rows, added.indexOf(true)))
      })
    )

    it.effect(
      "an invite stands in the way of another until it has run out, and then is expired",
      () =>
        Effect.gen(function* () {
          const { invite } = yield* Cosigners
          const first = yield* anInvite({ expiresAt: Rows.at(60) })
          yield* invite(first)
          const early = again(first, { createdAt: Rows.at(59.999), expiresAt: Rows.at(99) })
          assert.isFalse(yield* invite(early))
          assert.isUndefined(yield* readInvite(early.id))
          assert.deepStrictEqual(yield* readInvite(first.id), first)
          const late = { createdAt: Rows.at(60), expiresAt: Rows.at(99) }
          const rows = Array.from({ length: 32 }, () => again(first, late))
          const added = yield* atOnce(rows, invite)
          assert.strictEqual(added.filter(Boolean).length, 1)
          assert.deepStrictEqual(yield* readInvite(first.id), { ...first, status: "expired" })
        })
    )

    it.effect("who is joined is not invited, and may be once he has left", () =>
      Effect.gen(function* () {
        const cosigners = yield* Cosigners
        const member = yield* Stored.member((yield* Stored.account()).id)
        const { cosignerAccountId, ownerAccountId } = member
        const invite = GovernanceRows.anInvite(ownerAccountId, cosignerAccountId)
        assert.isFalse(yield* cosigners.invite(invite))
        assert.isUndefined(yield* readInvite(invite.id))
        yield* cosigners.leave(ownerAccountId, member.id, Rows.at(2))
        assert.isTrue(yield* cosigners.invite(invite))
      })
    )

    it.effect("an invite that is rolled back leaves the way free, and expires nothing", () =>
      Effect.gen(function* () {
        const { invite } = yield* Cosigners
        const { run } = yield* Atomically
        const first = yield* anInvite({ expiresAt: Rows.at(60) })
        yield* Effect.flip(run(Effect.andThen(invite(first), Effect.fail("no"))))
        assert.isUndefined(yield* readInvite(first.id))
        assert.isTrue(yield* invite(first))
        const late = again(first, { createdAt: Rows.at(60), expiresAt: Rows.at(99) })
        yield* Effect.flip(run(Effect.andThen(invite(late), Effect.fail("no"))))
        assert.deepStrictEqual(yield* readInvite(first.id), first)
      })
    )
  })

const answeringSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: cosigners, answering`, (it) => {
    it.effect(
      "incoming are those neither answered nor run out, newest first in a stable order",
      () =>
        Effect.gen(function* () {
          const cosigners = yield* Cosigners
          const { id: cosignerAccountId } = yield* Stored.account()
          const invited = Effect.fnUntraced(function* (over: Partial<Invite>) {
            const { id } = yield* Stored.account()
            const invite = GovernanceRows.anInvite(id, cosignerAccountId, over)
            yield* cosigners.invite(invite)
            return invite
          })
          const open = yield* Effect.forEach([3, 1, 2, 2, 2], (n) =>
            invited({ createdAt: Rows.at(n), expiresAt: Rows.at(60.001) })
          )
          yield* invited({ expiresAt: Rows.at(60) })
          for (const status of ["accepted", "declined", "revoked"] as const) {
            yield* cosigners.answerInvite({ ...(yield* invited({})), status })
          }
          const read = yield* PageWalk.readAll(2, (request) =>
            cosigners.incoming(cosignerAccountId, Rows.at(60), request)
          )
          assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(open))
        })
    )

    it.effect("outgoing are the same of the account that sent them", () =>
      Effect.gen(function* () {
        const cosigners = yield* Cosigners
        const { id: ownerAccountId } = yield* Stored.account()
        const invited = Effect.fnUntraced(function* (over: Partial<Invite>) {
          const { id } = yield* Stored.account()
          const invite = GovernanceRows.anInvite(ownerAccountId, id, over)
          yield* cosigners.invite(invite)
          return invite
        })
        const open = yield* Effect.forEach([3, 1, 2, 2, 2], (n) =>
          invited({ createdAt: Rows.at(n), expiresAt: Rows.at(60.001) })
        )
        yield* invited({ expiresAt: Rows.at(60) })
        for (const status of ["accepted", "declined", "revoked"] as const) {
          yield* cosigners.answerInvite({ ...(yield* invited({})), status })
        }
        const [first] = open
        yield* cosigners.invite(
          GovernanceRows.anInvite(first?.cosignerAccountId ?? "", ownerAccountId)
        )
        const read = yield* PageWalk.readAll(2, (request) =>
          cosigners.outgoing(ownerAccountId, Rows.at(60), request)
        )
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(open))
      })
    )

    it.effect("an answer changes the status alone, and lets another invite be sent", () =>
      Effect.gen(function* () {
        const { answerInvite, invite } = yield* Cosigners
        const first = yield* anInvite()
        yield* invite(first)
        const rewritten = { nickname: "X", createdAt: Rows.at(9), expiresAt: Rows.at(99) }
        yield* answerInvite({ ...first, ...rewritten, status: "declined" })
        assert.deepStrictEqual(yield* readInvite(first.id), { ...first, status: "declined" })
        assert.isTrue(yield* invite(again(first)))
      })
    )

    it.effect("an answer to what is answered, of others or not there is a defect", () =>
      Effect.gen(function* () {
        const { answerInvite, invite } = yield* Cosigners
        const [first, other] = [yield* anInvite(), yield* anInvite()]
        yield* invite(first)
        yield* invite(other)
        const revoked = { ...other, status: "revoked" } as const
        yield* answerInvite(revoked)
        for (const wrong of [
          { ...revoked, status: "pending" } as const,
          { ...revoked, status: "accepted" } as const,
          { ...again(first), status: "declined" } as const,
          { ...first, ownerAccountId: other.ownerAccountId, status: "declined" } as const,
          { ...first, cosignerAccountId: other.cosignerAccountId, status: "declined" } as const
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(answerInvite(wrong))))
        }
        assert.deepStrictEqual(yield* readInvite(first.id), first)
        assert.deepStrictEqual(yield* readInvite(other.id), revoked)
      })
    )

    it.effect("of many that lock one invite to answer it at once, one finds it open", () =>
      Effect.gen(function* () {
        const { answerInvite, invite, lockInvite } = yield* Cosigners
        const row = yield* anInvite()
        yield* invite(row)
        const answer = Effect.fnUntraced(function* (status: "accepted" | "declined") {
          const locked = yield* lockInvite(row.id)
          yield* Effect.yieldNow
          if (locked?.status !== "pending") return false
          yield* answerInvite({ ...locked, status })
          return true
        })
        const answers = Array.from({ length: 16 }, (_, n) => (n % 2 ? "accepted" : "declined"))
        const found = yield* atOnce(answers, answer)
        assert.strictEqual(found.filter(Boolean).length, 1)
        assert.strictEqual((yield* readInvite(row.id))?.status, answers[found.indexOf(true)])
      })
    )
  })

const joiningSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: cosigners, members`, (it) => {
    it.effect("a member co-signs for its owner, for nobody else and not the other way", () =>
      Effect.gen(function* () {
        const { cosigns, members } = yield* Cosigners
        const [owner, other] = yield* twoAccounts
        const member = yield* Stored.member(owner, { nickname: null, createdAt: Rows.at(1.234) })
        const { cosignerAccountId } = member
        yield* Stored.member(other)
        assert.deepStrictEqual(yield* members(owner, { limit: 5 }), { rows: [member] })
        assert.deepStrictEqual(yield* members(cosignerAccountId, { limit: 5 }), { rows: [] })
        assert.isTrue(yield* cosigns(cosignerAccountId, owner))
        assert.isFalse(yield* cosigns(owner, cosignerAccountId))
        assert.isFalse(yield* cosigns(cosignerAccountId, other))
        assert.isFalse(yield* cosigns(owner, owner))
      })
    )

    it.effect("of 64 that join the same two accounts at once, one does", () =>
      Effect.gen(function* () {
        const { invite, join, members } = yield* Cosigners
        const row = yield* anInvite()
        yield* invite(row)
        const rows = Array.from({ length: 64 }, () => GovernanceRows.aMembership(row))
        const joined = yield* atOnce(rows, join)
        assert.strictEqual(joined.filter(Boolean).length, 1)
        const { rows: there } = yield* members(row.ownerAccountId, { limit: 5 })
        assert.deepStrictEqual(PageWalk.ids(there), PageWalk.idsAt(rows, joined.indexOf(true)))
      })
    )

    it.effect("a member leaves once, by its owner's word, and may join anew", () =>
      Effect.gen(function* () {
        const { cosigns, join, leave, members } = yield* Cosigners
        const [owner, other] = yield* twoAccounts
        const member = yield* Stored.member(owner)
        const { cosignerAccountId } = member
        for (const foreign of [other, cosignerAccountId]) {
          assert.isFalse(yield* leave(foreign, member.id, Rows.at(2)))
        }
        assert.isFalse(yield* leave(owner, "not-an-id", Rows.at(2)))
        assert.isTrue(yield* cosigns(cosignerAccountId, owner))
        const left = yield* atOnce(Array(16).fill(member.id) as Array<string>, (id) =>
          leave(owner, id, Rows.at(2))
        )
        assert.strictEqual(left.filter(Boolean).length, 1)
        assert.isFalse(yield* cosigns(cosignerAccountId, owner))
        assert.deepStrictEqual(yield* members(owner, { limit: 5 }), { rows: [] })
        const anew = { ...member, id: Rows.anId(), createdAt: Rows.at(3) }
        assert.isTrue(yield* join(anew))
        assert.deepStrictEqual(yield* members(owner, { limit: 5 }), { rows: [anew] })
      })
    )

    it.effect("members are listed newest first in a stable order, without those who left", () =>
      Effect.gen(function* () {
        const { leave, members } = yield* Cosigners
        const { id: owner } = yield* Stored.account()
        const rows = yield* Effect.forEach([3, 1, 2, 2, 2], (n) =>
          Stored.member(owner, { createdAt: Rows.at(n) })
        )
        yield* leave(owner, (yield* Stored.member(owner)).id, Rows.at(9))
        const read = yield* PageWalk.readAll(2, (request) => members(owner, request))
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(rows))
      })
    )

    it.effect("joining and leaving are undone with their transaction", () =>
      Effect.gen(function* () {
        const { cosigns, invite, join, leave } = yield* Cosigners
        const { run } = yield* Atomically
        const row = yield* anInvite()
        const { cosignerAccountId, ownerAccountId } = row
        yield* invite(row)
        const member = GovernanceRows.aMembership(row)
        yield* Effect.flip(run(Effect.andThen(join(member), Effect.fail("no"))))
        assert.isFalse(yield* cosigns(cosignerAccountId, ownerAccountId))
        assert.isTrue(yield* join(member))
        const leaving = leave(ownerAccountId, member.id, Rows.at(2))
        yield* Effect.flip(run(Effect.andThen(leaving, Effect.fail("no"))))
        assert.isTrue(yield* cosigns(cosignerAccountId, ownerAccountId))
      })
    )
  })
