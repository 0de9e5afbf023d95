/** An order that the records have lost is found also by nodes that have thrown old things away, and what they lack is told. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CowVenue from "../../../../adapters/evm/cow/venue.ts"
import type { SeenFills, SignedOrder } from "../../../../core/ports/swap-venue.ts"
import { type Alter, altering } from "../../../support/altered-answers.ts"
import * as Anvil from "../../../support/anvil.ts"
import { funded, orderOf, signed, type Trader, venue } from "../../../support/cow-venue.ts"
import { CowWorld, layer as cow } from "../../../support/cow-world.ts"

/** Refuses every question that reaches back to the first blocks, as one that keeps no old ones. */
const withoutOldLogs: Alter = ({ id, method, params }, answered) => {
  const [range] = params as ReadonlyArray<{ readonly fromBlock?: string }>
  if (method !== "eth_getLogs" || range?.fromBlock !== "0x0") return answered
  return { id, error: { code: -32000, message: "pruned history unavailable" } }
}

const without =
  (forgotten: string): Alter =>
  ({ id, method }, answered) =>
    method === forgotten ? { id, result: null } : answered

const filledBy = Effect.fnUntraced(function* (owner: Trader) {
  const { book, setPrice, weth } = yield* CowWorld
  yield* setPrice(weth, 2_500_000_000n)
  const order = yield* signed(owner, yield* orderOf(owner))
  yield* (yield* venue).place(order)
  assert.containsAllKeys(yield* book.settle(order.orderId), ["txHash"])
  yield* (yield* Anvil.AnvilChain).mine(1)
  return order
})

const filled = Effect.flatMap(funded(), filledBy)

const sought = ({ chainId, identity, owner, sell }: SignedOrder) => ({
  ...{ chainId, identity, owner, sell, through: undefined },
  recorded: () => Effect.succeed([])
})

layer(cow.pipe(Layer.provideMerge(Anvil.layer)), { timeout: "60 seconds" })(
  "an order that the records have lost",
  (it) => {
    it.effect("is found in the last month by a node that keeps no older logs", () =>
      Effect.gen(function* () {
        const { mine, proxy, timePasses } = yield* Anvil.AnvilChain
        const order = yield* filled
        // More blocks than are asked for at once, so that a month does not begin with the first.
        yield* mine(2_100)
        yield* timePasses(31 * 24 * 3_600)
        const later = yield* filled
        yield* proxy.tamper(altering(withoutOldLogs))
        const { find } = yield* venue
        const found = yield* Effect.ensuring(find(sought(later)), proxy.tamper())
        assert.deepInclude(found, { _tag: "filled" })
        assert.deepInclude(yield* find(sought(order)), { _tag: "filled" })
      })
    )

    it.effect("is looked for above what was read before, which is told again", () =>
      Effect.gen(function* () {
        const { call, mine, proxy } = yield* Anvil.AnvilChain
        const { find } = yield* venue
        const owner = yield* funded()
        const [lost, known] = [yield* filledBy(owner), yield* filledBy(owner)]
        yield* mine(300)
        let seen: SeenFills | undefined
        const keep = (read: SeenFills) =>
          Effect.sync(() => {
            seen = read
          })
        const records = { ...sought(lost), recorded: () => Effect.succeed([known]) }
        const another = { ...records, identity: "cd".repeat(32), keep }
        const none = { _tag: "none" } as const
        assert.deepStrictEqual(yield* find(another), none)
        const final = (yield* call("eth_getBlockByNumber", "finalized", false)) as {
          readonly number: string
          readonly hash: string
        }
        const first: SeenFills = seen ?? assert.fail("nothing was kept")
        const { hash, number } = first.through
        assert.deepStrictEqual({ number, hash }, { number: Number(final.number), hash: final.hash })
        assert.strictEqual(first.from, 0)
        // What was lost is told again, of whatever call it is; what the records have signed need not be.
        const told = JSON.stringify(first.unrecorded)
        assert.include(told, lost.orderId)
        assert.notInclude(told, known.orderId)
        const asked = proxy.asked().length
        const later = { ...another, seen: first }
        assert.deepInclude(yield* find({ ...later, identity: lost.identity }), { _tag: "filled" })
        assert.deepStrictEqual(yield* find(later), none)
        const ranges = proxy
          .asked()
          .slice(asked)
          .flat()
          .flatMap(({ method, params: [range] }) =>
            method === "eth_getLogs" ? [range as { readonly fromBlock: string }] : []
          )
        assert.isNotEmpty(ranges)
        for (const { fromBlock } of ranges) assert.strictEqual(Number(fromBlock), number + 1)
        // What is filled from now on is above it.
        const newest = yield* filledBy(owner)
        assert.deepInclude(yield* find({ ...later, identity: newest.identity }), { _tag: "filled" })
        // Of another chain, or in another form, it says nothing.
        const strange = [
          { ...first, through: { ...first.through, hash: `0x${"ee".repeat(32)}` } },
          { ...first, through: { ...first.through, number: number + 100_000 } },
          { ...first, unrecorded: [{ orderId: 5 }] }
        ]
        for (const each of strange) {
          const empty = {
            ...each,
            unrecorded: each.unrecorded === first.unrecorded ? [] : each.unrecorded
          }
          const found = yield* find({ ...another, identity: lost.identity, seen: empty })
          assert.deepInclude(found, { _tag: "filled" })
        }
      })
    )

    it.effect("is looked for in no block twice by a node that refuses all at once", () =>
      Effect.gen(function* () {
        const chain = yield* Anvil.AnvilChain
        const { mine, proxy, timePasses } = chain
        const orderBookUrl = (yield* CowWorld).book.url
        const narrow = Anvil.connectionTo(chain, { orderBookUrl, maxBlocks: 5 })
        const [{ find } = assert.fail("there is no venue")] = CowVenue.venuesOf([narrow])
        yield* mine(100)
        yield* timePasses(31 * 24 * 3_600)
        const lost = yield* filled
        yield* mine(200)
        let seen: SeenFills | undefined
        const keep = (read: SeenFills) =>
          Effect.sync(() => {
            seen = read
          })
        /** From which blocks on it was asked for logs. */
        const asked = Effect.gen(function* () {
          const before = proxy.asked().length
          const found = yield* find({ ...sought(lost), keep, seen })
          assert.deepInclude(found, { _tag: "filled" })
          return proxy
            .asked()
            .slice(before)
            .flat()
            .flatMap(({ method, params: [range] }) =>
              method === "eth_getLogs" ? [Number((range as { fromBlock: string }).fromBlock)] : []
            )
        })
        yield* proxy.tamper(altering(withoutOldLogs))
        const [all, ...ranges] = yield* asked
        const { from, through } = seen ?? assert.fail("nothing was kept")
        assert.strictEqual(all, 0)
        assert.isAbove(from, 0)
        assert.strictEqual(ranges[0], from)
        const [again, ...rest] = yield* asked
        assert.strictEqual(again, 0, "it may tell all by now")
        assert.isBelow(rest.length, ranges.length)
        assert.strictEqual(rest[0], through.number + 1)
        yield* proxy.tamper()
        assert.deepStrictEqual(yield* asked, [0])
        assert.strictEqual(seen?.from, 0)
        assert.isAbove((yield* asked)[0] ?? 0, 0)
      })
    )

    it.effect("is found by a node that no longer finds transactions by their hash", () =>
      Effect.gen(function* () {
        const { proxy } = yield* Anvil.AnvilChain
        const order = yield* filled
        const { find } = yield* venue
        yield* proxy.tamper(altering(without("eth_getTransactionByHash")))
        const found = yield* Effect.ensuring(find(sought(order)), proxy.tamper())
        assert.deepInclude(found, { _tag: "filled" })
      })
    )

    it.effect("is found by the transaction that another node still tells", () =>
      Effect.gen(function* () {
        const chain = yield* Anvil.AnvilChain
        const order = yield* filled
        const orderBookUrl = (yield* CowWorld).book.url
        const findBeside = (secondRpcUrl: string) => {
          const connection = Anvil.connectionTo(chain, { orderBookUrl, secondRpcUrl })
          const [{ find } = assert.fail("there is no venue")] = CowVenue.venuesOf([connection])
          return find(sought(order))
        }
        yield* chain.proxy.tamper(altering(without("eth_getTransactionByBlockHashAndIndex")))
        const found = yield* findBeside(chain.rpcUrl)
        const none = yield* findBeside(chain.proxy.rpcUrl)
        yield* chain.proxy.tamper()
        assert.deepInclude(found, { _tag: "filled" })
        assert.strictEqual(none._tag, "undecidable")
      })
    )

    it.effect("may be any sale whose transaction a node does not tell", () =>
      Effect.gen(function* () {
        const { proxy } = yield* Anvil.AnvilChain
        const order = yield* filled
        const { find } = yield* venue
        yield* proxy.tamper(altering(without("eth_getTransactionByBlockHashAndIndex")))
        const found = yield* Effect.ensuring(find(sought(order)), proxy.tamper())
        assert.strictEqual(found._tag, "undecidable")
      })
    )
  }
)
