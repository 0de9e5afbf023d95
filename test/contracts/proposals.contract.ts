/** What every store of proposals must do: what was proposed stays as it was, and its state never goes back. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Usd from "../../core/money/usd.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { mayFollow, outcomeAt, type Proposal, Status } from "../../core/proposals/proposal.ts"
import { type Filter, Proposals } from "../../core/proposals/proposal-store.ts"
import type { Recipients } from "../../core/recipients/recipient-store.ts"
import * as Value from "../support/chain-values.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Proposals | Recipients | Accounts | Atomically

/** As it stands in another state, where nothing else is said of it. */
const to = (proposal: Proposal, status: Status): Proposal => ({
  ...proposal,
  status,
  outcome: outcomeAt(status)
})

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  readingSuite(name, stores)
  movingSuite(name, stores)
  waitingSuite(name, stores)
}

const readingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: proposals`, (it) => {
    it.effect("a proposal is read back as it was, by its account only", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const { run } = yield* Atomically
        const recipient = yield* Stored.recipient((yield* Stored.account()).id)
        const { accountId } = recipient
        const bare = yield* Stored.proposal({ accountId, kind: "rename_account", terms: {} })
        const full = yield* Stored.proposal({
          accountId,
          status: "executing",
          statusReason: "waiting for the network ✓",
          terms: { memo: 'a "b" \\u0000 \u2028 ✓', list: [1, 2.5, null, { deep: true }] },
          recipientId: recipient.id,
          call: { operation: "propose_transfer", idempotencyKey: "k" },
          txHashes: [Rows.aTxHash(), Rows.aTxHash()],
          createdAt: Rows.at(1.001),
          updatedAt: Rows.at(2.002),
          confirmedAt: Rows.at(3.003),
          expiresAt: Rows.at(4.999)
        })
        const stranger = yield* Stored.account()
        for (const proposal of [bare, full]) {
          assert.deepStrictEqual(yield* proposals.find(accountId, proposal.id), proposal)
          assert.isUndefined(yield* proposals.find(stranger.id, proposal.id))
          assert.deepStrictEqual(yield* run(proposals.lock(proposal.id)), proposal)
        }
        assert.isUndefined(yield* proposals.find(accountId, "not-an-id"))
        assert.isUndefined(yield* run(proposals.lock("not-an-id")))
        assert.deepStrictEqual(yield* proposals.list(stranger.id, {}, { limit: 5 }), { rows: [] })
      })
    )

    it.effect("proposals are listed by status and kind, newest first", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const { id: accountId } = yield* Stored.account()
        const rows = yield* Effect.forEach(
          [
            { status: "pending_confirm" },
            { status: "completed" },
            { status: "pending_confirm", kind: "add_recipient" },
            { status: "completed", kind: "add_recipient" },
            { status: "pending_confirm" }
          ] as const,
          (each, index) =>
            Stored.proposal({ accountId, ...each, createdAt: Rows.at(index < 3 ? 1 : 2) })
        )
        const read = (filter: Filter) =>
          Effect.map(
            PageWalk.readAll(2, (page) => proposals.list(accountId, filter, page)),
            PageWalk.ids
          )
        const those = (...places: ReadonlyArray<number>) =>
          PageWalk.newestFirst(rows.filter((_, place) => places.includes(place)))
        assert.deepStrictEqual(yield* read({}), those(0, 1, 2, 3, 4))
        assert.deepStrictEqual(yield* read({ status: "pending_confirm" }), those(0, 2, 4))
        assert.deepStrictEqual(yield* read({ kind: "add_recipient" }), those(2, 3))
        assert.deepStrictEqual(
          yield* read({ status: "completed", kind: "add_recipient" }),
          those(3)
        )
        assert.deepStrictEqual(yield* read({ status: "expired" }), [])
      })
    )

    it.effect("proposals are listed by recipient and amount, newest first", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const { id: accountId } = yield* Stored.account()
        const landlord = yield* Stored.recipient(accountId)
        const baker = yield* Stored.recipient(accountId)
        const rows = yield* Effect.forEach(
          [
            { recipientId: landlord.id, amountMicro: 10n },
            { recipientId: baker.id, amountMicro: 20n, status: "completed" },
            { recipientId: landlord.id, amountMicro: 30n, status: "completed" },
            { recipientId: landlord.id, amountMicro: null, kind: "approve_recipient" },
            { recipientId: null, amountMicro: 2n ** 64n, kind: "swap" }
          ] as const,
          ({ amountMicro, ...each }, index) =>
            Stored.proposal({
              accountId,
              ...each,
              amountMicro: amountMicro === null ? null : Usd.make(amountMicro),
              createdAt: Rows.at(index < 3 ? 1 : 2)
            })
        )
        yield* Stored.proposal({ amountMicro: Usd.make(20n) })
        const read = (filter: Filter) =>
          Effect.map(
            PageWalk.readAll(2, (page) => proposals.list(accountId, filter, page)),
            PageWalk.ids
          )
        const those = (...places: ReadonlyArray<number>) =>
          PageWalk.newestFirst(rows.filter((_, place) => places.includes(place)))
        const [ten, twenty, thirty] = [Usd.make(10n), Usd.make(20n), Usd.make(30n)]
        assert.deepStrictEqual(yield* read({ recipientId: landlord.id }), those(0, 2, 3))
        assert.deepStrictEqual(yield* read({ recipientId: Rows.anId() }), [])
        assert.deepStrictEqual(yield* read({ minMicro: twenty }), those(1, 2, 4))
        assert.deepStrictEqual(yield* read({ maxMicro: twenty }), those(0, 1))
        assert.deepStrictEqual(yield* read({ minMicro: twenty, maxMicro: twenty }), those(1))
        assert.deepStrictEqual(
          yield* read({ recipientId: landlord.id, minMicro: ten, maxMicro: thirty }),
          those(0, 2)
        )
        assert.deepStrictEqual(
          yield* read({ recipientId: landlord.id, minMicro: ten, status: "completed" }),
          those(2)
        )
        assert.deepStrictEqual(yield* read({ minMicro: ten, kind: "swap" }), those(4))
      })
    )

    it.effect("what transactions were made for is found by them, by its account only", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const [mine, other] = [(yield* Stored.account()).id, (yield* Stored.account()).id]
        const [one, two, three] = [Rows.aTxHash(), Rows.aTxHash(), Rows.aTxHash()]
        const first = yield* Stored.proposal({ accountId: mine, txHashes: [one, two] })
        const second = yield* Stored.proposal({ accountId: mine, txHashes: [three] })
        yield* Stored.proposal({ accountId: mine, txHashes: [] })
        yield* Stored.proposal({ accountId: other, txHashes: [two] })
        const found = (txHashes: ReadonlyArray<string>) =>
          proposals.ofTransactions(mine, txHashes.map(Value.transaction))
        assert.deepStrictEqual(yield* found([two]), [first])
        assert.sameDeepMembers([...(yield* found([three, one]))], [first, second])
        assert.deepStrictEqual(yield* found([Rows.aTxHash()]), [])
        assert.deepStrictEqual(yield* found([]), [])
      })
    )

    it.effect("a proposal is made once", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const proposal = yield* Stored.proposal()
        const again = yield* Effect.exit(proposals.propose({ ...proposal, summary: "another" }))
        assert.isTrue(Exit.isFailure(again))
        assert.deepStrictEqual(yield* proposals.find(proposal.accountId, proposal.id), proposal)
      })
    )
  })

const movingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: proposals, moving`, (it) => {
    it.effect("a locked proposal is written back, without its terms, hash or account", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const { run } = yield* Atomically
        const proposal = yield* Stored.proposal()
        const moved = {
          ...proposal,
          status: "executing",
          statusReason: "confirmed",
          policyRevision: 2,
          txHashes: [Rows.aTxHash()],
          recovered: true,
          stopAskedAt: Rows.at(4),
          result: {
            soldAmount: "9007199254740993",
            feesPaid: [{ kind: "network", symbol: "ETH", amount: "1", amountUsd: null }]
          },
          updatedAt: Rows.at(5),
          confirmedAt: Rows.at(5),
          expiresAt: Rows.at(600)
        } as const
        const forged = {
          kind: "rename_account",
          terms: { amount: "1000000" },
          intentHash: Rows.aDigest(),
          summary: "another",
          proposedBy: Rows.anId(),
          call: { operation: "propose_refund", idempotencyKey: "another" },
          createdAt: Rows.at(9)
        } as const
        yield* run(
          Effect.andThen(proposals.lock(proposal.id), proposals.move([{ ...moved, ...forged }]))
        )
        assert.deepStrictEqual(yield* proposals.find(proposal.accountId, proposal.id), moved)
        const stranger = yield* Stored.account()
        for (const foreign of [
          { ...moved, accountId: stranger.id },
          { ...moved, id: Rows.anId() }
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(proposals.move([foreign]))))
        }
        assert.deepStrictEqual(yield* proposals.find(proposal.accountId, proposal.id), moved)
      })
    )

    it.effect("a passkey's signature is kept, and neither taken back nor replaced", () =>
      Effect.gen(function* () {
        const { find, move } = yield* Proposals
        const proposal = yield* Stored.proposal()
        const asked = { ...proposal, status: "requires_action" as const, takesPasskey: true }
        const signed = { ...asked, signedBy: Rows.anId() }
        for (const state of [asked, signed, { ...signed, status: "executing" as const }]) {
          yield* move([state])
          assert.deepStrictEqual(yield* find(proposal.accountId, proposal.id), state)
        }
        for (const signedBy of [null, Rows.anId()]) {
          const exit = yield* Effect.exit(move([{ ...signed, status: "executing", signedBy }]))
          assert.isTrue(Exit.isFailure(exit))
        }
      })
    )

    it.effect("a state is followed only by those that may follow it, whoever asks", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const { id: accountId } = yield* Stored.account()
        for (const from of Status.literals) {
          for (const status of Status.literals) {
            const proposal = yield* Stored.proposal({ accountId, status: from })
            const exit = yield* Effect.exit(proposals.move([to(proposal, status)]))
            const mayMove = from === status || mayFollow(from, status)
            assert.strictEqual(Exit.isSuccess(exit), mayMove, `${from} to ${status}`)
            const found = yield* proposals.find(accountId, proposal.id)
            assert.strictEqual(found?.status, mayMove ? status : from)
          }
        }
      })
    )

    it.effect("of many who lock one proposal to confirm it, one does, and no change is lost", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const { run } = yield* Atomically
        const proposal = yield* Stored.proposal()
        const hashes = Array.from({ length: 16 }, () => Rows.aTxHash())
        const confirm = Effect.fnUntraced(function* (hash: string) {
          const locked = yield* proposals.lock(proposal.id)
          yield* Effect.yieldNow
          if (locked === undefined) return false
          const txHashes = [...locked.txHashes, Value.transaction(hash)]
          yield* proposals.move([{ ...locked, status: "executing", txHashes }])
          return locked.status === "pending_confirm"
        })
        const first = yield* Effect.forEach(hashes, (hash) => run(confirm(hash)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(first.filter(Boolean).length, 1)
        const found = yield* proposals.find(proposal.accountId, proposal.id)
        assert.sameMembers([...(found?.txHashes ?? [])], hashes)
      })
    )

    it.effect("a move is undone with its transaction", () =>
      Effect.gen(function* () {
        const proposals = yield* Proposals
        const { run } = yield* Atomically
        const proposal = yield* Stored.proposal()
        const move = proposals.move([to(proposal, "cancelled")])
        yield* Effect.flip(run(Effect.andThen(move, Effect.fail("no"))))
        assert.deepStrictEqual(yield* proposals.find(proposal.accountId, proposal.id), proposal)
      })
    )
  })

const ended = ["completed", "failed", "rejected", "cancelled", "expired", "superseded"] as const

const waitingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: proposals, waiting`, (it) => {
    const plantEach = (statuses: ReadonlyArray<Status>, over: Partial<Proposal>) =>
      Effect.forEach(statuses, (status, index) =>
        Stored.proposal({ ...over, status, createdAt: Rows.at(index) })
      )

    it.effect("what waits is overdue from the instant it expires, the longest overdue first", () =>
      Effect.gen(function* () {
        const { move, overdue } = yield* Proposals
        // Before everything that other tests plant: the sweep is one for all accounts.
        const [late, early] = [Rows.at(-1000), Rows.at(-2000)]
        const waiting = [
          yield* Stored.proposal({ expiresAt: late }),
          yield* Stored.proposal({ expiresAt: early, status: "requires_action" })
        ]
        yield* plantEach(["executing", ...ended], { expiresAt: early })
        const ids = (...places: ReadonlyArray<number>) => PageWalk.idsAt(waiting, ...places)
        assert.deepStrictEqual(yield* overdue(Rows.at(-2000.001), 10), [])
        assert.deepStrictEqual(yield* overdue(early, 10), ids(1))
        assert.deepStrictEqual(yield* overdue(Rows.at(-1000.001), 10), ids(1))
        assert.deepStrictEqual(yield* overdue(late, 10), ids(1, 0))
        assert.deepStrictEqual(yield* overdue(late, 1), ids(1))
        yield* Effect.forEach(waiting, (each) => move([to(each, "expired")]))
        assert.deepStrictEqual(yield* overdue(late, 10), [])
      })
    )

    it.effect("on a recipient waits what depends on it and is neither executing nor ended", () =>
      Effect.gen(function* () {
        const { move, waitingOn } = yield* Proposals
        const recipient = yield* Stored.recipient((yield* Stored.account()).id)
        const { accountId } = recipient
        const other = yield* Stored.recipient(accountId)
        const over = { accountId, recipientId: recipient.id }
        const waiting = yield* plantEach(["pending_confirm", "requires_action"], over)
        yield* plantEach(["executing", ...ended], over)
        yield* Stored.proposal({ accountId, recipientId: other.id })
        yield* Stored.proposal({ accountId })
        assert.sameMembers(
          [...(yield* waitingOn(accountId, recipient.id))],
          [...PageWalk.ids(waiting)]
        )
        const stranger = yield* Stored.account()
        assert.deepStrictEqual(yield* waitingOn(stranger.id, recipient.id), [])
        yield* Effect.forEach(waiting, (each) => move([to(each, "superseded")]))
        assert.deepStrictEqual(yield* waitingOn(accountId, recipient.id), [])
      })
    )

    it.effect("to refund a deposit or a request waits what is neither executing nor ended", () =>
      Effect.gen(function* () {
        const { move, waitingToRefund } = yield* Proposals
        const { id: accountId } = yield* Stored.account()
        const [deposit, request, other] = [Rows.anId(), Rows.anId(), Rows.anId()]
        const ofDeposit = { depositId: deposit, paymentRequestId: null }
        const over = { accountId, kind: "refund", terms: ofDeposit } as const
        const waiting = [
          yield* Stored.proposal({ ...over, createdAt: Rows.at(3) }),
          yield* Stored.proposal({ ...over, status: "requires_action", createdAt: Rows.at(1) }),
          yield* Stored.proposal({
            ...over,
            terms: { depositId: null, paymentRequestId: request },
            createdAt: Rows.at(2)
          })
        ]
        yield* plantEach(["executing", ...ended], over)
        // Of another kind, though its terms name the deposit.
        yield* Stored.proposal({ accountId, terms: { ...ofDeposit, memo: "\\u0000" } })
        const ids = (...places: ReadonlyArray<number>) => PageWalk.idsAt(waiting, ...places)
        assert.deepStrictEqual(yield* waitingToRefund(accountId, [deposit]), ids(1, 0))
        assert.deepStrictEqual(yield* waitingToRefund(accountId, [request]), ids(2))
        const all = [other, request, deposit, deposit]
        assert.deepStrictEqual(yield* waitingToRefund(accountId, all), ids(1, 2, 0))
        assert.deepStrictEqual(yield* waitingToRefund(accountId, [other]), [])
        assert.deepStrictEqual(yield* waitingToRefund(accountId, []), [])
        const stranger = yield* Stored.account()
        assert.deepStrictEqual(yield* waitingToRefund(stranger.id, all), [])
        yield* Effect.forEach(waiting, (each) => move([to(each, "superseded")]))
        assert.deepStrictEqual(yield* waitingToRefund(accountId, all), [])
      })
    )
  })
