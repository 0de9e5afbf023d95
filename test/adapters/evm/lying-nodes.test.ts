/**
 * A node that tells what is not so of a transaction that the records forgot. What it told is asked again before anything
 * follows from it, and a second node is asked at once.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Predicate } from "effect"
import { learn } from "../../../core/evm/forgotten.ts"
import { UsedNonces } from "../../../core/evm/used-nonce-store.ts"
import { AnvilChain } from "../../support/anvil.ts"
import { payouts, seedKeys, walletKeys, world } from "../../support/anvil-sending-chain.ts"
import { called, calledAfter, callOf, ended, kept, standingOf } from "../../support/call-steps.ts"
import type { Tampering } from "../../support/json-rpc-proxy.ts"
import { freshRecords } from "../../support/send-world.ts"

type Lie = (said: Readonly<Record<string, unknown>>) => object

/** A node that says otherwise of a transaction: in its block, alone, and in its receipt. */
const lying =
  (txId: string, lie: Lie): Tampering =>
  async (asked, pass) => {
    const told = (said: unknown): unknown => {
      if (!Predicate.isObject(said)) return said
      const { hash, transactionHash, transactions } = said as Record<string, unknown>
      if (hash === txId || transactionHash === txId) return { ...said, ...lie({ ...said }) }
      return Array.isArray(transactions) ? { ...said, transactions: transactions.map(told) } : said
    }
    const answers = await pass(asked)
    return answers.map((answer) => ({ ...answer, result: told(answer.result) }))
  }

const lies: ReadonlyArray<readonly [string, Lie]> = [
  ["called something else", ({ input }) => (input === undefined ? {} : { input: "0x12345678" })],
  ["failed", ({ status }) => (status === undefined ? {} : { status: "0x0" })],
  [
    "is another one",
    ({ hash, transactionHash }) => ({
      ...(hash === undefined ? {} : { hash: `0x${"ab".repeat(32)}`, input: "0x12345678" }),
      ...(transactionHash === undefined ? {} : { transactionHash: `0x${"ab".repeat(32)}` })
    })
  ]
]

const made = (meant: ReturnType<typeof kept>) =>
  Effect.gen(function* () {
    const proposal = yield* called(meant)
    const { txs } = yield* ended(proposal)
    return { txs, txId: String(txs?.[0]), sender: (yield* callOf(proposal)).terms.from }
  }).pipe(Effect.provide(freshRecords()))

layer(Layer.merge(world, walletKeys(seedKeys().backend)))("a node that lied", (it) => {
  it.effect("does not have a call made twice that is repeated once it tells the truth", () =>
    Effect.gen(function* () {
      const { proxy, rpcUrl } = yield* AnvilChain
      for (const [what, lie] of lies) {
        const meant = kept()
        const first = yield* made(meant)
        yield* Effect.gen(function* () {
          // The receipt of what it made up is asked for by that name.
          const named = lying(first.txId, lie)
          yield* proxy.tamper((asked, pass) =>
            named(asked, (each) =>
              pass(
                each.map((call) =>
                  call.params[0] === `0x${"ab".repeat(32)}`
                    ? { ...call, params: [first.txId] }
                    : call
                )
              )
            )
          )
          const { accountId, keyId } = meant
          const next = yield* called({ ...kept(), accountId, keyId })
          assert.deepInclude(yield* ended(next), { status: "completed" }, what)
          yield* proxy.tamper()
          const again = yield* calledAfter(next, meant)
          assert.deepInclude(yield* ended(again), { status: "completed", txs: first.txs }, what)
          assert.strictEqual((yield* standingOf(again)).mined, 2, `${what} ${rpcUrl}`)
        }).pipe(Effect.provide(freshRecords()), Effect.ensuring(proxy.tamper()))
      }
    })
  )

  it.effect("is not believed where a second one says otherwise", () =>
    Effect.gen(function* () {
      const { proxy, rpcUrl } = yield* AnvilChain
      const two = payouts(seedKeys(), { secondRpcUrl: proxy.rpcUrl, rpcUrl })
      for (const [what, lie] of lies) {
        const { sender, txId } = yield* made(kept())
        const of = { chainId: "local", sender, nonce: 0 }
        yield* Effect.gen(function* () {
          const from = Effect.flatMap(UsedNonces, (nonces) => nonces.from("local", sender, 0))
          yield* proxy.tamper(lying(txId, lie))
          const refused = yield* Effect.flip(learn(of))
          assert.strictEqual(refused.reason, "inconsistent", what)
          assert.deepStrictEqual(yield* from, [])
          yield* proxy.tamper()
          yield* learn(of)
          assert.lengthOf(yield* from, 1)
        }).pipe(Effect.provide([two, freshRecords()]), Effect.ensuring(proxy.tamper()))
      }
    })
  )
})
