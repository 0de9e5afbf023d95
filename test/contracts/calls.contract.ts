/**
 * What a wallet's own transaction does on every EVM chain: it is lent its gas once, happens once, and is ended by its
 * nonce. The same statements hold on a scripted chain and on a real one.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { EvmRelay } from "../../core/evm/relay.ts"
import { Outlay } from "../../core/policy/outlay-ledger.ts"
import type { Chains } from "../../core/ports/chains.ts"
import type { Allowances } from "../../core/ports/holdings.ts"
import type { SolanaRelay } from "../../core/solana/relay.ts"
import type { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import {
  allowed,
  anApproval,
  called,
  calledAfter,
  callOf,
  ended,
  journalOf,
  kept,
  standingOf,
  statusOf
} from "../support/call-steps.ts"
import { look } from "../support/send-steps.ts"
import { freshRecords } from "../support/send-world.ts"
import { PayingWorld } from "../support/sending-chain.ts"

type World = Allowances | Chains | EvmRelay | PayingWorld | SolanaRelay | WalletKeys

const onFreshRecords = Effect.provide(freshRecords())

const mine = Effect.flatMap(PayingWorld, (world) => world.mine(1))

/** Until its first transaction is handed over. */
const submitted = Effect.gen(function* () {
  for (let turn = 0; turn < 4; turn++) {
    yield* look
    yield* mine
  }
  yield* look
})

export const suite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: calls`, (it) => {
    it.effect("a wallet without coin is lent its gas and allows what was confirmed, once", () =>
      Effect.gen(function* () {
        const proposal = yield* called()
        const after = yield* ended(proposal)
        assert.deepInclude(after, { status: "completed", reason: null })
        assert.lengthOf(after.txs ?? [], 1)
        assert.strictEqual(yield* allowed(proposal), 5_000_000n)
        const { heldWei, mined } = yield* standingOf(proposal)
        assert.strictEqual(mined, 1)
        // What was lent and not used stays where it is, for the next call.
        assert.isTrue(heldWei > 0n)
        const { attempts, loans, voids } = yield* journalOf(proposal)
        assert.deepStrictEqual([attempts.length, loans, voids.length], [1, 1, 0])
        const { used } = yield* Outlay
        const { accountUnits } = yield* used("local", "1970-01-01", proposal.accountId)
        assert.isTrue(accountUnits > heldWei)
      }).pipe(onFreshRecords)
    )

    it.effect("what was left over is used for the next call, and nothing more is lent", () =>
      Effect.gen(function* () {
        const first = yield* called()
        yield* ended(first)
        const { heldWei } = yield* standingOf(first)
        const second = yield* calledAfter(first)
        assert.deepInclude(yield* ended(second), { status: "completed" })
        const after = yield* standingOf(second)
        assert.strictEqual(after.mined, 2)
        const { attempts, loans } = yield* journalOf(second)
        const cost = (attempts[0]?.gas ?? 0n) * (attempts[0]?.maxFeePerGas ?? 0n)
        assert.strictEqual(loans, heldWei >= cost ? 0 : 1)
      }).pipe(onFreshRecords)
    )

    it.effect("it completes nothing before the chain calls its block final", () =>
      Effect.gen(function* () {
        const { holdFinality } = yield* PayingWorld
        yield* holdFinality(true)
        const proposal = yield* called()
        assert.deepInclude(yield* ended(proposal), { status: "executing" })
        assert.strictEqual((yield* callOf(proposal)).status, "seen")
        assert.strictEqual(yield* allowed(proposal), 5_000_000n)
        yield* holdFinality(false)
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
      }).pipe(onFreshRecords)
    )

    it.effect("calls of one wallet follow one another, each under its own nonce", () =>
      Effect.gen(function* () {
        const first = yield* called()
        const second = yield* calledAfter(first, { ...kept(), approval: anApproval(7n) })
        yield* submitted
        const [one, other] = [yield* callOf(first), yield* callOf(second)]
        assert.strictEqual([one, other].filter(({ relayer }) => relayer !== null).length, 1)
        assert.match((one.relayer === null ? one : other).reason ?? "", /Another transaction/u)
        assert.deepInclude(yield* ended(first), { status: "completed" })
        assert.deepInclude(yield* ended(second), { status: "completed" })
        assert.strictEqual(yield* allowed(first), 5_000_000n)
        assert.strictEqual(yield* allowed(second), 7n)
        assert.strictEqual((yield* standingOf(second)).mined, 2)
      }).pipe(onFreshRecords)
    )

    it.effect("what no block takes is replaced by one that pays more, within what was lent", () =>
      Effect.gen(function* () {
        const proposal = yield* called()
        yield* look
        yield* look
        yield* mine
        yield* look
        yield* look
        assert.strictEqual((yield* callOf(proposal)).status, "submitted")
        yield* TestClock.adjust("31 seconds")
        yield* look
        const { attempts } = yield* journalOf(proposal)
        assert.lengthOf(attempts, 2)
        const [first, second] = attempts
        assert.isTrue((second?.maxFeePerGas ?? 0n) > (first?.maxFeePerGas ?? 0n))
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
        assert.strictEqual((yield* standingOf(proposal)).mined, 1)
      }).pipe(onFreshRecords)
    )

    it.effect(
      "what no block ever takes is given up by using its nonce, and the next one goes on",
      () =>
        Effect.gen(function* () {
          const proposal = yield* called()
          yield* look
          yield* look
          yield* mine
          yield* look
          yield* look
          assert.strictEqual((yield* callOf(proposal)).status, "submitted")
          const next = yield* calledAfter(proposal)
          yield* TestClock.adjust("601 seconds")
          yield* look
          assert.lengthOf((yield* journalOf(proposal)).voids, 1)
          const after = yield* ended(proposal)
          assert.deepInclude(after, { status: "failed" })
          assert.match(after.reason ?? "", /No block took/u)
          assert.strictEqual(yield* allowed(proposal), 0n)
          assert.deepInclude(yield* ended(next), { status: "completed" })
          assert.strictEqual((yield* standingOf(next)).mined, 2)
        }).pipe(onFreshRecords)
    )

    it.effect("a node whose answer is lost has still taken it, and it happens once", () =>
      Effect.gen(function* () {
        const { loseNextReply } = yield* PayingWorld
        const proposal = yield* called()
        yield* loseNextReply
        yield* look
        yield* look
        yield* loseNextReply
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
        assert.strictEqual((yield* standingOf(proposal)).mined, 1)
        assert.strictEqual((yield* journalOf(proposal)).loans, 1)
      }).pipe(onFreshRecords)
    )

    it.effect("what a reorganisation drops is handed over again, the loan and the call", () =>
      Effect.gen(function* () {
        const { reorg } = yield* PayingWorld
        const proposal = yield* called()
        yield* look
        yield* look
        yield* mine
        yield* look
        yield* mine
        yield* look
        assert.strictEqual((yield* callOf(proposal)).status, "seen")
        yield* reorg(2, [])
        assert.strictEqual((yield* standingOf(proposal)).mined, 0)
        yield* look
        yield* TestClock.adjust("31 seconds")
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
        assert.strictEqual(yield* allowed(proposal), 5_000_000n)
        assert.strictEqual((yield* standingOf(proposal)).mined, 1)
      }).pipe(onFreshRecords)
    )

    it.effect("while the chain is away it waits and signs nothing", () =>
      Effect.gen(function* () {
        const { outage } = yield* PayingWorld
        const proposal = yield* called()
        yield* outage(true)
        yield* look
        assert.deepInclude(yield* callOf(proposal), { status: "prepared", journal: {} })
        yield* outage(false)
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
      }).pipe(onFreshRecords)
    )

    it.effect("a call whose records were lost is found by its identity, and not made again", () =>
      Effect.gen(function* () {
        const meant = kept()
        const first = yield* Effect.flatMap(called(meant), ended).pipe(
          Effect.provide(freshRecords())
        )
        assert.deepInclude(first, { status: "completed" })
        yield* Effect.gen(function* () {
          const proposal = yield* called(meant)
          const after = yield* ended(proposal)
          assert.deepInclude(after, { status: "completed", txs: first.txs })
          assert.deepStrictEqual((yield* callOf(proposal)).journal, {})
          assert.strictEqual((yield* standingOf(proposal)).mined, 1)
        }).pipe(Effect.provide(freshRecords()))
      })
    )

    it.effect("nothing else is done under the key of a call that was made", () =>
      Effect.gen(function* () {
        const meant = kept()
        yield* Effect.flatMap(called(meant), ended).pipe(Effect.provide(freshRecords()))
        yield* Effect.gen(function* () {
          const proposal = yield* called({ ...meant, approval: anApproval() })
          const after = yield* ended(proposal)
          assert.deepInclude(after, { status: "failed" })
          assert.match(after.reason ?? "", /already used for another transaction/u)
          assert.strictEqual(yield* allowed(proposal), 0n)
        }).pipe(Effect.provide(freshRecords()))
      })
    )

    it.effect(
      "a transaction the records do not know is looked at, and waited for till it is final",
      () =>
        Effect.gen(function* () {
          const { holdFinality } = yield* PayingWorld
          const meant = kept()
          yield* holdFinality(true)
          yield* Effect.flatMap(called(meant), ended).pipe(Effect.provide(freshRecords()))
          yield* Effect.gen(function* () {
            const proposal = yield* called({ ...kept(), keyId: meant.keyId })
            yield* submitted
            const waiting = yield* callOf(proposal)
            assert.deepInclude(waiting, { status: "prepared", relayer: null })
            assert.match(waiting.reason ?? "", /do not know/u)
            yield* holdFinality(false)
            assert.deepInclude(yield* ended(proposal), { status: "completed" })
            assert.strictEqual((yield* standingOf(proposal)).mined, 2)
          }).pipe(Effect.provide(freshRecords()))
        })
    )

    it.effect("two records that know nothing of each other do it once together", () =>
      Effect.gen(function* () {
        const meant = kept()
        const [one, other] = [
          yield* Layer.build(freshRecords()),
          yield* Layer.build(freshRecords())
        ]
        const first = yield* Effect.provideContext(called(meant), one)
        const second = yield* Effect.provideContext(called(meant), other)
        for (let turn = 0; turn < 14; turn++) {
          yield* Effect.provideContext(look, one)
          yield* Effect.provideContext(look, other)
          yield* mine
        }
        const ends = [
          yield* Effect.provideContext(statusOf(first), one),
          yield* Effect.provideContext(statusOf(second), other)
        ]
        assert.deepStrictEqual(
          ends.map(({ status }) => status),
          ["completed", "completed"]
        )
        assert.deepStrictEqual(ends[0]?.txs, ends[1]?.txs)
        assert.strictEqual((yield* Effect.provideContext(standingOf(first), one)).mined, 1)
      })
    )
  })
