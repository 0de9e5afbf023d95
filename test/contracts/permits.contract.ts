/** What letting a spender take must do on every chain: exactly what was signed, once, whoever carries it. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Authorization } from "../../core/evm/journal.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import type { Chains } from "../../core/ports/chains.ts"
import { Allowances } from "../../core/ports/holdings.ts"
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
  type Sending,
  trace
} from "../support/sending-chain.ts"
import { addressOf } from "../support/watched-chain.ts"

const spender = addressOf("a")

const permitted = (sending: Partial<Sending> & Pick<Sending, "keyNumber">) =>
  authorized({ act: "permit", to: spender, amountMicro: 5n, ...sending })

const allowed = ({ from, to, token }: Authorization) =>
  Effect.gen(function* () {
    const { chainId } = yield* PayingWorld
    const asked = [{ token: Value.key(token), owner: Value.key(from), spender: Value.key(to) }]
    return (yield* (yield* Allowances).current(chainId, asked))[0]
  })

const expired = { _tag: "would_revert", reason: "The authorization has expired." } as const

export const suite = (
  name: string,
  chain: Layer.Layer<Chains | EvmRelay | Allowances | PayingWorld>
) =>
  layer(chain)(`${name}: permits`, (it) => {
    it.effect("a permit of nothing takes back what the spender was allowed", () =>
      Effect.gen(function* () {
        const { confirmations, mine } = yield* PayingWorld
        const given = yield* permitted({ keyNumber: 41 })
        const first = yield* attemptOf(given)
        yield* broadcast(first)
        yield* mine(1)
        assert.strictEqual(yield* allowed(given), 5n)
        const back = yield* permitted({ keyNumber: 41, amountMicro: 0n })
        assert.strictEqual(back.nonce, "1")
        const attempt = yield* attemptOf(back)
        yield* broadcast(attempt)
        yield* mine(confirmations)
        const { txHash } = attempt
        assert.deepStrictEqual(yield* trace(back, attempt), { _tag: "paid", txHash, isFinal: true })
        assert.strictEqual(yield* allowed(back), 0n)
      })
    )

    it.effect("a spender may take exactly what was signed, and nothing has moved", () =>
      Effect.gen(function* () {
        const { confirmations, fund, mine } = yield* PayingWorld
        const { simulate } = yield* EvmRelay
        const permit = yield* permitted({ keyNumber: 1, amountMicro: 12_345_678n })
        yield* fund(permit.from, 3n)
        assert.strictEqual(permit.act, "permit")
        assert.strictEqual(permit.nonce, "0")
        assert.propertyVal(yield* simulate(permit), "_tag", "ok")
        const attempt = yield* attemptOf(permit)
        yield* broadcast(attempt)
        assert.deepStrictEqual(yield* trace(permit, attempt), { _tag: "pending" })
        yield* mine(1)
        const seen = { _tag: "paid", txHash: attempt.txHash, isFinal: false } as const
        assert.deepStrictEqual(yield* trace(permit, attempt), seen)
        assert.strictEqual(yield* allowed(permit), 12_345_678n)
        yield* mine(confirmations - 1)
        assert.deepStrictEqual(yield* trace(permit, attempt), { ...seen, isFinal: true })
        assert.strictEqual(yield* held(permit.from), 3n)
        assert.strictEqual(yield* held(spender), 0n)
        const [given] = yield* (yield* Allowances).recent("local", [Value.key(permit.from)])
        assert.strictEqual(given?.txHash, attempt.txHash)
      })
    )

    it.effect("the token counts a wallet's permits, and each is signed for the next count", () =>
      Effect.gen(function* () {
        const { mine } = yield* PayingWorld
        const first = yield* permitted({ keyNumber: 2 })
        assert.strictEqual((yield* permitted({ keyNumber: 2 })).nonce, first.nonce)
        yield* broadcast(yield* attemptOf(first))
        yield* mine(1)
        const next = yield* permitted({ keyNumber: 2 })
        assert.strictEqual(next.nonce, "1")
        assert.notStrictEqual(next.signature, first.signature)
        assert.strictEqual((yield* permitted({ keyNumber: 3 })).nonce, "0")
      })
    )

    it.effect("a permit carried twice is taken once, and what it allowed stands", () =>
      Effect.gen(function* () {
        const { mine } = yield* PayingWorld
        const permit = yield* permitted({ keyNumber: 4 })
        const first = yield* attemptOf(permit)
        yield* broadcast(first)
        const second = yield* attemptOf(permit)
        yield* broadcast(second)
        yield* mine(1)
        assertPaidBy(yield* trace(permit, second, first), first)
        assertPaidBy(yield* trace(permit, second), first)
        assertPaidBy(yield* trace(permit), first)
        assert.strictEqual(yield* allowed(permit), 5n)
        assert.propertyVal(yield* (yield* EvmRelay).simulate(permit), "_tag", "would_revert")
      })
    )

    it.effect("when another relayer was first, its transaction is the one that counts", () =>
      Effect.gen(function* () {
        const { chainId, mine, rival } = yield* PayingWorld
        const permit = yield* permitted({ keyNumber: 5 })
        const ours = yield* attemptOf(permit)
        const theirs = yield* attemptOf(permit, { by: rival })
        yield* rival.broadcast(chainId, theirs.raw)
        yield* mine(1)
        assertPaidBy(yield* trace(permit, ours), theirs)
        yield* broadcast(ours)
        yield* mine(1)
        assertPaidBy(yield* trace(permit, ours), theirs)
      })
    )

    it.effect(
      "another permit of the wallet outruns it, even one to the same end, and that becomes final",
      () =>
        Effect.gen(function* () {
          const { confirmations, mine } = yield* PayingWorld
          const permit = yield* permitted({ keyNumber: 6, lastsSeconds: 1000 })
          const other = yield* permitted({ keyNumber: 6, lastsSeconds: 1100 })
          assert.strictEqual(other.nonce, permit.nonce)
          yield* broadcast(yield* attemptOf(other))
          yield* mine(1)
          const attempt = yield* attemptOf(permit)
          assert.deepStrictEqual(yield* trace(permit), { _tag: "nonce_consumed", isFinal: false })
          yield* broadcast(attempt)
          yield* mine(1)
          assert.deepStrictEqual(yield* trace(permit, attempt), {
            _tag: "nonce_consumed",
            isFinal: false
          })
          yield* mine(confirmations - 2)
          assert.deepStrictEqual(yield* trace(permit, attempt), {
            _tag: "nonce_consumed",
            isFinal: true
          })
          assert.deepStrictEqual(yield* trace(permit), { _tag: "nonce_consumed", isFinal: true })
          const anew = yield* permitted({ keyNumber: 6, amountMicro: 9n })
          const again = yield* attemptOf(anew)
          yield* broadcast(again)
          yield* mine(1)
          assertPaidBy(yield* trace(anew, again), again)
          assert.strictEqual(yield* allowed(permit), 9n)
        })
    )

    it.effect("past its time it is impossible once that is final, and never taken late", () =>
      Effect.gen(function* () {
        const { confirmations, mine, timePasses } = yield* PayingWorld
        const permit = yield* permitted({ keyNumber: 7, lastsSeconds: 60 })
        const attempt = yield* attemptOf(permit)
        yield* timePasses(120)
        assert.deepStrictEqual(yield* trace(permit, attempt), { _tag: "pending" })
        assert.deepStrictEqual(yield* (yield* EvmRelay).simulate(permit), expired)
        yield* mine(confirmations - 1)
        assert.deepStrictEqual(yield* trace(permit, attempt), { _tag: "impossible" })
        yield* broadcast(attempt)
        yield* mine(1)
        assert.deepStrictEqual(yield* trace(permit, attempt), { _tag: "impossible" })
        assert.strictEqual(yield* allowed(permit), 0n)
      })
    )

    it.effect("a reorganisation makes it unseen; handed over again it is taken", () =>
      Effect.gen(function* () {
        const { mine, reorg } = yield* PayingWorld
        const permit = yield* permitted({ keyNumber: 8 })
        const attempt = yield* attemptOf(permit)
        yield* broadcast(attempt)
        yield* mine(1)
        assertPaidBy(yield* trace(permit, attempt), attempt)
        yield* reorg(1, [])
        assert.deepStrictEqual(yield* trace(permit, attempt), { _tag: "pending" })
        assert.strictEqual(yield* allowed(permit), 0n)
        yield* broadcast(attempt)
        yield* mine(1)
        assertPaidBy(yield* trace(permit, attempt), attempt)
      })
    )

    it.effect("a broadcast whose answer was lost fails, and yet it may be taken", () =>
      Effect.gen(function* () {
        const { loseNextReply, mine } = yield* PayingWorld
        const permit = yield* permitted({ keyNumber: 9 })
        const attempt = yield* attemptOf(permit)
        yield* loseNextReply
        yield* Effect.flip(broadcast(attempt))
        yield* mine(1)
        assertPaidBy(yield* trace(permit, attempt), attempt)
      })
    )

    it.effect("a wallet's sends and permits do not count as each other", () =>
      Effect.gen(function* () {
        const { mine } = yield* PayingWorld
        const to = addressOf("c")
        const send = yield* fundedAndAuthorized({ keyNumber: 10, to, amountMicro: 5n })
        const permit = yield* permitted({ keyNumber: 10, to })
        const first = yield* attemptOf(permit)
        yield* broadcast(first)
        yield* mine(1)
        assert.deepStrictEqual(yield* trace(send), { _tag: "pending" })
        const second = yield* attemptOf(send)
        yield* broadcast(second)
        yield* mine(1)
        assertPaidBy(yield* trace(send, second), second)
        assertPaidBy(yield* trace(permit, first), first)
        assert.strictEqual((yield* permitted({ keyNumber: 10 })).nonce, "1")
        assert.strictEqual(yield* allowed(permit), 5n)
        assert.strictEqual(yield* held(to), 5n)
      })
    )

    it.effect("during an outage nothing is signed, since the count cannot be known", () =>
      Effect.gen(function* () {
        const { outage } = yield* PayingWorld
        const { authorize } = yield* EvmRelay
        const permit = { act: "permit", to: spender, amountMicro: 5n } as const
        const order = yield* orderOf({ ...permit, keyNumber: 11 })
        yield* outage(true)
        assert.propertyVal(yield* Effect.flip(authorize(order)), "_tag", "ChainUnavailable")
        yield* outage(false)
        assert.strictEqual((yield* authorize(order)).nonce, "0")
      })
    )
  })
