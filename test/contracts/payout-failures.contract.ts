/** What sending on every chain must do when it cannot pay, or when the world is in its way. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { EvmRelay } from "../../core/evm/relay.ts"
import type { Chains } from "../../core/ports/chains.ts"
import {
  assertPaidBy,
  attemptOf,
  authorized,
  broadcast,
  fundedAndAuthorized,
  held,
  PayingWorld,
  trace
} from "../support/sending-chain.ts"
import { addressOf } from "../support/watched-chain.ts"

export const suite = (name: string, chain: Layer.Layer<Chains | EvmRelay | PayingWorld>) =>
  layer(chain)(`${name}: payouts that fail`, (it) => {
    it.effect("a wallet that holds too little is told before anything is spent", () =>
      Effect.gen(function* () {
        const { fund } = yield* PayingWorld
        const { simulate } = yield* EvmRelay
        const sending = { keyNumber: 1, to: addressOf("1"), amountMicro: 5n }
        const authorization = yield* authorized(sending)
        yield* fund(authorization.from, 4n)
        assert.deepStrictEqual(yield* simulate(authorization), {
          _tag: "would_revert",
          reason: "The wallet has an insufficient balance of USDC."
        })
        yield* fund(authorization.from, 1n)
        assert.propertyVal(yield* simulate(authorization), "_tag", "ok")
      })
    )

    it.effect("a transaction that is reverted leaves the authorization to be carried again", () =>
      Effect.gen(function* () {
        const { confirmations, fund, mine } = yield* PayingWorld
        const sending = { keyNumber: 2, to: addressOf("2"), amountMicro: 5n }
        const authorization = yield* authorized(sending)
        const first = yield* attemptOf(authorization)
        yield* broadcast(first)
        yield* mine(1)
        const reverted = { _tag: "reverted", txHash: first.txHash, isFinal: false } as const
        assert.deepStrictEqual(yield* trace(authorization, first), reverted)
        yield* mine(confirmations)
        const final = { ...reverted, isFinal: true }
        assert.deepStrictEqual(yield* trace(authorization, first), final)
        yield* fund(authorization.from, 5n)
        const second = yield* attemptOf(authorization)
        yield* broadcast(second)
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, first, second), second)
        assert.strictEqual(yield* held(addressOf("2")), 5n)
      })
    )

    it.effect("past its time a send is impossible once that is final, and is never paid late", () =>
      Effect.gen(function* () {
        const { confirmations, mine, timePasses } = yield* PayingWorld
        const { simulate } = yield* EvmRelay
        const sending = { keyNumber: 3, to: addressOf("3"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized({ ...sending, lastsSeconds: 60 })
        const attempt = yield* attemptOf(authorization)
        yield* timePasses(120)
        assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "pending" })
        assert.deepStrictEqual(yield* simulate(authorization), {
          _tag: "would_revert",
          reason: "The authorization has expired."
        })
        yield* mine(confirmations - 1)
        assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "impossible" })
        yield* broadcast(attempt)
        yield* mine(1)
        assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "impossible" })
        assert.strictEqual(yield* held(addressOf("3")), 0n)
        assert.strictEqual(yield* held(authorization.from), 5n)
      })
    )

    it.effect("a send that was paid stays paid when its time has passed", () =>
      Effect.gen(function* () {
        const { confirmations, mine, timePasses } = yield* PayingWorld
        const sending = { keyNumber: 4, to: addressOf("4"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized({ ...sending, lastsSeconds: 60 })
        const attempt = yield* attemptOf(authorization)
        yield* broadcast(attempt)
        yield* mine(1)
        yield* timePasses(120)
        yield* mine(confirmations)
        assertPaidBy(yield* trace(authorization, attempt), attempt)
        assertPaidBy(yield* trace(authorization), attempt)
      })
    )

    it.effect(
      "a reorganisation that drops the payment makes it unseen; handed over again it pays once",
      () =>
        Effect.gen(function* () {
          const { mine, reorg } = yield* PayingWorld
          const sending = { keyNumber: 5, to: addressOf("5"), amountMicro: 5n }
          const authorization = yield* fundedAndAuthorized(sending)
          const attempt = yield* attemptOf(authorization)
          yield* broadcast(attempt)
          yield* mine(1)
          assertPaidBy(yield* trace(authorization, attempt), attempt)
          yield* reorg(1, [])
          assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "pending" })
          assert.strictEqual(yield* held(addressOf("5")), 0n)
          yield* broadcast(attempt)
          yield* mine(1)
          assertPaidBy(yield* trace(authorization, attempt), attempt)
          assert.strictEqual(yield* held(addressOf("5")), 5n)
        })
    )

    it.effect(
      "a payment that is mined again after a reorganisation is paid, and not yet final",
      () =>
        Effect.gen(function* () {
          const { confirmations, mine, reorg } = yield* PayingWorld
          const sending = { keyNumber: 6, to: addressOf("6"), amountMicro: 5n }
          const authorization = yield* fundedAndAuthorized(sending)
          const attempt = yield* attemptOf(authorization)
          yield* broadcast(attempt)
          yield* mine(confirmations - 1)
          yield* reorg(1, [])
          yield* mine(1)
          assert.propertyVal(yield* trace(authorization, attempt), "isFinal", true)
          const other = yield* fundedAndAuthorized({ ...sending, keyNumber: 7 })
          const again = yield* attemptOf(other)
          yield* broadcast(again)
          yield* mine(1)
          yield* reorg(1, [again.txHash])
          const traced = yield* trace(other, again)
          assertPaidBy(traced, again)
          assert.propertyVal(traced, "isFinal", false)
          assert.strictEqual(yield* held(addressOf("6")), 10n)
        })
    )

    it.effect("a broadcast whose answer was lost fails, and yet it may pay", () =>
      Effect.gen(function* () {
        const { loseNextReply, mine } = yield* PayingWorld
        const sending = { keyNumber: 8, to: addressOf("8"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const attempt = yield* attemptOf(authorization)
        yield* loseNextReply
        const failed = yield* Effect.flip(broadcast(attempt))
        assert.strictEqual(failed.reason, "unreachable")
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, attempt), attempt)
        yield* broadcast(attempt)
        assert.strictEqual(yield* held(addressOf("8")), 5n)
      })
    )

    it.effect(
      "during an outage nothing is known, and nothing is paid that was not handed over",
      () =>
        Effect.gen(function* () {
          const { chainId, mine, outage } = yield* PayingWorld
          const { conditions, simulate } = yield* EvmRelay
          const sending = { keyNumber: 9, to: addressOf("9"), amountMicro: 5n }
          const authorization = yield* fundedAndAuthorized(sending)
          const attempt = yield* attemptOf(authorization)
          yield* outage(true)
          for (const failed of [
            yield* Effect.flip(conditions(chainId)),
            yield* Effect.flip(simulate(authorization)),
            yield* Effect.flip(broadcast(attempt)),
            yield* Effect.flip(trace(authorization, attempt))
          ]) {
            assert.strictEqual(failed._tag, "ChainUnavailable")
            assert.strictEqual(failed.reason, "unreachable")
            assert.strictEqual(failed.chainId, chainId)
          }
          yield* authorized(sending).pipe(Effect.flip)
          yield* outage(false)
          yield* mine(1)
          assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "pending" })
          yield* broadcast(attempt)
          yield* mine(1)
          assertPaidBy(yield* trace(authorization, attempt), attempt)
          assert.strictEqual(yield* held(addressOf("9")), 5n)
        })
    )
  })
