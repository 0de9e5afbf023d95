/** What whoever signs must do over every kind of stores: nothing is signed that they do not warrant. */
import { assert, layer } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Refunds } from "../../core/payments/refund-ledger.ts"
import type { Transfers } from "../../core/payments/transfer-store.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import type { Secrets } from "../../core/ports/secrets.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { keyOf } from "../../core/proposals/step.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { type Order, SigningDenied } from "../../core/submissions/order.ts"
import { type Reclaim, ReclaimDenied } from "../../core/submissions/reclaim.ts"
import type { Submission } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Value from "../support/chain-values.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import { amountMicro, aWallet, type Over, signable } from "../support/signable-orders.ts"
import * as Stored from "../support/stored-rows.ts"
import * as SubmissionQueue from "../support/submission-queue.ts"

type Needs = Effect.Services<ReturnType<typeof SubmissionQueue.advanced>>
type World =
  | Needs
  | Accounts
  | Recipients
  | Refunds
  | Transfers
  | Secrets
  | WalletKeys
  | Spending
  | Wallets

/** Why it was not signed; undefined when it was. */
export const violationOf = Effect.fnUntraced(function* (order: Order) {
  const exit = yield* Effect.exit((yield* EvmRelay).authorize(order))
  if (Exit.isSuccess(exit)) return undefined
  const defect = exit.cause.reasons.find(Cause.isDieReason)?.defect
  if (defect instanceof SigningDenied) return defect.violation
  return yield* Effect.failCause(exit.cause)
})

export const suite = (name: string, world: Layer.Layer<World>) => {
  orderSuite(name, world)
  recordsSuite(name, world)
  waitingSuite(name, world)
  reclaimSuite(name, world)
}

const orderSuite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: the signing policy, and an order that is not the proposal's`, (it) => {
    it.effect("a send that the records warrant is signed as they say", () =>
      Effect.gen(function* () {
        const { order, wallet, recipient } = yield* signable()
        const signed = yield* (yield* EvmRelay).authorize(order)
        assert.strictEqual(signed.from, wallet.address.toLowerCase())
        assert.strictEqual(signed.to, recipient.address.toLowerCase())
        assert.strictEqual(signed.amountMicro, amountMicro)
      })
    )

    it.effect("any field of the order changed alone is never signed", () =>
      Effect.gen(function* () {
        const { order } = yield* signable()
        const { accountId } = order
        const sibling = yield* signable({ accountId })
        const foreign = yield* signable()
        const wrong: Record<string, Partial<Order>> = {
          "another proposal of the account": { proposalId: sibling.order.proposalId },
          "another account's proposal": { proposalId: foreign.order.proposalId },
          "no proposal": { proposalId: Rows.anId() },
          "another identity on the chain": { identity: sibling.order.identity },
          "another account": { accountId: foreign.order.accountId },
          "another wallet of the account": { walletId: sibling.order.walletId },
          "another wallet of the account altogether": {
            walletId: sibling.order.walletId,
            key: sibling.order.key,
            from: sibling.order.from
          },
          "another account's wallet": { walletId: foreign.order.walletId },
          "the next key": { key: { ...order.key, ref: `${order.key.ref}1` } },
          "another chain": { chainId: "base" },
          "another payer": { from: sibling.order.from },
          "another payee": { to: sibling.order.to },
          "an unknown payee": { to: Value.key(Rows.anAddress()) },
          "the least more": { amount: { ...order.amount, units: amountMicro + 1n } },
          "the least less": { amount: { ...order.amount, units: amountMicro - 1n } },
          nothing: { amount: { ...order.amount, units: 0n } }
        }
        for (const [named, over] of Object.entries(wrong)) {
          assert.isDefined(yield* violationOf({ ...order, ...over }), named)
        }
        assert.isUndefined(yield* violationOf(order))
      })
    )
  })

const recordsSuite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: the signing policy, and records that do not hold it`, (it) => {
    const inCooldown = { status: "pending", cooldownEndsAt: Rows.at(86_400) } as const
    const cases: ReadonlyArray<readonly [string, Over, RegExp]> = [
      ["a proposal nobody confirmed", { proposal: { status: "pending_confirm" } }, /executing/u],
      ["one that waits for a passkey", { proposal: { status: "requires_action" } }, /executing/u],
      ["one that is completed", { proposal: { status: "completed" } }, /executing/u],
      ["one that failed", { proposal: { status: "failed" } }, /executing/u],
      ["one under another hash", { proposal: { intentHash: Rows.aDigest() } }, /hashed/u],
      ["one of a kind that signs nothing", { proposal: { kind: "add_recipient" } }, /hashed|kind/u],
      ["a recipient in its cooldown", { recipient: inCooldown }, /not approved/u],
      ["a recipient that was revoked", { recipient: { status: "revoked" } }, /not approved/u],
      ["a recipient on another chain", { recipient: { chainId: "base" } }, /another chain/u],
      [
        "one that passes for an own wallet",
        { recipient: { isOwn: true }, reservedMicro: null },
        /reserved/u
      ],
      ["nothing reserved", { reservedMicro: null }, /reserved/u],
      ["less reserved", { reservedMicro: amountMicro - 1n }, /amount is reserved/u],
      ["more reserved", { reservedMicro: amountMicro + 1n }, /amount is reserved/u],
      ["a refund that has claimed nothing", { claimedMicro: null }, /claimed/u],
      ["one that has claimed less", { claimedMicro: amountMicro - 1n }, /claimed/u],
      [
        "one with nothing reserved",
        { claimedMicro: amountMicro, reservedMicro: null },
        /reserved/u
      ],
      [
        "one to a wallet that passes for the account's own",
        { claimedMicro: amountMicro, recipient: { isOwn: true } },
        /wallet of the account/u
      ]
    ]
    it.effect.each(cases)("%s: not signed", ([, over, sentence]) =>
      Effect.gen(function* () {
        const { order } = yield* signable(over)
        assert.match((yield* violationOf(order)) ?? "", sentence)
      })
    )

    it.effect("a refund that holds its claim is signed, and one that gave it back is not", () =>
      Effect.gen(function* () {
        const { order } = yield* signable({ claimedMicro: amountMicro })
        assert.isUndefined(yield* violationOf(order))
        yield* (yield* Refunds).release(order.proposalId)
        assert.match((yield* violationOf(order)) ?? "", /claimed/u)
      })
    )

    it.effect("what was reserved and given back, or spent, warrants nothing more", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        for (const end of [spending.release, spending.consume]) {
          const { order } = yield* signable()
          yield* end([order.proposalId])
          assert.match((yield* violationOf(order)) ?? "", /reserved/u)
        }
      })
    )

    it.effect("a wallet of the account's own is paid without a reservation", () =>
      Effect.gen(function* () {
        const { id: accountId } = yield* Stored.account()
        const { address } = yield* aWallet(accountId)
        const { order } = yield* signable({
          accountId,
          recipient: { isOwn: true, address },
          reservedMicro: null
        })
        assert.isUndefined(yield* violationOf(order))
      })
    )
  })

const waitingSuite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: sends and the signing policy`, (it) => {
    const revoked = Effect.fnUntraced(function* (recipient: Recipient) {
      yield* (yield* Recipients).revise({ ...recipient, status: "revoked" })
    })

    /** Carries a send once; `beforeSigning` happens after everything but the signer has looked. */
    const queue = Effect.fnUntraced(function* (
      over: Over,
      to?: string,
      beforeSigning: typeof revoked = () => Effect.void
    ) {
      const { order, proposal, recipient, wallet } = yield* signable(over)
      yield* (yield* SubmissionStore).open(
        SendingRows.aSubmission(proposal, wallet, {
          to: Value.key(to ?? order.to),
          amount: order.amount,
          identity: order.identity
        })
      )
      const claimed = (yield* SubmissionQueue.claimAt(0)).find(
        ({ submission }) => submission.purpose.proposalId === proposal.id
      )
      if (claimed === undefined) return assert.fail("nothing claimed")
      const payouts = yield* EvmRelay
      const context = yield* Effect.context<Recipients>()
      yield* Effect.provideService(SubmissionQueue.advanced(claimed), EvmRelay, {
        ...payouts,
        authorize: (asked) =>
          Effect.andThen(
            Effect.provideContext(beforeSigning(recipient), context),
            payouts.authorize(asked)
          )
      })
      const after = yield* (yield* Proposals).find(proposal.accountId, proposal.id)
      const submission = yield* (yield* SubmissionStore).find(keyOf(proposal.id))
      const held = yield* (yield* Spending).heldBy(proposal.id)
      return { after, submission, held }
    })

    it.effect("a send the records disagree about waits unsigned, with its cap, and says so", () =>
      Effect.gen(function* () {
        const { after, submission, held } = yield* queue({}, Rows.anAddress())
        assert.strictEqual(after?.status, "executing")
        assert.match(submission?.reason ?? "", /denied/u)
        assert.strictEqual(held?.state, "reserved")
        assert.strictEqual(submission?.status, "prepared")
        assert.deepStrictEqual(submission?.journal, {})
        const looksAt = submission?.nextLookAt ?? Rows.at(0)
        assert.isAtLeast(
          DateTime.toEpochMillis(looksAt) - DateTime.toEpochMillis(yield* DateTime.now),
          60_000
        )
      })
    )

    it.effect(
      "a send whose recipient was revoked before it was signed fails and frees its cap",
      () =>
        Effect.gen(function* () {
          const { after, submission, held } = yield* queue({ recipient: { status: "revoked" } })
          assert.strictEqual(after?.status, "failed")
          assert.match(after?.statusReason ?? "", /revoked/u)
          assert.strictEqual(held?.state, "released")
          assert.isNull(submission?.nextLookAt)
          assert.deepStrictEqual(submission?.journal, {})
        })
    )

    it.effect("so does one whose recipient is revoked while it is about to be signed", () =>
      Effect.gen(function* () {
        const { after, submission, held } = yield* queue({}, undefined, revoked)
        assert.strictEqual(after?.status, "failed")
        assert.match(after?.statusReason ?? "", /revoked/u)
        assert.strictEqual(held?.state, "released")
        assert.deepStrictEqual(submission?.journal, {})
      })
    )
  })

const reclaimSuite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: the signing policy and the marks of payments`, (it) => {
    const isSigned = Effect.fnUntraced(function* (reclaim: Reclaim) {
      const { signReclaim } = yield* WalletKeys
      const exit = yield* Effect.exit(signReclaim("secp256k1", reclaim, new Uint8Array(32)))
      if (Exit.isSuccess(exit)) return true
      assert.instanceOf(Cause.squash(exit.cause), ReclaimDenied)
      return false
    })

    it.effect("only those of a wallet's own final payments are taken back", () =>
      Effect.gen(function* () {
        const { order, proposal, wallet } = yield* signable()
        const { accountId, chainId, from, identity, key, walletId } = order
        const sibling = yield* signable({ accountId })
        const foreign = yield* signable()
        const final: Partial<Submission> = {
          status: "final",
          txIds: [Value.transaction(Rows.aTxHash())],
          nextLookAt: null
        }
        const store = yield* SubmissionStore
        yield* store.open(SendingRows.aSubmission(proposal, wallet, { identity }, final))
        // It still may be sent, and its mark is what keeps it from being sent twice.
        const pending = SendingRows.aSubmission(sibling.proposal, wallet)
        yield* store.open(pending)
        const others = SendingRows.aSubmission(foreign.proposal, foreign.wallet, {}, final)
        yield* store.open(others)
        const asked = { accountId, walletId, chainId, key, from, identities: [identity] }
        const wrong: Record<string, Partial<Reclaim>> = {
          "another wallet of the account": { walletId: sibling.order.walletId },
          "another account": { accountId: foreign.order.accountId },
          "another wallet's key": { key: sibling.order.key },
          "another chain": { chainId: "local-2" },
          "another address": { from: sibling.order.from },
          "no payment": { identities: [] },
          "a payment that nobody knows": { identities: [identity, Rows.aDigest()] },
          "a payment that is under way": { identities: [identity, pending.terms.identity] },
          "another wallet's payment": { identities: [identity, others.terms.identity] }
        }
        for (const [named, over] of Object.entries(wrong)) {
          assert.isFalse(yield* isSigned({ ...asked, ...over }), named)
        }
        assert.isTrue(yield* isSigned(asked))
      })
    )
  })
