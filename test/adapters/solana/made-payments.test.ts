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

interface Asked {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** The node that answers, what it is asked in place of the call, or the answer itself. */
type Choice =
  | string
  | (Asked & { readonly url: string })
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

const isBehind = { code: -32016, message: "Minimum context slot has not been reached" }

/** An address whose owner chooses, by what is asked, which node answers a call. */
const fronting = Effect.fnUntraced(function* (
  choose: (asked: Asked, answered: Promise<unknown>) => Choice | Promise<Choice>
) {
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const asked = JSON.parse(Buffer.concat(chunks).toString())
    const headers = { "content-type": "application/json" }
    const sent = new Promise((resolve) => response.once("finish", resolve))
    const choice = await choose(asked, sent)
    const answerOf = async () => {
      if (typeof choice !== "string" && !("url" in choice)) {
        return JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...choice })
      }
      const { url, ...instead } = typeof choice === "string" ? { url: choice } : choice
      const body = JSON.stringify({ ...asked, ...instead })
      return (await fetch(url, { method: "POST", headers, body })).text()
    }
    const answer = await answerOf()
    response.writeHead(200, headers).end(answer)
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
  return yield* fronting(({ method }) =>
    methods.includes(method) && left-- > 0 ? lagging : chain.rpcUrl
  )
})

/** By an address that tells no transaction until so many are asked for, and counts those it is asked at once. */
const countedBy = Effect.fnUntraced(function* (least: number) {
  const { rpcUrl } = yield* LocalSolana
  let [asked, open, most] = [0, 0, 0]
  const reached = Promise.withResolvers<void>()
  const relay = yield* fronting(async ({ method }, answered) => {
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

  it.effect("is told by no node that has not seen where the page before it ends", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* LocalSolana
      const { from } = yield* paid
      const page = Array.from({ length: 1_000 }, (_, at) => ({
        ...{ signature: `failed-${at}`, slot: 1, blockTime: null },
        ...{ confirmationStatus: "finalized", err: "AccountNotFound" }
      }))
      let later = 0
      const { madeBy } = yield* fronting((asked) => {
        const [, config] = asked.params as readonly [string, Readonly<Record<string, unknown>>]
        if (asked.method !== "getSignaturesForAddress") return rpcUrl
        if (config.before === undefined) return { result: page }
        const { before: _, ...whole } = config
        // One that lags does not know the transaction, and lists nothing before it.
        if (later++ === 0) {
          return config.minContextSlot === undefined ? { result: [] } : { error: isBehind }
        }
        return { ...asked, url: rpcUrl, params: [asked.params[0], whole] }
      })
      assert.lengthOf(yield* madeBy(chainId, [from]), 1)
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
      // Before the chain began there is nothing that a node could have forgotten.
      assert.lengthOf(yield* madeBy(chainId, [from], since(-3600)), 1)
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
