/** What sending on every chain must do: pay what was signed, once, and tell the truth about it. */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, type Layer } from "effect"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Chains } from "../../core/ports/chains.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import * as Value from "../support/chain-values.ts"
import {
  assertPaidBy,
  attemptOf,
  authorized,
  broadcast,
  fundedAndAuthorized,
  held,
  orderOf,
  PayingWorld,
  trace
} from "../support/sending-chain.ts"
import { signingDenied } from "../support/signing-policies.ts"
import { addressOf } from "../support/watched-chain.ts"

export const suite = (name: string, chain: Layer.Layer<Chains | EvmRelay | PayingWorld>) =>
  layer(chain)(`${name}: payouts`, (it) => {
    it.effect("a send pays exactly what was signed, and is final when its block is", () =>
      Effect.gen(function* () {
        const { mine, confirmations } = yield* PayingWorld
        const to = addressOf("1")
        const sending = { keyNumber: 1, to, amountMicro: 12_345_678n }
        const authorization = yield* fundedAndAuthorized(sending)
        const { simulate } = yield* EvmRelay
        assert.propertyVal(yield* simulate(authorization), "_tag", "ok")
        const attempt = yield* attemptOf(authorization)
        assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "pending" })
        yield* broadcast(attempt)
        assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "pending" })
        yield* mine(1)
        const seen = { _tag: "paid", txHash: attempt.txHash, isFinal: false } as const
        assert.deepStrictEqual(yield* trace(authorization, attempt), seen)
        yield* mine(confirmations - 2)
        assert.deepStrictEqual(yield* trace(authorization, attempt), seen)
        yield* mine(1)
        assert.deepStrictEqual(yield* trace(authorization, attempt), { ...seen, isFinal: true })
        assert.strictEqual(yield* held(to), 12_345_678n)
        assert.strictEqual(yield* held(authorization.from), 0n)
      })
    )

    it.effect("a token tells under which name and version it lets things be signed", () =>
      Effect.gen(function* () {
        const told = yield* (yield* EvmRelay).tokenName((yield* PayingWorld).chainId)
        assert.deepStrictEqual(told, { name: "USD Coin", version: "2" })
      })
    )

    it.effect("those who watch the chain see a send like any transfer, and under which nonce", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* PayingWorld
        const { tip, look } = yield* Chains
        const sending = { keyNumber: 2, to: addressOf("2"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const from = { blocks: [yield* tip(chainId)] }
        const attempt = yield* attemptOf(authorization)
        yield* broadcast(attempt)
        yield* mine(1)
        const { transfers } = yield* look(chainId, from)
        assert.deepStrictEqual(
          transfers.map(({ block: _, logIndex: _at, ...moved }) => moved),
          [
            {
              txHash: Value.transaction(attempt.txHash),
              from: Value.key(authorization.from),
              to: Value.key(authorization.to),
              amountMicro: authorization.amountMicro,
              signedAs: authorization.nonce
            }
          ]
        )
      })
    )

    it.effect(
      "one proposal has one nonce, however often it is signed, and another has another",
      () =>
        Effect.gen(function* () {
          const sending = { keyNumber: 3, to: addressOf("3"), amountMicro: 5n }
          const once = yield* authorized(sending)
          assert.strictEqual((yield* authorized(sending)).nonce, once.nonce)
          const later = yield* authorized({ ...sending, lastsSeconds: 5000 })
          assert.strictEqual(later.nonce, once.nonce)
          assert.notStrictEqual(later.signature, once.signature)
          const other = yield* authorized({ ...sending, proposalId: "another" })
          assert.notStrictEqual(other.nonce, once.nonce)
          assert.match(once.nonce, /^0x[0-9a-f]{64}$/u)
          assert.strictEqual(once.from, once.from.toLowerCase())
        })
    )

    it.effect(
      "what the records do not warrant is not signed, nor anything for another wallet",
      () =>
        Effect.gen(function* () {
          const { keyAt, walletAt } = yield* PayingWorld
          const { authorize } = yield* EvmRelay
          const order = yield* orderOf({ keyNumber: 3, to: addressOf("3"), amountMicro: 5n })
          const refused = [
            { ...order, proposalId: signingDenied },
            { ...order, from: yield* walletAt(4) },
            { ...order, key: yield* keyAt(4) }
          ]
          for (const wrong of refused) {
            const exit = yield* Effect.exit(authorize(wrong))
            const defects = Exit.isFailure(exit) ? exit.cause.reasons.filter(Cause.isDieReason) : []
            assert.isTrue(defects.some(({ defect }) => defect instanceof SigningDenied))
          }
          assert.strictEqual((yield* authorize(order)).from, order.from.toLowerCase())
        })
    )

    it.effect("a transaction stands at its nonce, whatever else is signed", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* PayingWorld
        const { conditions, simulate, wrap } = yield* EvmRelay
        const sending = { keyNumber: 3, to: addressOf("3"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const trial = yield* simulate(authorization)
        if (trial._tag !== "ok") return assert.fail(trial.reason)
        const before = yield* conditions(chainId)
        const fees = { ...before, gas: trial.gas }
        const wrapped = yield* wrap(authorization, before.relayerCount, fees)
        const later = yield* wrap(authorization, before.relayerCount + 1, fees)
        assert.notStrictEqual(later.txHash, wrapped.txHash)
        assert.strictEqual((yield* conditions(chainId)).relayerCount, before.relayerCount)
        yield* (yield* EvmRelay).broadcast(chainId, wrapped.raw)
        const waiting = yield* conditions(chainId)
        assert.strictEqual(waiting.relayerCount, before.relayerCount + 1)
        assert.strictEqual(waiting.relayerMined, before.relayerMined)
        yield* mine(1)
        const mined = yield* conditions(chainId)
        assert.strictEqual(mined.relayerMined, before.relayerMined + 1)
      })
    )

    it.effect("a nonce that is used up lets those after it come, and moves no money", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* PayingWorld
        const { broadcast: handOver, conditions, fill } = yield* EvmRelay
        const sending = { keyNumber: 11, to: addressOf("d"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const before = yield* conditions(chainId)
        const second = yield* attemptOf(authorization, { ahead: 1 })
        yield* broadcast(second)
        yield* mine(1)
        assert.deepStrictEqual(yield* trace(authorization, second), { _tag: "pending" })
        const raw = yield* fill(chainId, before.relayerCount, { ...before, gas: 150_000n })
        yield* handOver(chainId, raw)
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, second), second)
        const after = yield* conditions(chainId)
        assert.strictEqual(after.relayerMined, before.relayerMined + 2)
        assert.strictEqual(yield* held(addressOf("d")), 5n)
      })
    )

    it.effect("bytes handed over twice are harmless, before they are mined and after", () =>
      Effect.gen(function* () {
        const { mine } = yield* PayingWorld
        const sending = { keyNumber: 4, to: addressOf("4"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const attempt = yield* attemptOf(authorization)
        yield* broadcast(attempt)
        yield* broadcast(attempt)
        yield* mine(1)
        yield* broadcast(attempt)
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, attempt), attempt)
        assert.strictEqual(yield* held(addressOf("4")), 5n)
      })
    )

    it.effect(
      "a second transaction with a paid authorization does not pay, and the first counts",
      () =>
        Effect.gen(function* () {
          const { fund, mine } = yield* PayingWorld
          const { simulate } = yield* EvmRelay
          const sending = { keyNumber: 5, to: addressOf("5"), amountMicro: 5n }
          const authorization = yield* fundedAndAuthorized(sending)
          yield* fund(authorization.from, 5n)
          const first = yield* attemptOf(authorization)
          yield* broadcast(first)
          const second = yield* attemptOf(authorization)
          yield* broadcast(second)
          yield* mine(1)
          assertPaidBy(yield* trace(authorization, second, first), first)
          assertPaidBy(yield* trace(authorization, second), first)
          assertPaidBy(yield* trace(authorization), first)
          assert.deepStrictEqual(yield* simulate(authorization), {
            _tag: "would_revert",
            reason: "The authorization was used or cancelled."
          })
          const again = yield* authorized({ ...sending, lastsSeconds: 5000 })
          const third = yield* attemptOf(again)
          yield* broadcast(third)
          yield* mine(1)
          assertPaidBy(yield* trace(again, third), first)
          assert.strictEqual(yield* held(addressOf("5")), 5n)
          assert.strictEqual(yield* held(authorization.from), 5n)
        })
    )

    it.effect("a transaction that pays an eighth more takes the place of the one that waits", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* PayingWorld
        const { conditions, wrap } = yield* EvmRelay
        const sending = { keyNumber: 6, to: addressOf("6"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const { relayerCount } = yield* conditions(chainId)
        const first = yield* attemptOf(authorization)
        yield* broadcast(first)
        const fees = {
          maxFeePerGas: (first.maxFeePerGas * 9n) / 8n + 1n,
          maxPriorityFeePerGas: (first.maxPriorityFeePerGas * 9n) / 8n + 1n,
          gas: first.gas
        }
        const second = {
          ...(yield* wrap(authorization, relayerCount, fees)),
          ...fees,
          at: first.at
        }
        yield* broadcast(second)
        assert.strictEqual((yield* conditions(chainId)).relayerCount, relayerCount + 1)
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, first, second), second)
        yield* broadcast(first)
        yield* mine(1)
        assert.strictEqual(yield* held(addressOf("6")), 5n)
      })
    )

    it.effect("one that pays no more than the one that waits is refused, and the other pays", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* PayingWorld
        const { conditions, wrap } = yield* EvmRelay
        const sending = { keyNumber: 7, to: addressOf("7"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const { relayerCount } = yield* conditions(chainId)
        const first = yield* attemptOf(authorization)
        yield* broadcast(first)
        const fees = { ...first, maxPriorityFeePerGas: 1n }
        const second = { ...fees, ...(yield* wrap(authorization, relayerCount, fees)) }
        const refused = yield* Effect.flip(broadcast(second))
        assert.strictEqual(refused.reason, "inconsistent")
        assert.match(refused.detail, /underpriced/u)
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, first, second), first)
      })
    )

    it.effect("transactions that arrive out of order all pay once the gap is filled", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* PayingWorld
        const { conditions } = yield* EvmRelay
        const to = addressOf("8")
        const one = yield* fundedAndAuthorized({ keyNumber: 8, to, amountMicro: 5n })
        const other = yield* fundedAndAuthorized({ keyNumber: 9, to, amountMicro: 7n })
        const { relayerCount } = yield* conditions(chainId)
        const first = yield* attemptOf(one)
        const second = yield* attemptOf(other, { ahead: 1 })
        yield* broadcast(second)
        yield* mine(1)
        assert.deepStrictEqual(yield* trace(other, second), { _tag: "pending" })
        assert.strictEqual((yield* conditions(chainId)).relayerCount, relayerCount)
        yield* broadcast(first)
        assert.strictEqual((yield* conditions(chainId)).relayerCount, relayerCount + 2)
        yield* mine(1)
        assertPaidBy(yield* trace(one, first), first)
        assertPaidBy(yield* trace(other, second), second)
        assert.strictEqual(yield* held(to), 12n)
      })
    )

    it.effect("when another relayer was first, its transaction is the one that paid", () =>
      Effect.gen(function* () {
        const { chainId, mine, rival } = yield* PayingWorld
        const sending = { keyNumber: 10, to: addressOf("b"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const ours = yield* attemptOf(authorization)
        const theirs = yield* attemptOf(authorization, { by: rival })
        yield* rival.broadcast(chainId, theirs.raw)
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, ours), theirs)
        yield* broadcast(ours)
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, ours), theirs)
        assert.strictEqual(yield* held(addressOf("b")), 5n)
        const own = yield* (yield* EvmRelay).relayerAddress(chainId)
        assert.notStrictEqual(own, yield* rival.relayerAddress(chainId))
      })
    )
  })
