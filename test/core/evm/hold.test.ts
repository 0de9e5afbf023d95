/** What a wallet's next call makes of what was kept of its nonces: of each the chain is asked whether it still says so. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import { TransactionId } from "../../../core/chains/address.ts"
import { type EvmCall, type ToldNonce, termsOf, type UsedNonce } from "../../../core/evm/call.ts"
import { hold } from "../../../core/evm/hold.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { UsedNonces } from "../../../core/evm/used-nonce-store.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import { addressOf } from "../../support/watched-chain.ts"

const sender = addressOf("a")
const identity = Rows.aDigest()
const answered = { to: addressOf("b"), data: "0xdd62ed3e", answer: "0x07" }
const call: EvmCall = { to: addressOf("b"), data: "0x095ea7b3", value: 0n, expect: answered }

const submission = SendingRows.aSubmission(
  { accountId: Rows.anId(), id: Rows.anId() },
  Rows.aWallet(Rows.anId()),
  { act: "call", from: sender, identity, call: termsOf(call) },
  { chainId: "local" }
)

const txOf = (seed: string) => TransactionId.make(`0x${seed.repeat(64).slice(0, 64)}`)

const aNonce = (nonce: number, over: Partial<ToldNonce> = {}): ToldNonce => ({
  chainId: "local",
  sender,
  nonce,
  txId: txOf(String(nonce)),
  blockNumber: nonce,
  blockHash: `0xb${nonce}`,
  to: call.to,
  data: "0x12345678",
  value: 0n,
  isSuccess: true,
  ...over
})

const made = { data: `${call.data}${identity}` }

interface Chain {
  readonly mined: number
  /** Nonces of which the chain says otherwise. */
  readonly wrong?: ReadonlyArray<number>
  /** What it says of them. */
  readonly now?: UsedNonce
  /** Blocks in which the call had not done what it was for. */
  readonly undone?: ReadonlyArray<string>
}

const held = (kept: ReadonlyArray<ToldNonce>, { mined, now, undone = [], wrong = [] }: Chain) => {
  const relay = Layer.mock(EvmRelay)({
    standing: () => Effect.succeed({ mined, heldWei: 0n }),
    contradicted: (_, told) => Effect.succeed(told.map(({ nonce }) => wrong.includes(nonce))),
    usedBy: () => Effect.succeed(now),
    answers: (_, __, blockHash) => Effect.succeed(!undone.includes(blockHash))
  })
  const holds = new Map<string, number>()
  const shared = {
    holds,
    planned: new Map(),
    handedOver: new Set<string>(),
    conditions: Effect.never
  }
  return Effect.gen(function* () {
    const nonces = yield* UsedNonces
    yield* Effect.forEach(kept, nonces.keep)
    const { at, next } = yield* hold(submission, shared)
    const left = yield* nonces.from("local", sender, 0)
    return { at, next, left, nonce: holds.get(submission.id) }
  }).pipe(Effect.provide(Layer.mergeAll(relay, Memory.layer(1))))
}

it.effect("a call is found by the identity that the data ends in, by nothing else", () =>
  Effect.gen(function* () {
    const like = aNonce(0, { data: `0x${identity}34` })
    const found = yield* held([like, aNonce(1, made)], { mined: 2 })
    assert.deepInclude(found.at, { status: "final", txIds: [txOf("1")], relayerSequence: null })
    const none = yield* held([like], { mined: 1 })
    assert.strictEqual(none.next, "place")
    assert.strictEqual(none.nonce, 1)
  })
)

it.effect("of those that ran the first counts that did what it was for", () =>
  Effect.gen(function* () {
    const failed = aNonce(0, { ...made, isSuccess: false })
    const all = [failed, aNonce(1, made), aNonce(2, made), aNonce(3, made)]
    const first = yield* held(all, { mined: 4 })
    assert.deepInclude(first.at, { status: "final", txIds: [txOf("1")] })
    const second = yield* held(all, { mined: 4, undone: ["0xb1"] })
    assert.deepInclude(second.at, { status: "final", txIds: [txOf("2")] })
    const none = yield* held(all, { mined: 4, undone: ["0xb1", "0xb2", "0xb3"] })
    assert.deepInclude(none.at, { status: "failed", txIds: [txOf("1")] })
    assert.match(none.at.reason ?? "", /did not do what it was for/u)
  })
)

it.effect("what the chain contradicts is looked at again, and counts no more", () =>
  Effect.gen(function* () {
    const real = { ...aNonce(0, { ...made, txId: txOf("c"), blockHash: "0xbc" }), isFinal: true }
    const found = yield* held([aNonce(0)], { mined: 1, wrong: [0], now: real })
    assert.deepInclude(found.at, { status: "final", txIds: [txOf("c")] })
    const { isFinal: _, ...told } = real
    assert.deepStrictEqual(found.left, [told])
  })
)

it.effect("what the chain contradicts, and nobody tells otherwise, has the wallet wait", () =>
  Effect.gen(function* () {
    const notFinal = { ...aNonce(0, made), isFinal: false }
    for (const now of [undefined, notFinal]) {
      const told = [aNonce(0, { data: "0x77" })]
      const { at, left, next, nonce } = yield* held(told, {
        mined: 1,
        wrong: [0],
        now: now as UsedNonce
      })
      assert.strictEqual(next, "wait")
      assert.match(at.reason ?? "", /do not know/u)
      assert.isUndefined(nonce)
      assert.deepStrictEqual(left, told)
    }
  })
)

it.effect("a nonce that a node made up, and the wallet never used, goes", () =>
  Effect.gen(function* () {
    const { left, next, nonce } = yield* held([aNonce(5)], { mined: 0, wrong: [5] })
    assert.deepStrictEqual([next, nonce, left], ["place", 0, []])
    // The chain may only be behind.
    const behind = yield* held([aNonce(5)], { mined: 0 })
    assert.strictEqual(behind.next, "wait")
    assert.lengthOf(behind.left, 1)
  })
)
