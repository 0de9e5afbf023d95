/**
 * What handing a payment over does on a chain of every family: it pays what was signed, once, and the chain alone says
 * what became of it. The same statements hold on scripted chains and on real ones.
 */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, type Layer } from "effect"
import { keyOf } from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Chains } from "../../core/ports/chains.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import { SendWorld, type World } from "../support/send-world.ts"
import { signingDenied } from "../support/signing-policies.ts"
import { type Meant, orderOf, paymentOf, type Signed, type Told } from "../support/submitting.ts"

const amountMicro = 5n

let wallets = 900

/** A payment that no other test makes, to somebody whom no other pays. */
const meant = Effect.gen(function* () {
  const { chainId, someone } = yield* SendWorld
  const to = keyOf(chainId, yield* someone)
  const one: Meant = { keyNumber: wallets++, to, amountMicro }
  return one
})

/** The same, by a wallet that holds what it takes, or so much. */
const funded = Effect.fnUntraced(function* (units = amountMicro) {
  const order = yield* orderOf(yield* meant)
  if (units > 0n) yield* (yield* SendWorld).fund(order.from, units)
  return { order, payment: yield* paymentOf(order) }
})

const heldBy = (owner: string) => Effect.flatMap(SendWorld, ({ held }) => held(owner))

const assertPaid = (told: Told, { txId }: Signed, isFinal?: boolean) =>
  assert.deepInclude(told, { _tag: "paid", txId, ...(isFinal === undefined ? {} : { isFinal }) })

export const suite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: submitters`, (it) => {
    it.effect("a payment pays exactly what was signed, and is final when its block is", () =>
      Effect.gen(function* () {
        const { next, settle } = yield* SendWorld
        const { order, payment } = yield* funded()
        assert.deepStrictEqual(yield* payment.trial, { _tag: "ok" })
        const signed = yield* payment.signed
        assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "pending" })
        yield* signed.handOver
        assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "pending" })
        yield* next
        assertPaid(yield* payment.trace(signed), signed, false)
        yield* settle
        assertPaid(yield* payment.trace(signed), signed, true)
        assert.strictEqual(yield* heldBy(order.to), amountMicro)
        assert.strictEqual(yield* heldBy(order.from), 0n)
      })
    )

    it.effect("it is found by its identity alone, and what was paid, and when that is final", () =>
      Effect.gen(function* () {
        const { next, settle } = yield* SendWorld
        const { order, payment } = yield* funded()
        assert.isUndefined(yield* payment.found)
        const signed = yield* payment.signed
        yield* signed.handOver
        yield* next
        const found = { txId: signed.txId, paid: { to: order.to, amount: order.amount } }
        assert.deepInclude(yield* payment.found, { ...found, isFinal: false })
        yield* settle
        assert.deepInclude(yield* payment.found, { ...found, isFinal: true })
        assert.isUndefined(yield* (yield* funded()).payment.found)
      })
    )

    it.effect("those who watch the chain see it like any transfer", () =>
      Effect.gen(function* () {
        const { chainId, next } = yield* SendWorld
        const { look, newestFinal, tip } = yield* Chains
        const { order, payment } = yield* funded()
        const from = yield* tip(chainId)
        const { number } = yield* newestFinal(chainId)
        const settled = { address: order.to, number, heldMicro: Usdc.zero }
        const signed = yield* payment.signed
        yield* signed.handOver
        yield* next
        yield* next
        const watched = { addresses: [settled], recorded: [], recordedAbove: 0 }
        const { transfers } = yield* look(chainId, { blocks: [from], watched })
        assert.deepStrictEqual(
          transfers.map(({ txHash, to, ...moved }) => [txHash, moved.from, to, moved.amountMicro]),
          [[signed.txId, order.from, order.to, amountMicro]]
        )
      })
    )

    it.effect(
      "what the records do not warrant is not signed, nor anything for another wallet",
      () =>
        Effect.gen(function* () {
          const order = yield* orderOf(yield* meant)
          const other = yield* orderOf(yield* meant)
          for (const wrong of [
            { ...order, proposalId: signingDenied },
            { ...order, from: other.from },
            { ...order, key: other.key },
            { ...order, act: "call" as const }
          ]) {
            const exit = yield* Effect.exit(
              Effect.flatMap(paymentOf(wrong), (payment) => payment.signed)
            )
            const defects = Exit.isFailure(exit) ? exit.cause.reasons.filter(Cause.isDieReason) : []
            assert.isTrue(defects.some(({ defect }) => defect instanceof SigningDenied))
          }
          assert.isString((yield* (yield* paymentOf(order)).signed).txId)
        })
    )

    it.effect("bytes handed over twice are harmless, before they are in a block and after", () =>
      Effect.gen(function* () {
        const { next } = yield* SendWorld
        const { order, payment } = yield* funded(2n * amountMicro)
        const signed = yield* payment.signed
        yield* signed.handOver
        yield* signed.handOver
        yield* next
        yield* signed.handOver
        yield* next
        assertPaid(yield* payment.trace(signed), signed)
        assert.strictEqual(yield* heldBy(order.to), amountMicro)
      })
    )

    it.effect("a second transaction for what was paid does not pay, and the first counts", () =>
      Effect.gen(function* () {
        const { next } = yield* SendWorld
        const { order, payment } = yield* funded(3n * amountMicro)
        const first = yield* payment.signed
        yield* first.handOver
        const second = yield* payment.signed
        assert.notStrictEqual(second.txId, first.txId)
        yield* second.handOver
        yield* next
        assertPaid(yield* payment.trace(first, second), first)
        assertPaid(yield* payment.trace(second), first)
        assertPaid(yield* payment.trace(), first)
        assert.deepStrictEqual(yield* payment.trial, { _tag: "made" })
        // Whoever signs it anew, with no memory of the others.
        const again = yield* paymentOf(order)
        const third = yield* again.signed
        yield* third.handOver
        yield* next
        assertPaid(yield* again.trace(third), first)
        assert.strictEqual(yield* heldBy(order.to), amountMicro)
        assert.strictEqual(yield* heldBy(order.from), 2n * amountMicro)
      })
    )

    it.effect("when another relayer was first, its transaction is the one that paid", () =>
      Effect.gen(function* () {
        const { next, rival } = yield* SendWorld
        const { order, payment } = yield* funded(2n * amountMicro)
        const ours = yield* payment.signed
        const theirs = yield* (yield* paymentOf(order, rival)).signed
        assert.notStrictEqual(ours.txId, theirs.txId)
        yield* theirs.handOver
        yield* next
        assertPaid(yield* payment.trace(ours), theirs)
        yield* ours.handOver
        yield* next
        assertPaid(yield* payment.trace(ours), theirs)
        assert.strictEqual(yield* heldBy(order.to), amountMicro)
      })
    )

    it.effect("a wallet that holds too little is told before anything is spent", () =>
      Effect.gen(function* () {
        const { fund } = yield* SendWorld
        const { order, payment } = yield* funded(amountMicro - 1n)
        const trial = yield* payment.trial
        if (trial._tag !== "would_fail") return assert.fail(trial._tag)
        assert.match(trial.reason, /too little USDC|insufficient balance/u)
        yield* fund(order.from, 1n)
        assert.deepStrictEqual(yield* payment.trial, { _tag: "ok" })
      })
    )

    it.effect("a transaction that failed leaves the payment to be made by another", () =>
      Effect.gen(function* () {
        const { fund, next, settle } = yield* SendWorld
        const { order, payment } = yield* funded(amountMicro - 1n)
        const first = yield* payment.signed
        yield* first.handOver
        yield* next
        const failed = { _tag: "failed", txId: first.txId } as const
        assert.deepStrictEqual(yield* payment.trace(first), { ...failed, isFinal: false })
        yield* settle
        assert.deepStrictEqual(yield* payment.trace(first), { ...failed, isFinal: true })
        yield* fund(order.from, 1n)
        const second = yield* payment.signed
        yield* second.handOver
        yield* next
        assertPaid(yield* payment.trace(first, second), second)
        assert.strictEqual(yield* heldBy(order.to), amountMicro)
      })
    )

    it.effect("past its time it is dead once that is final, and is never paid late", () =>
      Effect.gen(function* () {
        const { next, outlast, settle } = yield* SendWorld
        const { order, payment } = yield* funded()
        const signed = yield* payment.signed
        yield* outlast
        assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "pending" })
        yield* settle
        assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "dead" })
        yield* signed.handOver
        yield* next
        assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "dead" })
        assert.strictEqual(yield* heldBy(order.to), 0n)
        assert.strictEqual(yield* heldBy(order.from), amountMicro)
      })
    )

    it.effect("it is dead by no count of blocks, but by one that the chain calls final", () =>
      Effect.gen(function* () {
        const { holdFinality, outlast, settle } = yield* SendWorld
        const { payment } = yield* funded()
        const signed = yield* payment.signed
        yield* holdFinality(true)
        yield* outlast
        for (let times = 0; times < 4; times++) yield* settle
        assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "pending" })
        yield* holdFinality(false)
        assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "dead" })
      })
    )

    it.effect("what was paid stays paid when its time has passed", () =>
      Effect.gen(function* () {
        const { next, outlast, settle } = yield* SendWorld
        const { payment } = yield* funded()
        const signed = yield* payment.signed
        yield* signed.handOver
        yield* next
        yield* outlast
        yield* settle
        assertPaid(yield* payment.trace(signed), signed, true)
        assertPaid(yield* payment.trace(), signed, true)
      })
    )

    it.effect(
      "a reorganisation that drops it makes it unseen; handed over again it pays once",
      () =>
        Effect.gen(function* () {
          const { dropNewest, next } = yield* SendWorld
          const { order, payment } = yield* funded(2n * amountMicro)
          const signed = yield* payment.signed
          yield* next
          yield* next
          yield* signed.handOver
          yield* next
          assertPaid(yield* payment.trace(signed), signed)
          yield* dropNewest
          assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "pending" })
          assert.isUndefined(yield* payment.found)
          assert.strictEqual(yield* heldBy(order.to), 0n)
          yield* signed.handOver
          yield* next
          assertPaid(yield* payment.trace(signed), signed)
          assert.strictEqual(yield* heldBy(order.to), amountMicro)
        })
    )

    it.effect(
      "one that another block holds after a reorganisation is paid, and not yet final",
      () =>
        Effect.gen(function* () {
          const { mineAgain, next } = yield* SendWorld
          const { order, payment } = yield* funded(2n * amountMicro)
          const signed = yield* payment.signed
          yield* next
          yield* next
          yield* signed.handOver
          yield* next
          yield* mineAgain(signed.txId)
          assertPaid(yield* payment.trace(signed), signed, false)
          assert.strictEqual(yield* heldBy(order.to), amountMicro)
        })
    )

    it.effect("a broadcast whose answer was lost fails, and yet it may pay", () =>
      Effect.gen(function* () {
        const { loseNextReply, next } = yield* SendWorld
        const { order, payment } = yield* funded(2n * amountMicro)
        const signed = yield* payment.signed
        yield* loseNextReply
        assert.strictEqual((yield* Effect.flip(signed.handOver)).reason, "unreachable")
        yield* next
        assertPaid(yield* payment.trace(signed), signed)
        yield* signed.handOver
        yield* next
        assert.strictEqual(yield* heldBy(order.to), amountMicro)
      })
    )

    it.effect("during an outage nothing is known, and nothing pays that was not handed over", () =>
      Effect.gen(function* () {
        const { chainId, next, outage } = yield* SendWorld
        const { order, payment } = yield* funded()
        const signed = yield* payment.signed
        yield* outage(true)
        for (const asking of [
          payment.signed,
          payment.trial,
          signed.handOver,
          payment.trace(signed),
          payment.found
        ]) {
          const failed = yield* Effect.flip(Effect.asVoid(asking))
          assert.deepInclude(failed, { _tag: "ChainUnavailable", reason: "unreachable", chainId })
        }
        yield* outage(false)
        yield* next
        assert.deepStrictEqual(yield* payment.trace(signed), { _tag: "pending" })
        yield* signed.handOver
        yield* next
        assertPaid(yield* payment.trace(signed), signed)
        assert.strictEqual(yield* heldBy(order.to), amountMicro)
      })
    )
  })
