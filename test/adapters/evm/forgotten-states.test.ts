/** A node keeps the state of its newest blocks alone, and the logs of all: what a wallet has sent is known by these. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { learn } from "../../../core/evm/forgotten.ts"
import { learnForgotten } from "../../../core/submissions/submitter.ts"
import { AnvilChain } from "../../support/anvil.ts"
import { seedKeys, walletKeys, world } from "../../support/anvil-sending-chain.ts"
import {
  anApproval,
  called,
  calledAfter,
  callOf,
  ended,
  kept,
  standingOf
} from "../../support/call-steps.ts"
import type { Tampering } from "../../support/json-rpc-proxy.ts"
import * as Rows from "../../support/rows.ts"
import { freshRecords } from "../../support/send-world.ts"

/** As a node answers that has thrown the states of all blocks but its newest away. */
const forgetful = async (...[asked, pass]: Parameters<Tampering>) => {
  const isOld = ({ method, params }: (typeof asked)[number]) =>
    (method === "eth_getTransactionCount" && String(params[1]).startsWith("0x")) ||
    (method === "eth_call" && params[1] !== "latest")
  const others = asked.filter((call) => !isOld(call))
  const answers = others.length === 0 ? [] : await pass(others)
  const refusals = asked.filter(isOld).map(({ id }) => ({
    id,
    error: { code: -32000, message: "missing trie node 5f188d163e6f" }
  }))
  return [...answers, ...refusals]
}

/** The same, where no log is young enough to be looked at. */
const logless: Tampering = async (asked, pass) => {
  const others = asked.filter(({ method }) => method !== "eth_getLogs")
  const none = asked
    .filter(({ method }) => method === "eth_getLogs")
    .map(({ id }) => ({ id, result: [] }))
  return [...none, ...(others.length === 0 ? [] : await forgetful(others, pass))]
}

layer(Layer.merge(world, walletKeys(seedKeys().backend)))("a node without old states", (it) => {
  it.effect("tells of a call whose records were lost, and it is not made again", () =>
    Effect.gen(function* () {
      const { proxy } = yield* AnvilChain
      const meant = kept()
      const first = yield* Effect.flatMap(called(meant), ended).pipe(Effect.provide(freshRecords()))
      yield* proxy.tamper(forgetful)
      yield* Effect.gen(function* () {
        const proposal = yield* called(meant)
        const after = yield* ended(proposal)
        assert.strictEqual((yield* callOf(proposal)).reason, null)
        assert.deepInclude(after, { status: "completed", txs: first.txs })
        assert.strictEqual((yield* standingOf(proposal)).mined, 1)
      }).pipe(Effect.provide(freshRecords()), Effect.ensuring(proxy.tamper()))
    })
  )

  it.effect("lets the next call of that wallet go on", () =>
    Effect.gen(function* () {
      const { proxy } = yield* AnvilChain
      const meant = kept()
      yield* Effect.flatMap(called(meant), ended).pipe(Effect.provide(freshRecords()))
      yield* proxy.tamper(forgetful)
      yield* Effect.gen(function* () {
        const proposal = yield* called({ ...kept(), keyId: meant.keyId })
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
        assert.strictEqual((yield* callOf(proposal)).relayerSequence, 1)
      }).pipe(Effect.provide(freshRecords()), Effect.ensuring(proxy.tamper()))
    })
  )

  it.effect(
    "is asked once about a call whose records were lost, as its logs are too old one day",
    () =>
      Effect.gen(function* () {
        const { proxy } = yield* AnvilChain
        const meant = kept()
        yield* Effect.flatMap(called(meant), ended).pipe(Effect.provide(freshRecords()))
        yield* Effect.gen(function* () {
          const found = yield* called(meant)
          yield* ended(found)
          assert.strictEqual((yield* callOf(found)).relayerSequence, 0)
          yield* proxy.tamper(logless)
          const next = yield* calledAfter(found)
          assert.deepInclude(yield* ended(next), { status: "completed" })
          assert.strictEqual((yield* callOf(next)).relayerSequence, 1)
        }).pipe(Effect.provide(freshRecords()), Effect.ensuring(proxy.tamper()))
      })
  )

  it.effect("is asked once about the call of a key that was used for another one", () =>
    Effect.gen(function* () {
      const { proxy } = yield* AnvilChain
      const meant = kept()
      yield* Effect.flatMap(called(meant), ended).pipe(Effect.provide(freshRecords()))
      yield* Effect.gen(function* () {
        const other = yield* called({ ...meant, approval: anApproval(7_000_000n) })
        const refused = yield* ended(other)
        assert.strictEqual(refused.status, "failed")
        assert.match(refused.reason ?? "", /already used for another transaction/u)
        yield* proxy.tamper(logless)
        const next = yield* calledAfter(other)
        assert.deepInclude(yield* ended(next), { status: "completed" })
        assert.strictEqual((yield* callOf(next)).relayerSequence, 1)
      }).pipe(Effect.provide(freshRecords()), Effect.ensuring(proxy.tamper()))
    })
  )

  it.effect("does not have a call made twice that is repeated after the wallet's next one", () =>
    Effect.gen(function* () {
      const { proxy } = yield* AnvilChain
      const meant = kept()
      const first = yield* Effect.flatMap(called(meant), ended).pipe(Effect.provide(freshRecords()))
      yield* Effect.gen(function* () {
        const { accountId, keyId } = meant
        const next = yield* called({ ...kept(), accountId, keyId })
        assert.deepInclude(yield* ended(next), { status: "completed" })
        yield* proxy.tamper(logless)
        const again = yield* calledAfter(next, meant)
        assert.deepInclude(yield* ended(again), { status: "completed", txs: first.txs })
        assert.isNull((yield* callOf(again)).relayerSequence)
        const last = yield* calledAfter(next)
        assert.deepInclude(yield* ended(last), { status: "completed" })
        assert.strictEqual((yield* standingOf(last)).mined, 3)
      }).pipe(Effect.provide(freshRecords()), Effect.ensuring(proxy.tamper()))
    })
  )

  it.effect(
    "does not have a call made twice that nobody looked at when a later one was found",
    () =>
      Effect.gen(function* () {
        const [first, second] = [kept(), kept()]
        const sender = yield* Effect.gen(function* () {
          const one = yield* called(first)
          yield* ended(one)
          yield* Effect.flatMap(calledAfter(one, second), ended)
          return (yield* callOf(one)).terms.from
        }).pipe(Effect.provide(freshRecords()))
        yield* Effect.gen(function* () {
          yield* learn({ chainId: "local", sender, nonce: 1 })
          const { accountId, keyId } = first
          const later = yield* called({ ...second, accountId, keyId })
          assert.deepInclude(yield* ended(later), { status: "completed" })
          const earlier = yield* calledAfter(later, first)
          assert.deepInclude(yield* ended(earlier), { status: "completed" })
          assert.strictEqual((yield* standingOf(earlier)).mined, 2)
        }).pipe(Effect.provide(freshRecords()))
      })
  )

  it.effect(
    "keeps no wallet waiting whose forgotten calls were looked at while they were young",
    () =>
      Effect.gen(function* () {
        const { proxy } = yield* AnvilChain
        const meant = kept()
        const lost = yield* Effect.gen(function* () {
          const first = yield* called(meant)
          const { txs } = yield* ended(first)
          yield* Effect.flatMap(calledAfter(first), ended)
          return { txs, sender: (yield* callOf(first)).terms.from }
        }).pipe(Effect.provide(freshRecords()))
        yield* Effect.gen(function* () {
          yield* proxy.tamper(forgetful)
          yield* learnForgotten("local", [Rows.anAddressKey(), lost.sender])
          yield* proxy.tamper(logless)
          const next = yield* called({ ...kept(), accountId: meant.accountId, keyId: meant.keyId })
          assert.deepInclude(yield* ended(next), { status: "completed" })
          assert.strictEqual((yield* callOf(next)).relayerSequence, 2)
          const again = yield* calledAfter(next, meant)
          assert.deepInclude(yield* ended(again), { status: "completed", txs: lost.txs })
          assert.strictEqual((yield* standingOf(again)).mined, 3)
        }).pipe(Effect.provide(freshRecords()), Effect.ensuring(proxy.tamper()))
      })
  )

  it.effect(
    "does not have a call told as failed because of what came after it, with old states or without",
    () =>
      Effect.gen(function* () {
        const { proxy } = yield* AnvilChain
        for (const node of [undefined, forgetful]) {
          const meant = kept()
          const first = yield* Effect.gen(function* () {
            const one = yield* called(meant)
            const after = yield* ended(one)
            const { spender } = meant.approval
            const lower = yield* calledAfter(one, { ...kept(), approval: { spender, units: 3n } })
            assert.deepInclude(yield* ended(lower), { status: "completed" })
            return after
          }).pipe(Effect.provide(freshRecords()))
          yield* proxy.tamper(node)
          yield* Effect.gen(function* () {
            const again = yield* called(meant)
            const after = yield* ended(again)
            assert.deepInclude(after, { status: "completed", txs: first.txs })
            assert.strictEqual((yield* standingOf(again)).mined, 2)
          }).pipe(Effect.provide(freshRecords()), Effect.ensuring(proxy.tamper()))
        }
      })
  )
})
