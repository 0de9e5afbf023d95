/** A chain that was connected after the wait of the line: nothing is signed or begun there before it was read, and elsewhere all goes on. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Record } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import { Approvals } from "../../../core/cosigners/cosigner-store.ts"
import { checkOpenVotes } from "../../../core/proposals/end-vote.ts"
import { SigningDenied } from "../../../core/submissions/order.ts"
import { Purposes } from "../../../core/submissions/purposes.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { Submitters } from "../../../core/submissions/submitter.ts"
import { type Line, type Standing, Timeline } from "../../../core/timeline/timeline.ts"
import { purposes } from "../../../core/treasury/purposes.ts"
import { cosigner, humanAccount, sendsTake } from "../../support/human-account.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import { registries } from "../../support/registries.ts"
import * as Rows from "../../support/rows.ts"
import { identified } from "../../support/signing-policies.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const line: Line = {
  ...{ number: 2, server: "one", begunAt: "2030-01-01T00:00:00.000Z", keyStore: null },
  held: null
}

/** Records whose wait is over on these chains, and on no other. */
const readOn = (...chainIds: ReadonlyArray<string>): Standing => ({
  _tag: "open",
  waited: {
    line,
    through: Object.fromEntries(chainIds.map((id) => [id, { number: 1, hash: "a final block" }]))
  }
})

let standing = readOn("local-2")
/** How it stands once it was looked at. */
let next: Standing | undefined

const timeline = Layer.succeed(Timeline, {
  look: Effect.sync(() => {
    const now = standing
    standing = next ?? standing
    next = undefined
    return now
  }),
  write: () => Effect.succeed(false),
  keep: () => Effect.void
})

layer(memoryTreasury.pipe(Layer.provideMerge(timeline)))("a send on it", (it) => {
  it.effect("is neither voted for nor begun before the chain was read, and is once it was", () =>
    Effect.gen(function* () {
      standing = readOn("local-2")
      const account = yield* humanAccount
      const { call, human, propose, statusOf } = account
      const ben = yield* cosigner(account, "Ben")
      const alone = yield* propose("5")
      yield* call.confirm_proposal({ proposalId: alone })
      const refused = yield* Effect.flip(human.approve(alone))
      assert.deepInclude(refused, { _tag: "SENDING_HELD", retryable: true })
      assert.match(`${refused}`, /local was not connected when the records were replaced/u)
      yield* call.update_cosigner_rules(sendsTake(1))
      const proposalId = yield* propose("5")
      yield* call.confirm_proposal({ proposalId })
      yield* human.approve(proposalId)
      assert.deepInclude(yield* Effect.flip(ben.vote(proposalId)), { _tag: "SENDING_HELD" })
      assert.strictEqual((yield* call.get_policy_limits({})).dailyUsedUsd, "0.00")
      standing = readOn("local")
      yield* ben.vote(proposalId)
      assert.strictEqual(yield* statusOf(proposalId), "executing")
    })
  )

  it.effect("is not ended by the vote in whose midst sending stops, which counts later", () =>
    Effect.gen(function* () {
      standing = readOn("local")
      const account = yield* humanAccount
      const { call, confirmed, human, statusOf } = account
      const ben = yield* cosigner(account, "Ben")
      yield* call.update_cosigner_rules(sendsTake(1))
      const proposalId = yield* confirmed("5")
      yield* human.approve(proposalId)
      next = readOn("local-2")
      assert.deepInclude(yield* Effect.flip(ben.vote(proposalId)), { _tag: "SENDING_HELD" })
      assert.strictEqual(yield* statusOf(proposalId), "requires_action")
      standing = readOn("local")
      yield* ben.vote(proposalId)
      assert.strictEqual(yield* statusOf(proposalId), "executing")
    })
  )

  it.effect("waits where a change of the rules lets it go before the chain was read", () =>
    Effect.gen(function* () {
      standing = readOn("local")
      const account = yield* humanAccount
      const { accountId, call, confirmed, human, statusOf } = account
      const ben = yield* cosigner(account, "Ben")
      yield* call.update_cosigner_rules(sendsTake(1))
      const proposalId = yield* confirmed("5")
      yield* human.approve(proposalId)
      const { intentHash } = yield* call.get_proposal({ proposalId })
      const approvals = yield* Approvals
      const approval = yield* approvals.ofProposal(proposalId)
      const vote = { voterAccountId: ben.accountId, keyId: "of the test", isApproval: true }
      const approvalId = approval?.id ?? ""
      yield* approvals.vote({ ...vote, approvalId, intentHash, at: Rows.at(1) })
      standing = readOn("local-2")
      yield* checkOpenVotes(accountId, [], "test")
      assert.strictEqual(yield* statusOf(proposalId), "requires_action")
      standing = readOn("local")
      yield* call.update_cosigner_rules(sendsTake(1))
      assert.strictEqual(yield* statusOf(proposalId), "executing")
    })
  )
})

const base = Layer.suspend(() => Layer.mergeAll(world, Memory.layer(), identified, registries))

/** Those of every purpose, whatever else would keep them. */
const admitted = Record.map(purposes, (each) => ({
  ...each,
  admit: () => Effect.succeed({ _tag: "go" } as const)
})) as typeof purposes

/** What a submission of a purpose comes to at a submitter that signs at each step, by the policy that denies it. */
const stepped = Effect.fnUntraced(function* (
  over: Parameters<typeof SubmissionQueue.aSubmission>[0],
  terms: Parameters<typeof SubmissionQueue.aSubmission>[1] = {}
) {
  yield* SubmissionQueue.emptyQueue
  const asked: Array<string> = []
  const submitters = yield* Submitters
  const store = yield* SubmissionStore
  const submission = yield* SubmissionQueue.aSubmission(
    { chainId: "local", nextLookAt: Rows.at(10), ...over },
    terms
  )
  yield* store.open(submission)
  yield* SubmissionQueue.allAdvanced(yield* SubmissionQueue.claimAt(20)).pipe(
    Effect.provide(timeline),
    Effect.provideService(Purposes, admitted),
    Effect.provideService(Submitters, {
      ...submitters,
      evm: {
        ...submitters.evm,
        batch: () =>
          Effect.succeed({
            step: () =>
              Effect.andThen(
                Effect.sync(() => asked.push("sign")),
                Effect.die(new SigningDenied("of the test", "it is denied"))
              ),
            submit: (at) =>
              Effect.sync(() => {
                asked.push("submit")
                return { at, next: "wait", waitMs: 1000 }
              })
          })
      }
    })
  )
  return { asked, reason: (yield* store.find(submission.key))?.reason ?? "" }
})

it.effect.each(Object.keys(purposes))("a wallet's %s is not begun on it", (name) =>
  Effect.gen(function* () {
    standing = readOn("local-2")
    const unread = yield* stepped({ purpose: { name, accountId: null } })
    assert.deepStrictEqual(unread.asked, [])
    assert.match(unread.reason, /^local was not connected/u)
    standing = readOn("local")
    assert.deepStrictEqual((yield* stepped({ purpose: { name, accountId: null } })).asked, ["sign"])
  }).pipe(Effect.provide(base))
)

it.effect("what the relayer does alone goes on there", () =>
  Effect.gen(function* () {
    standing = readOn("local-2")
    const purpose = { name: "loan", accountId: null }
    assert.deepStrictEqual((yield* stepped({ purpose }, { act: "lend", wallet: null })).asked, [
      "sign"
    ])
  }).pipe(Effect.provide(base))
)

it.effect("what was handed over there is handed over again and nobody is alarmed", () =>
  Effect.gen(function* () {
    standing = readOn("local-2")
    const handedOver = yield* stepped({ status: "submitted" })
    assert.deepStrictEqual(handedOver, { asked: ["sign", "submit"], reason: "" })
    standing = readOn("local")
    assert.match((yield* stepped({ status: "submitted" })).reason, /the operator is alerted/u)
  }).pipe(Effect.provide(base))
)
