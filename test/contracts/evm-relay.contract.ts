/**
 * What only sending on EVM chains has: the token's own authorization with its nonce and its time, finality by a count
 * of blocks, and one relayer whose transactions stand at nonces, wait for one another and replace one another. On
 * Solana each transaction stands alone under a block hash. What both families do is in `submitters.contract.ts`.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Chains } from "../../core/ports/chains.ts"
import * as Value from "../support/chain-values.ts"
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
  layer(chain)(`${name}: authorizations and relayers' nonces`, (it) => {
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
      "what is signed twice under one nonce pays what the token took, and the other never",
      () =>
        Effect.gen(function* () {
          const { mine } = yield* PayingWorld
          const proposalId = "signed twice"
          const sending = { keyNumber: 3, to: addressOf("3"), amountMicro: 5n, proposalId }
          const handedIn = yield* fundedAndAuthorized(sending)
          const own = yield* authorized({ ...sending, to: addressOf("4"), amountMicro: 1n })
          assert.strictEqual(own.nonce, handedIn.nonce)
          const used = yield* attemptOf(own)
          yield* broadcast(used)
          yield* mine(1)
          const before = yield* held(addressOf("3"))
          const attempt = yield* attemptOf(handedIn)
          assert.deepStrictEqual(yield* trace(handedIn), { _tag: "spent" })
          yield* broadcast(attempt)
          yield* mine(1)
          assert.deepStrictEqual(yield* trace(handedIn, attempt), { _tag: "spent" })
          assertPaidBy(yield* trace(own, used), used)
          yield* mine(3)
          assert.deepStrictEqual(yield* trace(handedIn, attempt), { _tag: "impossible" })
          assert.strictEqual(yield* held(addressOf("3")), before)
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

    it.effect("past its time a send is impossible once that is final, and is never paid late", () =>
      Effect.gen(function* () {
        const { confirmations, mine, timePasses } = yield* PayingWorld
        const { simulate } = yield* EvmRelay
        const sending = { keyNumber: 12, to: addressOf("e"), amountMicro: 5n }
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
        assert.strictEqual(yield* held(addressOf("e")), 0n)
        assert.strictEqual(yield* held(authorization.from), 5n)
      })
    )
  })
