/** What left a wallet closes its day unless it is a payment, or a sale that the records call gone: one for one. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import { type AddressKey, keyOf, TransactionId } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import * as Usd from "../../../core/money/usd.ts"
import { Chains, ChainUnavailable } from "../../../core/ports/chains.ts"
import {
  HistoryMissing,
  NotFinal,
  TokenHistory,
  type TokenMovement
} from "../../../core/ports/token-history.ts"
import { Sales } from "../../../core/sales/sale-store.ts"
import type { MadePayment } from "../../../core/submissions/submitter.ts"
import { unknownDays } from "../../../core/treasury/close-days.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import * as Value from "../../support/chain-values.ts"
import { registries } from "../../support/registries.ts"
import * as Stored from "../../support/stored-rows.ts"

const usdc = Value.key(`0x${"a1".repeat(20)}`)
const stranger = Value.key(`0x${"cd".repeat(20)}`)
const solanaUsdc = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU" as AddressKey
const at = (time: string) => DateTime.makeUnsafe(`2030-01-02T${time}Z`)
const day = "2030-01-02"
const before = "2030-01-01"

const connectedTo = (id: string, token: AddressKey) => ({
  chain: Chain.find(id) as Chain.Chain,
  usdc: token,
  confirmations: 1,
  pollMs: 50
})

const chains = [connectedTo("local", usdc), connectedTo("local-solana", solanaUsdc)] as const

const world = Layer.mergeAll(Memory.layer(), registries, Layer.mock(Chains)({ connected: chains }))

/** Something that left the wallet, or came to it where the units say so. */
const movement = (wallet: Wallet, units: bigint, over: Partial<TokenMovement> = {}) => {
  const moved: TokenMovement = {
    txHash: TransactionId.make(`0x${"11".repeat(32)}`),
    logIndex: 0,
    blockNumber: 5,
    at: at("12:00:00"),
    owner: keyOf(wallet.chainId, wallet.address),
    token: usdc,
    units,
    counterparty: stranger,
    ...over
  }
  return moved
}

const payment = ({ owner, txHash, units }: TokenMovement): MadePayment => ({
  txId: txHash,
  from: owner,
  at: at("12:00:00"),
  identity: "a".repeat(64),
  paid: { to: stranger, amount: { token: { chainId: "local", address: usdc }, units: -units } }
})

interface Told {
  readonly movements?: ReadonlyArray<TokenMovement>
  readonly made?: ReadonlyArray<MadePayment>
  readonly begun?: DateTime.Utc
  /** These are among the tokens that are asked for. */
  readonly tokens?: ReadonlyArray<AddressKey>
}

const firstDay = (begun: DateTime.Utc) =>
  DateTime.startOf(DateTime.subtract(begun, { hours: 1 }), "day")

/** The days that a page of one wallet leaves unknown, by what its chain tells. */
const days = Effect.fnUntraced(function* (
  wallet: Wallet,
  { begun = at("12:30:00"), made = [], movements = [], tokens = [] }: Told
) {
  const connected = chains.find(({ chain }) => chain.id === wallet.chainId) ?? chains[0]
  const through = { number: 7, hash: "the block that ended the wait" }
  const read = { connected, page: [wallet], made, through, begun, fenced: begun }
  const history = Layer.mock(TokenHistory)({
    lastBefore: (_chainId, time) => {
      // The hour before the first day that counts is read as well.
      assert.isTrue(DateTime.Equivalence(time, DateTime.subtract(firstDay(begun), { hours: 1 })))
      return Effect.succeed({ number: 3, at: time })
    },
    movements: (_chainId, range, { owners, tokens: askedFor }) => {
      for (const each of tokens) assert.include(askedFor, each)
      assert.deepStrictEqual(range, { after: 3, through: 7 })
      assert.deepStrictEqual(owners, [wallet.address])
      return Stream.make({ throughBlock: 7, movements })
    }
  })
  const closed = yield* Effect.provide(unknownDays(read), history)
  for (const { accountId } of closed) assert.strictEqual(accountId, wallet.accountId)
  return closed.map((each) => each.day).toSorted()
})

const aWallet = Effect.fnUntraced(function* (over: Partial<Wallet> = {}) {
  return yield* Stored.wallet((yield* Stored.account()).id, { chainId: "local", ...over })
})

/** A sale of so many units of USDC that the wallet began today. */
const sold = Effect.fnUntraced(function* (
  wallet: Wallet,
  units: bigint,
  saleDay = day,
  openedAt = at("11:00:00"),
  address = usdc
) {
  const sales = yield* Sales
  const { accountId, chainId, id: walletId } = wallet
  const { id: proposalId } = yield* Stored.proposal({ accountId })
  const amount = { token: { chainId, address }, units }
  const sale = { proposalId, accountId, walletId, amount, worthMicro: Usd.make(1n), day: saleDay }
  yield* sales.open({ ...sale, openedAt }, Usd.make(10n))
  return { left: sales.settle(proposalId), released: sales.release(proposalId) }
})

layer(world)("what left a wallet", (it) => {
  it.effect("closes its day, and the one before where it may have begun in that", () =>
    Effect.gen(function* () {
      const wallet = yield* aWallet()
      assert.deepStrictEqual(yield* days(wallet, { movements: [movement(wallet, -5n)] }), [day])
      const late = movement(wallet, -5n, { at: at("00:20:00") })
      assert.deepStrictEqual(yield* days(wallet, { movements: [late] }), [before, day])
    })
  )

  it.effect("closes nothing where it is a payment, or where something came", () =>
    Effect.gen(function* () {
      const wallet = yield* aWallet()
      const gone = movement(wallet, -5n)
      assert.deepStrictEqual(yield* days(wallet, {}), [])
      assert.deepStrictEqual(yield* days(wallet, { movements: [movement(wallet, 5n)] }), [])
      const made = [payment(gone)]
      assert.deepStrictEqual(yield* days(wallet, { movements: [gone], made }), [])
      // Whoever hands a payment over may put something else into the same transaction.
      const both = [gone, { ...gone, logIndex: 1 }]
      assert.deepStrictEqual(yield* days(wallet, { movements: both, made }), [day])
      const other = [movement(wallet, -6n)]
      assert.deepStrictEqual(yield* days(wallet, { movements: other, made }), [day])
      const burn = [{ ...payment(gone), isBurn: true as const }]
      assert.deepStrictEqual(yield* days(wallet, { movements: [gone], made: burn }), [day])
    })
  )

  it.effect(
    "closes nothing where it is a sale that has left, which explains one and no other",
    () =>
      Effect.gen(function* () {
        const wallet = yield* aWallet()
        const movements = [movement(wallet, -5n)]
        const { left } = yield* sold(wallet, 5n)
        // It may be another one: this one is only begun.
        assert.deepStrictEqual(yield* days(wallet, { movements }), [day])
        yield* left
        assert.deepStrictEqual(yield* days(wallet, { movements }), [])
        const twice = [...movements, movement(wallet, -5n, { logIndex: 1 })]
        assert.deepStrictEqual(yield* days(wallet, { movements: twice }), [day])
        assert.deepStrictEqual(yield* days(wallet, { movements: [movement(wallet, -4n)] }), [day])
        const { released } = yield* sold(wallet, 4n)
        yield* released
        assert.deepStrictEqual(yield* days(wallet, { movements: [movement(wallet, -4n)] }), [day])
        const old = yield* sold(wallet, 3n, "2029-12-01")
        yield* old.left
        assert.deepStrictEqual(yield* days(wallet, { movements: [movement(wallet, -3n)] }), [day])
      })
  )

  it.effect("after midnight closes nothing where it is a sale that counts in the day before", () =>
    Effect.gen(function* () {
      const eve = (time: string) => DateTime.makeUnsafe(`2030-01-01T${time}Z`)
      const gone = (units: bigint, when: DateTime.Utc, over: Partial<TokenMovement> = {}) =>
        movement(wallet, -units, { at: when, ...over })
      const wallet = yield* aWallet()
      const { left } = yield* sold(wallet, 5n, before, eve("23:50:00"))
      const movements = [gone(5n, at("00:03:00"))]
      // It is only begun, and what it opened may have been another one.
      assert.deepStrictEqual(yield* days(wallet, { movements }), [before, day])
      yield* left
      assert.deepStrictEqual(yield* days(wallet, { movements }), [])
      const twice = [...movements, gone(5n, at("00:30:00"), { logIndex: 1 })]
      assert.deepStrictEqual(yield* days(wallet, { movements: twice }), [before, day])
      // What left before midnight was that sale, in whatever order it is told.
      const earlier = gone(5n, eve("23:55:00"), { logIndex: 1 })
      assert.deepStrictEqual(yield* days(wallet, { movements: [earlier] }), [])
      const both = [...movements, earlier]
      assert.deepStrictEqual(yield* days(wallet, { movements: both }), [before, day])
      // It has left within the hour, so nothing later is it.
      const late = [gone(5n, at("00:50:01"))]
      assert.deepStrictEqual(yield* days(wallet, { movements: late }), [before, day])
      // What left in the hour before takes no sale of the day, and closes nothing by itself.
      yield* (yield* sold(wallet, 4n)).left
      const four = [gone(4n, eve("23:30:00")), gone(4n, at("11:01:00"))]
      assert.deepStrictEqual(yield* days(wallet, { movements: four }), [])
      // One that began so early had left before anything that is read.
      yield* (yield* sold(wallet, 3n, before, eve("21:59:00"))).left
      const three = [gone(3n, eve("22:30:00")), gone(3n, at("00:10:00"))]
      assert.deepStrictEqual(yield* days(wallet, { movements: three }), [before, day])
    })
  )

  it.effect("before midnight takes its own sale, and leaves it to nothing forgotten", () =>
    Effect.gen(function* () {
      const eve = (time: string) => DateTime.makeUnsafe(`2030-01-01T${time}Z`)
      const wallet = yield* aWallet()
      // It left at 22:45, before anything that is read.
      yield* (yield* sold(wallet, 5n, before, eve("22:30:00"))).left
      yield* (yield* sold(wallet, 5n, before, eve("23:10:00"))).left
      const own = movement(wallet, -5n, { at: eve("23:20:00") })
      assert.deepStrictEqual(yield* days(wallet, { movements: [own] }), [])
      const lost = movement(wallet, -5n, { at: at("00:05:00"), logIndex: 1 })
      assert.deepStrictEqual(yield* days(wallet, { movements: [own, lost] }), [before, day])
      // A block's time may lie a little before the clock by which its sale began.
      const early = movement(wallet, -5n, { at: eve("23:09:30") })
      assert.deepStrictEqual(yield* days(wallet, { movements: [early, lost] }), [before, day])
      // What its sale took out after midnight is explained still.
      yield* (yield* sold(wallet, 5n, before, eve("23:40:00"))).left
      assert.deepStrictEqual(yield* days(wallet, { movements: [own, lost] }), [])
    })
  )

  it.effect("is read of tokens too that the account has sold and the list names no longer", () =>
    Effect.gen(function* () {
      const wallet = yield* aWallet()
      const unlisted = Value.key(`0x${"77".repeat(20)}`)
      const earlier = DateTime.makeUnsafe("2029-12-10T12:00:00Z")
      yield* (yield* sold(wallet, 5n, "2029-12-10", earlier, unlisted)).left
      const movements = [movement(wallet, -5n, { token: unlisted })]
      assert.deepStrictEqual(yield* days(wallet, { movements, tokens: [unlisted] }), [day])
    })
  )

  it.effect("is not read any more once its days are over, and what may be left of them ends", () =>
    Effect.gen(function* () {
      const wallet = yield* aWallet()
      const movements = [movement(wallet, -5n)]
      yield* TestClock.setTime(Date.parse("2030-01-04T12:29:59Z"))
      assert.deepStrictEqual(yield* days(wallet, { movements }), [day])
      yield* TestClock.setTime(Date.parse("2030-01-04T12:30:01Z"))
      const read = {
        connected: chains[0],
        page: [wallet],
        made: [],
        through: { number: 7, hash: "" },
        begun: at("12:30:00"),
        fenced: at("12:30:00")
      }
      const unasked = Layer.mock(TokenHistory)({})
      const closed = Effect.provide(unknownDays(read), unasked)
      assert.isEmpty(yield* closed, "nothing of those days may begin any more")
      const { accountId } = wallet
      const other = yield* aWallet({ accountId, chainId: "local-2" })
      yield* sold(other, 6n, "2030-01-03")
      yield* (yield* sold(other, 7n)).left
      assert.isEmpty(yield* closed)
      // It was confirmed on the day of the fence and may not have begun, on whatever chain that is.
      const { left } = yield* sold(wallet, 5n)
      assert.deepStrictEqual(yield* closed, [{ accountId, day }])
      yield* left
      assert.isEmpty(yield* closed)
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("is asked of wallets that trade alone", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault({ chainId: "local" })
      assert.deepStrictEqual(yield* days(vault, { movements: [movement(vault, -5n)] }), [])
    })
  )

  it.effect("and cannot be told closes the days of the begin and of the fence", () =>
    Effect.gen(function* () {
      const wallet = yield* aWallet()
      const read = {
        connected: chains[0],
        page: [wallet],
        made: [],
        through: { number: 7, hash: "" },
        begun: at("12:30:00"),
        fenced: DateTime.makeUnsafe("2030-01-03T04:00:00Z")
      }
      const forgetful = Layer.mock(TokenHistory)({
        lastBefore: (chainId) =>
          Effect.fail(new HistoryMissing({ chainId, blockNumber: 3, detail: "pruned" }))
      })
      for (const closed of [
        yield* Effect.provide(unknownDays(read), forgetful),
        yield* unknownDays(read)
      ]) {
        const { accountId } = wallet
        assert.deepStrictEqual(closed, [
          { accountId, day },
          { accountId, day: "2030-01-03" }
        ])
      }
    })
  )

  it.effect("and is not told yet is asked for again", () =>
    Effect.gen(function* () {
      const wallet = yield* aWallet()
      const begun = at("12:30:00")
      const through = { number: 7, hash: "" }
      const read = { connected: chains[0], page: [wallet], made: [], through, begun, fenced: begun }
      for (const lastBefore of [
        (chainId: string) => Effect.fail(new NotFinal({ chainId, finalAt: at("00:00:00") })),
        (chainId: string) =>
          Effect.fail(new ChainUnavailable({ chainId, reason: "unreachable", detail: "busy" }))
      ]) {
        const late = Layer.mock(TokenHistory)({ lastBefore })
        const failed = yield* Effect.flip(Effect.provide(unknownDays(read), late))
        assert.strictEqual(failed._tag, "ChainUnavailable")
      }
    })
  )

  it.effect(
    "by marks of its own is told by them, and closes its day when the records lack it",
    () =>
      Effect.gen(function* () {
        const wallet = yield* aWallet({
          chainId: "local-solana",
          address: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin" as Wallet["address"]
        })
        const amount = { token: { chainId: wallet.chainId, address: solanaUsdc }, units: 5n }
        const made: MadePayment = {
          txId: TransactionId.make("a signature"),
          from: keyOf(wallet.chainId, wallet.address),
          at: at("12:00:00"),
          identity: "a".repeat(56),
          paid: { to: stranger, amount }
        }
        assert.deepStrictEqual(yield* days(wallet, { made: [made] }), [])
        for (const trade of [
          { ...made, isBurn: true as const },
          { ...made, bought: amount },
          { ...made, paid: null }
        ]) {
          assert.deepStrictEqual(yield* days(wallet, { made: [trade] }), [day])
        }
      })
  )
})
