/** What wallets have paid on Solana, by nodes that list a transaction and do not tell it, and by many transactions. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import { connectionTo, solana, solanaRelay } from "../../support/real-send-worlds.ts"
import { submissionOf } from "../../support/send-steps.ts"
import { called, ended, freshRecords, kept } from "../../support/send-world.ts"

const chainId = "local-solana"

const onFreshRecords = Effect.provide(freshRecords())

/** Slots after which one node hears of a payment: it is final to the other by then. */
const lag = 90

const paid = Effect.gen(function* () {
  yield* LocalSolana.use(({ advance }) => advance(lag))
  const proposal = yield* called(yield* kept())
  assert.deepInclude(yield* ended(proposal), { status: "completed" })
  const { terms } = yield* submissionOf(proposal)
  return { ...terms, chainId }
})

const relayAt = Effect.fnUntraced(function* (rpcUrl: string) {
  const connection = { ...connectionTo(yield* LocalSolana), rpcUrls: [rpcUrl] as const }
  return yield* SolanaRelay.use(Effect.succeed).pipe(
    Effect.provide(solanaRelay(undefined, connection))
  )
})

/** An address whose owner chooses, by its method, which node answers a call. */
const fronting = Effect.fnUntraced(function* (
  choose: (method: string, answered: Promise<unknown>) => string | Promise<string>
) {
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const { method } = JSON.parse(body) as { readonly method: string }
    const headers = { "content-type": "application/json" }
    const sent = new Promise((resolve) => response.once("finish", resolve))
    const answer = await fetch(await choose(method, sent), { method: "POST", headers, body })
    response.writeHead(200, headers).end(await answer.text())
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  return yield* relayAt(`http://127.0.0.1:${port}`)
})

/** By an address behind which a node that lags answers so many calls of these methods. */
const relayBy = Effect.fnUntraced(function* (methods: ReadonlyArray<string>, times: number) {
  const chain = yield* LocalSolana
  const lagging = yield* chain.nodeBehind(lag)
  let left = times
  return yield* fronting((method) =>
    methods.includes(method) && left-- > 0 ? lagging : chain.rpcUrl
  )
})

/** By an address that tells no transaction until so many are asked for, and counts those it is asked at once. */
const countedBy = Effect.fnUntraced(function* (least: number) {
  const { rpcUrl } = yield* LocalSolana
  let [asked, open, most] = [0, 0, 0]
  const reached = Promise.withResolvers<void>()
  const relay = yield* fronting(async (method, answered) => {
    if (method !== "getTransaction") return rpcUrl
    most = Math.max(most, ++open)
    answered.then(() => open--)
    if (++asked === least) reached.resolve()
    await reached.promise
    return rpcUrl
  })
  return { madeBy: relay.madeBy, most: () => most }
})

layer(solana)("what wallets have paid on Solana", (it) => {
  it.effect("is asked of the next node where one that lags does not tell what is listed", () =>
    Effect.gen(function* () {
      const { from } = yield* paid
      const { madeBy } = yield* relayBy(["getTransaction"], 2)
      assert.lengthOf(yield* madeBy(chainId, [from]), 1)
    }).pipe(Effect.scoped, onFreshRecords)
  )

  it.effect("is not told at all while no node tells what is listed", () =>
    Effect.gen(function* () {
      const { from } = yield* paid
      const { madeBy } = yield* relayBy(["getTransaction"], 100)
      const failure = yield* Effect.flip(madeBy(chainId, [from]))
      assert.deepInclude(failure, { _tag: "ChainUnavailable", reason: "inconsistent" })
      assert.match(failure.detail, /is listed, and no node tells it/u)
    }).pipe(Effect.scoped, onFreshRecords)
  )

  it.effect("nor is it taken for not paid, so that it would be paid again", () =>
    Effect.gen(function* () {
      const payment = yield* paid
      // As of a mark that was reclaimed: none stands there, and its history says what made it.
      const { findPayment } = yield* relayBy(["getAccountInfo", "getTransaction"], 100)
      const failure = yield* Effect.flip(findPayment(payment))
      assert.match(failure.detail, /is listed, and no node tells it/u)
    }).pipe(Effect.scoped, onFreshRecords)
  )

  it.effect("is read eight transactions at a time", () =>
    Effect.gen(function* () {
      const chain = yield* LocalSolana
      const { from } = yield* paid
      for (let gift = 0; gift < 20; gift++) yield* chain.give(from, 1_000_000n)
      yield* chain.advance(40)
      const { madeBy, most } = yield* countedBy(8)
      assert.lengthOf(yield* madeBy(chainId, [from]), 1)
      assert.strictEqual(most(), 8)
    }).pipe(Effect.scoped, onFreshRecords)
  )

  it.effect("is not told by a node that has forgotten a part of what must be read", () =>
    Effect.gen(function* () {
      const { forget } = yield* LocalSolana
      const { madeBy } = yield* SolanaRelay
      const { from } = yield* paid
      const [made] = yield* madeBy(chainId, [from])
      const at = made?.at ?? assert.fail("nothing is told")
      const since = (seconds: number) => {
        const paidSince = DateTime.add(at, { seconds })
        return { through: { number: 1, hash: "" }, paidSince, keptSince: paidSince }
      }
      // The chain may have begun in the very second of the payment.
      assert.lengthOf(yield* madeBy(chainId, [from], since(0)), 1)
      yield* Effect.gen(function* () {
        yield* forget(true)
        const failure = yield* Effect.flip(madeBy(chainId, [from], since(-1)))
        assert.match(failure.detail, /has forgotten what was before .*; name one that keeps all/u)
        // It is no fault that what nobody needs is gone.
        assert.deepStrictEqual(yield* madeBy(chainId, [from], since(3600)), [])
      }).pipe(Effect.ensuring(forget(false)))
    }).pipe(onFreshRecords)
  )

  it.effect("is not asked for from before it counts", () =>
    Effect.gen(function* () {
      const { from } = yield* paid
      const { madeBy } = yield* relayBy(["getTransaction"], 100)
      const late = DateTime.makeUnsafe("2100-01-01T00:00:00Z")
      const reach = { through: { number: 1, hash: "" }, paidSince: late, keptSince: late }
      assert.deepStrictEqual(yield* madeBy(chainId, [from], reach), [])
    }).pipe(Effect.scoped, onFreshRecords)
  )
})
