/** What every store of submissions must do: let each key in once, hand them out in turn, keep what was agreed. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Journal from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { PaymentRequests } from "../../core/payments/request-store.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Submission, Terms } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Value from "../support/chain-values.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import { anAuthorization, aRequest, aSettlement } from "../support/settlement-rows.ts"
import * as SubmissionQueue from "../support/submission-queue.ts"

type Stores =
  | SubmissionStore
  | PaymentRequests
  | Transfers
  | Proposals
  | Wallets
  | Accounts
  | Atomically

const onboarding = { _tag: "onboarding", plan: "startup", facts: { email: "a@b.example" } } as const

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  openingSuite(name, stores)
  queueSuite(name, stores)
  writingSuite(name, stores)
}

const openingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: submissions, what is opened`, (it) => {
    it.effect("each key is let in once, whatever it is for then", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { subject } = yield* aRequest
        const submission = aSettlement(subject)
        assert.isUndefined(yield* store.find(submission.key))
        const copies = Array.from({ length: 64 }, (_, at) => ({
          ...submission,
          id: Rows.anId(),
          purpose: at % 2 === 0 ? submission.purpose : aSettlement(onboarding).purpose
        }))
        const opened = yield* Effect.all(copies.map(store.open), { concurrency: "unbounded" })
        assert.lengthOf(opened.filter(Boolean), 1)
        assert.deepStrictEqual(yield* store.find(submission.key), copies[opened.indexOf(true)])
        assert.isTrue(yield* store.open(aSettlement(subject)))
      })
    )

    it.effect(
      "a wallet's payments are known by their identities on its chain, and nobody else's",
      () =>
        Effect.gen(function* () {
          const store = yield* SubmissionStore
          const { subject } = yield* aRequest
          const [one, other] = [aSettlement(subject), aSettlement(subject)]
          const { chainId, terms } = one
          const second = aSettlement(
            subject,
            {},
            { ...anAuthorization(), chainId, from: terms.from }
          )
          for (const each of [one, second, other]) yield* store.open(each)
          assert.sameDeepMembers(
            [...(yield* store.identitiesOf(chainId, terms.from))],
            [one, second].map(({ status, terms: { identity } }) => ({ identity, status }))
          )
          assert.deepStrictEqual(yield* store.identitiesOf("base", terms.from), [])
        })
    )

    it.effect("what wallets did on a chain is told once it is final and closed, by age", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const chainId = Rows.aChainId()
        const asFinal = (): Partial<Submission> => ({
          chainId,
          status: "final",
          txIds: [Value.transaction(Rows.aTxHash())],
          nextLookAt: null
        })
        const kinds: ReadonlyArray<Partial<Submission>> = [
          { createdAt: Rows.at(3) },
          { createdAt: Rows.at(1) },
          { createdAt: Rows.at(2) },
          { createdAt: Rows.at(9) },
          { createdAt: Rows.at(1), status: "failed", reason: "It failed." },
          { createdAt: Rows.at(1), nextLookAt: Rows.at(1) },
          { createdAt: Rows.at(1), chainId: Rows.aChainId() }
        ]
        const all = yield* Effect.forEach(kinds, (over) =>
          SubmissionQueue.aSubmission({ ...asFinal(), ...over })
        )
        for (const each of all) yield* store.open(each)
        const { subject } = yield* aRequest
        yield* store.open(aSettlement(subject, asFinal()))
        const told = (after: Submission | undefined, limit: number) =>
          Effect.map(store.finalOn(chainId, { before: Rows.at(9), after, limit }), (found) =>
            found.map(({ id }) => id)
          )
        const [third, first, second] = all
        assert.deepStrictEqual(yield* told(undefined, 2), [first?.id, second?.id])
        assert.deepStrictEqual(yield* told(second, 2), [third?.id])
        assert.deepStrictEqual(yield* told(third, 2), [])
      })
    )

    it.effect("every purpose and every form of terms is read back as it was written", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { vault } = yield* aRequest
        const renewal = { _tag: "renewal", accountId: vault.accountId, plan: "personal" } as const
        const { validAfter: _, ...plain } = anAuthorization()
        const all: ReadonlyArray<Submission> = [
          aSettlement(onboarding),
          aSettlement(renewal, {}, plain),
          yield* SubmissionQueue.aSubmission({ nextLookAt: Rows.at(0.123) }),
          yield* SubmissionQueue.aSubmission(
            {},
            { act: "permit", amount: SendingRows.anAmount("local", 0n) }
          ),
          yield* SubmissionQueue.aSubmission(
            {},
            {
              act: "call",
              amount: SendingRows.anAmount("local", 0n),
              call: { to: `0x${"ab".repeat(20)}`, data: "0x", value: "0" }
            }
          )
        ]
        for (const each of all) {
          assert.isTrue(yield* store.open(each))
          assert.deepStrictEqual(yield* store.find(each.key), each)
        }
      })
    )

    it.effect("it is opened with its transaction or not at all", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { run } = yield* Atomically
        const submission = yield* SubmissionQueue.aSubmission()
        yield* Effect.flip(run(Effect.andThen(store.open(submission), Effect.fail("no"))))
        assert.isUndefined(yield* store.find(submission.key))
        assert.isTrue(yield* store.open(submission))
      })
    )

    it.effect("those of a proposal are told apart from others, oldest first", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const first = yield* SubmissionQueue.aSubmission()
        const second: Submission = {
          ...first,
          id: Rows.anId(),
          key: Rows.anId(),
          createdAt: Rows.at(1)
        }
        const other = yield* SubmissionQueue.aSubmission()
        yield* Effect.forEach([second, first, other], store.open)
        const proposalId = first.purpose.proposalId ?? ""
        assert.deepStrictEqual(yield* store.ofProposals([proposalId]), [first, second])
        const both = yield* store.ofProposals([proposalId, other.purpose.proposalId ?? ""])
        assert.sameDeepMembers([...both], [first, second, other])
        assert.deepStrictEqual(yield* store.ofProposals([Rows.anId()]), [])
      })
    )

    it.effect("those of a request stand until they fail, with the transfer they became", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        const { request, subject, vault } = yield* aRequest
        const one = aSettlement(subject)
        const two = aSettlement(subject, { createdAt: Rows.at(1), nextLookAt: Rows.at(900) })
        yield* store.open(one)
        yield* store.open(two)
        yield* store.open(aSettlement((yield* aRequest).subject))
        assert.deepStrictEqual(yield* store.standing([request.id]), [one, two])
        const transfer = Rows.aTransfer(vault)
        yield* (yield* Transfers).record(transfer)
        yield* store.attach(two.id, transfer.id)
        const claimed = (yield* SubmissionQueue.claimAt(0)).find(
          (each) => each.submission.id === one.id
        )
        if (claimed === undefined) return assert.fail("nothing claimed")
        assert.isTrue(yield* SubmissionQueue.concludeAsEnded(claimed))
        assert.deepStrictEqual(yield* store.standing([request.id, Rows.anId()]), [
          { ...two, transferId: transfer.id }
        ])
      })
    )
  })

const queueSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: submissions, the queue`, (it) => {
    it.effect("only what is due is claimed, the longest due first", () =>
      Effect.gen(function* () {
        yield* SubmissionQueue.emptyQueue
        const rows = yield* SubmissionQueue.queued([5, 1, 9, 20, 9.001])
        const claimed = yield* SubmissionQueue.claimAt(9, 2)
        assert.deepStrictEqual(
          claimed.map(({ submission }) => submission),
          [rows[1], rows[0]].flatMap((row) => (row === undefined ? [] : [row]))
        )
        const rest = yield* SubmissionQueue.claimAt(9)
        assert.deepStrictEqual(SubmissionQueue.idsOf(rest), [rows[2]?.id ?? ""])
        assert.deepStrictEqual(yield* SubmissionQueue.claimAt(9), [])
      })
    )

    it.effect("64 claims at once hand out each submission once", () =>
      Effect.gen(function* () {
        yield* SubmissionQueue.emptyQueue
        const rows = yield* SubmissionQueue.queued(Array(40).fill(0))
        const claims = yield* Effect.all(
          Array.from({ length: 64 }, () => SubmissionQueue.claimAt(1, 3)),
          { concurrency: "unbounded" }
        )
        const claimed = [...claims.flat(), ...(yield* SubmissionQueue.claimAt(1))]
        assert.sameMembers(
          [...SubmissionQueue.idsOf(claimed)],
          rows.map(({ id }) => id)
        )
        assert.strictEqual(new Set(claimed.map(({ lease }) => lease)).size, claimed.length)
        assert.isTrue(claims.every((each) => each.length <= 3))
      })
    )

    it.effect("what failed and is closed can be taken up again, as it was opened", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        const submission = aSettlement(onboarding)
        yield* store.open(submission)
        assert.isFalse(yield* store.reopen(submission.id, Rows.at(1)))
        const [claimed] = yield* SubmissionQueue.claimAt(0)
        const failed = SendingRows.ended(SendingRows.submitted(submission))
        const waiting = { ...failed, nextLookAt: Rows.at(1) }
        yield* SubmissionQueue.note(claimed?.lease ?? "", waiting)
        assert.isFalse(yield* store.reopen(submission.id, Rows.at(1)))
        yield* SubmissionQueue.conclude(claimed?.lease ?? "", failed)
        assert.isTrue(yield* store.reopen(submission.id, Rows.at(2)))
        const again = { ...submission, nextLookAt: Rows.at(2), updatedAt: Rows.at(2) }
        assert.deepStrictEqual(yield* store.find(submission.key), again)
        assert.deepStrictEqual(
          (yield* SubmissionQueue.claimAt(2)).map((each) => each.submission),
          [again]
        )
      })
    )
  })

const writingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: submissions, what is written down`, (it) => {
    it.effect("every step is read back as it was written, to the last wei", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        yield* SubmissionQueue.queued([0])
        const [claimed] = yield* SubmissionQueue.claimAt(0)
        if (claimed === undefined) return assert.fail("nothing claimed")
        const authorization = {
          ...SendingRows.anAuthorization(claimed.submission),
          amountMicro: Usdc.make(9_007_199_254_740_993n)
        }
        const signed: Submission = {
          ...Journal.write(claimed.submission, { authorization, attempts: [] }),
          status: "signed"
        }
        const attempts = [
          SendingRows.anAttempt({ maxFeePerGas: 123_456_789_012_345_678_901n, at: Rows.at(1.001) }),
          SendingRows.anAttempt({ maxPriorityFeePerGas: 9_007_199_254_740_993n })
        ]
        const submitted = SendingRows.submitted(signed, { authorization, attempts })
        const seen = { ...submitted, status: "seen", nextLookAt: Rows.at(3.5) } as const
        for (const step of [signed, submitted, seen]) {
          assert.isTrue(yield* SubmissionQueue.note(claimed.lease, step))
          const found = yield* store.find(step.key)
          assert.deepStrictEqual(found, step)
          if (step !== signed) assert.deepStrictEqual(Journal.read(step).attempts, attempts)
          assert.deepStrictEqual(Journal.read(found ?? signed).authorization, authorization)
        }
        const ended = SendingRows.ended(seen)
        assert.isTrue(yield* SubmissionQueue.conclude(claimed.lease, ended))
        assert.deepStrictEqual(yield* store.find(ended.key), ended)
      })
    )

    it.effect("what is to happen, and what for, is never written again", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        const [opened] = yield* SubmissionQueue.queued([0])
        const [claimed] = yield* SubmissionQueue.claimAt(0)
        if (opened === undefined || claimed === undefined) return assert.fail("nothing claimed")
        const terms: Terms = {
          act: "permit",
          from: Value.key(Rows.anAddress()),
          to: Value.key(Rows.anAddress()),
          amount: SendingRows.anAmount("local", 1n),
          identity: Rows.aDigest(),
          wallet: { id: Rows.anId(), key: { backend: "seed", ref: "7" } },
          call: null,
          signed: null
        }
        const forged = {
          key: Rows.anId(),
          purpose: aSettlement(onboarding).purpose,
          chainId: Rows.aChainId(),
          terms,
          transferId: Rows.anId(),
          createdAt: Rows.at(9)
        }
        const step = { nextLookAt: Rows.at(5), updatedAt: Rows.at(4) }
        yield* SubmissionQueue.note(claimed.lease, { ...opened, ...step, ...forged })
        assert.deepStrictEqual(yield* store.find(opened.key), { ...opened, ...step })
        yield* SubmissionQueue.conclude(claimed.lease, { ...opened, ...step, ...forged })
        assert.deepStrictEqual(yield* store.find(opened.key), { ...opened, ...step })
      })
    )

    it.effect("no two submissions of a chain carry one nonce of a relayer; another chain may", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        const first = yield* SubmissionQueue.aSubmission()
        const { chainId } = first
        const onOneChain = aSettlement(onboarding, {}, anAuthorization({ chainId }))
        const elsewhere = yield* SubmissionQueue.aSubmission()
        yield* Effect.forEach([first, onOneChain, elsewhere], store.open)
        const leases = new Map(
          (yield* SubmissionQueue.claimAt(0)).map(({ lease, submission }) => [submission.id, lease])
        )
        const carry = (submission: Submission) =>
          SubmissionQueue.note(
            leases.get(submission.id) ?? "",
            SendingRows.submitted(submission, { relayerSequence: 7 })
          )
        assert.isTrue(yield* carry(first))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(carry(onOneChain))))
        assert.deepStrictEqual(yield* store.find(onOneChain.key), onOneChain)
        assert.isTrue(yield* carry(elsewhere))
      })
    )
  })
