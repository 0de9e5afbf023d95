/**
 * A burn on Solana: its mark lets it happen once, the bytes that are signed are judged one by one, and what its message
 * says is what the program kept of it.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Transaction from "../../../../adapters/solana/cctp/burn.ts"
import * as Check from "../../../../adapters/solana/cctp/burn-check.ts"
import { endOf } from "../../../../adapters/solana/cctp/end.ts"
import * as Places from "../../../../adapters/solana/cctp/places.ts"
import * as Mark from "../../../../adapters/solana/mark.ts"
import * as Network from "../../../../adapters/solana/network.ts"
import { localDomain } from "../../../../apps/sandbox/bridges/cctp-contracts.ts"
import { AddressKey } from "../../../../core/chains/address.ts"
import { burnOf, callOf } from "../../../../core/solana/burn.ts"
import { cctpFromSolanaWorld } from "../../../support/cctp-from-solana-world.ts"
import { connectionTo } from "../../../support/solana-world.ts"

type World = Effect.Success<typeof cctpFromSolanaWorld>

const test = (title: string, body: (world: World) => Effect.Effect<void, unknown>) =>
  it.live(title, () => Effect.scoped(Effect.flatMap(cctpFromSolanaWorld, body)), 60_000)

test("two transactions of one burn burn once, whichever comes first", (world) =>
  Effect.gen(function* () {
    const { held, journey, node, signed, solana, tried } = world
    const one = yield* journey()
    const before = yield* held
    const first = yield* signed(one)
    const second = yield* signed(one, 7n)
    assert.notStrictEqual(first.txId, second.txId)
    yield* Network.broadcast(node, first.wire)
    yield* solana.advance(1)
    yield* Network.broadcast(node, second.wire)
    yield* solana.advance(2)
    const third = yield* signed(one)
    yield* Network.broadcast(node, third.wire)
    yield* solana.advance(2)
    assert.strictEqual(before - (yield* held), one.units)
    assert.strictEqual((yield* tried(one))._tag, "marked")
  }))

test("the message that is held against the attesters' is the one that the program kept", (world) =>
  Effect.gen(function* () {
    const { bridge, depart, journey, solana } = world
    const one = yield* journey()
    const txId = yield* depart(one)
    const kept = yield* solana.cctp.sent(txId)
    const end = endOf(
      connectionTo(solana, { cctpTable: world.node.connection.cctpTable ?? "" }),
      localDomain("local-solana")
    )
    const { call } = bridge.departure(one)
    const told = (call as { readonly burn: { readonly recipient: string } }).burn
    const burn = {
      journey: one,
      domain: localDomain("local").number,
      recipient: told.recipient,
      maxFeeUnits: one.units - one.minBuyUnits,
      minFinality: 1000
    }
    const sent = yield* end.burning?.sent(burn, txId) ?? Effect.undefined
    assert.strictEqual(sent?.message, Places.hexOf(kept?.message ?? new Uint8Array()))
    const other = { ...burn, journey: { ...one, units: one.units + 1n } }
    assert.isUndefined(yield* end.burning?.sent(other, txId) ?? Effect.undefined)
  }))

test("a burn that cannot be is refused with its reason, and nothing leaves", (world) =>
  Effect.gen(function* () {
    const { bridge, held, journey, sender, solana, tried } = world
    const one = yield* journey()
    const before = yield* held
    const much = { ...one, units: before + 1n, minBuyUnits: before - 1_000_000n }
    assert.deepInclude(yield* tried(much), {
      _tag: "would_fail",
      reason: "The wallet holds too little USDC."
    })
    yield* solana.setFrozen(sender, true)
    yield* solana.advance(2)
    const frozen = yield* bridge.start(one)
    assert(frozen._tag === "closed")
    assert.match(frozen.reason, /frozen the sending wallet on local-solana/u)
    assert.match(JSON.stringify(yield* tried(one)), /frozen the account of the wallet/u)
    yield* solana.setFrozen(sender, false)
    yield* solana.advance(2)
    yield* solana.cctp.setPaused(true)
    const paused = yield* bridge.start(one)
    assert(paused._tag === "closed")
    assert.match(paused.reason, /paused transfers from local-solana/u)
    assert.match(JSON.stringify(yield* tried(one)), /paused what leaves/u)
    yield* solana.cctp.setPaused(false)
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
    assert.strictEqual(yield* held, before)
  }))

test("a fork that takes the burn away leaves nothing of it, and it may depart again", (world) =>
  Effect.gen(function* () {
    const { bridge, depart, held, journey, solana } = world
    const one = yield* journey()
    const before = yield* held
    const txId = yield* depart(one)
    assert.strictEqual(before - (yield* held), one.units)
    yield* solana.fork(3, "all")
    yield* solana.advance(2)
    assert.strictEqual(yield* held, before)
    assert.strictEqual((yield* bridge.status(one, txId))._tag, "absent")
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
  }))

const blockhash = "4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn"
const key = (digit: number) => AddressKey.make(Places.messengerProgram.replace("M", `${digit}`))

it.effect("bytes that are not exactly the burn are signed by no key", () =>
  Effect.gen(function* () {
    const identity = "5a".repeat(32)
    const mint = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
    const from = AddressKey.make("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
    const call = callOf({
      domain: 0,
      recipient: `0x${"00".repeat(12)}${"b2".repeat(20)}`,
      maxFeeUnits: 10n,
      minFinality: 1000,
      units: 5_000_000n,
      identity
    })
    const terms = {
      act: "call" as const,
      from,
      to: AddressKey.make(Places.messengerProgram),
      amount: { token: { chainId: "solana", address: AddressKey.make(mint) }, units: 5_000_000n },
      identity,
      call
    }
    const burn = burnOf("solana", terms) ?? assert.fail("it is no burn")
    assert.isUndefined(burnOf("solana", { ...terms, identity: "5b".repeat(32) }))
    const amount = { ...terms.amount, units: 5_000_001n }
    assert.isUndefined(burnOf("solana", { ...terms, amount }))
    const draft: Transaction.Draft = {
      burn,
      mark: yield* Mark.addressOf(burn),
      event: (yield* Transaction.eventKey(burn, blockhash)).address,
      mint,
      relayer: "W1k5ijkaSTo5iA5zChNpfzcy796fLhkBxfmJuR8W8HU",
      bid: { units: 100_000, priority: 1n, opensAccount: false },
      conditions: { blockhash, lastValidBlockHeight: 9n, markLamports: 1_447_680n }
    }
    const bytesOf = (each: Transaction.Draft) =>
      Uint8Array.from(Transaction.compile(each, new Map()).messageBytes)
    const judge = (each: Transaction.Draft) => Check.violation(bytesOf(each), draft, new Map())
    assert.isUndefined(judge(draft))
    const others: ReadonlyArray<readonly [Partial<Transaction.Draft>, RegExp]> = [
      [{ burn: { ...burn, amount } }, /none that follows/u],
      [{ burn: { ...burn, recipient: `0x${"11".repeat(32)}` } }, /none that follows/u],
      [{ burn: { ...burn, domain: 3 } }, /none that follows/u],
      [{ burn: { ...burn, maxFeeUnits: 11n } }, /none that follows/u],
      [{ burn: { ...burn, minFinality: 500 } }, /none that follows/u],
      [{ burn: { ...burn, identity: "5b".repeat(32) } }, /none that follows/u],
      [{ bid: { ...draft.bid, priority: 2n } }, /none that follows/u],
      [{ relayer: "E1bQJ8eMMn3zmeSewW3HQ8zmJr7KR75JonbwAtWx2bux" }, /would pay the fee/u],
      [{ burn: { ...burn, from: key(2) } }, /would sign/u],
      [
        { conditions: { ...draft.conditions, blockhash: "11111111111111111111111111111112" } },
        /another block/u
      ]
    ]
    for (const [over, violation] of others) {
      assert.match(judge({ ...draft, ...over }) ?? "", violation, JSON.stringify(Object.keys(over)))
    }
  })
)
