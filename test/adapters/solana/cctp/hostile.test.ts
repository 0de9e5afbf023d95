/**
 * What goes wrong between a burn on an EVM chain and its mint on Solana: messages that lie, come twice or go elsewhere,
 * receivers that are frozen or not there, an issuer that pauses or runs short, and slots that are taken back.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { concat, keccak256 } from "viem/utils"
import * as Places from "../../../../adapters/solana/cctp/places.ts"
import * as Receive from "../../../../adapters/solana/cctp/receive.ts"
import { attesterKeys, localDomain } from "../../../../apps/sandbox/bridges/cctp-contracts.ts"
import { AddressKey } from "../../../../core/chains/address.ts"
import type { Journey } from "../../../../core/ports/bridge.ts"
import { deliveryOf } from "../../../../core/solana/delivery.ts"
import { cctpSolanaWorld } from "../../../support/cctp-solana-world.ts"
import { anOwner } from "../../../support/solana-world.ts"

type World = Effect.Success<typeof cctpSolanaWorld>

const test = (title: string, body: (world: World) => Effect.Effect<void, unknown>) =>
  it.live(title, () => Effect.scoped(Effect.flatMap(cctpSolanaWorld, body)), 60_000)

/** What a burn becomes, up to the message that is brought. */
const deliverable = Effect.fnUntraced(function* ({ bridge, depart, settle }: World, one: Journey) {
  const txId = yield* depart(one)
  yield* settle
  const standing = yield* bridge.status(one, txId)
  assert(standing._tag === "deliverable", standing._tag)
  const told = deliveryOf(standing.call as never) ?? assert.fail("it is no delivery")
  return { txId, call: standing.call, ...told }
})

/** The message with other bytes from a place on. */
const changed = (message: string, at: number, bytes: Uint8Array): string => {
  const all = Buffer.from(message.slice(2), "hex")
  all.set(bytes, at)
  return `0x${all.toString("hex")}`
}

const word = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const signatureHex = 130

/** What the attesters would sign, were they to attest a lie. */
const attested = (message: string) =>
  Effect.map(
    Effect.promise(() =>
      Promise.all(
        attesterKeys.map((key) =>
          privateKeyToAccount(key).sign({ hash: keccak256(message as `0x${string}`) })
        )
      )
    ),
    (signatures) => concat(signatures)
  )

test("forged messages, swapped signatures and another chain give out nothing, and a message once", (world) =>
  Effect.gen(function* () {
    const { journey, push, received, solana } = world
    const one = yield* journey()
    const { attestation, message } = yield* deliverable(world, one)
    const body = attestation.slice(2)
    const [before, custody] = [yield* received, yield* solana.cctp.custody]
    const double = Buffer.alloc(8)
    double.writeBigUInt64BE(one.units * 2n)
    const elsewhere = changed(message, 8, word(localDomain("local").number))
    const lies: ReadonlyArray<readonly [string, string, number]> = [
      [message, `0x${body.slice(signatureHex)}${body.slice(0, signatureHex)}`, 6026],
      [message, `0x${body.slice(0, signatureHex)}`, 6028],
      [message, `0x${body.slice(0, signatureHex)}${body.slice(0, signatureHex)}`, 6026],
      [message, `0x${body.slice(0, signatureHex)}${"11".repeat(64)}1d`, 6027],
      [message, `0x${body.slice(0, signatureHex)}${"11".repeat(64)}10`, 6029],
      [message, `0x${body.slice(0, signatureHex)}${"11".repeat(32)}${"ff".repeat(32)}1b`, 6030],
      [elsewhere, yield* attested(elsewhere), 6018]
    ]
    for (const [said, signed, code] of lies) {
      assert.strictEqual(yield* push(said, signed), code, `${code}`)
    }
    for (const said of [
      changed(message, 148 + 92, double),
      changed(message, 12, new Uint8Array(32).fill(7)),
      elsewhere
    ]) {
      assert.include([6026, 6027], yield* push(said, attestation))
    }
    assert.strictEqual(yield* received, before)
    assert.strictEqual(yield* solana.cctp.custody, custody)
    assert.isNull(yield* push(message, attestation))
    const once = (yield* received) - before
    assert.isAtLeast(Number(once), Number(one.minBuyUnits))
    assert.strictEqual(yield* push(message, attestation), 0, "its nonce is used")
    assert.strictEqual((yield* received) - before, once)
    assert.strictEqual(custody - (yield* solana.cctp.custody), one.units)
  }))

test("whoever brings it, it lands where the message says, and is found there", (world) =>
  Effect.gen(function* () {
    const { bridge, journey, push, received, settle } = world
    const one = yield* journey()
    const { attestation, message, txId } = yield* deliverable(world, one)
    const before = yield* received
    yield* push(message, attestation)
    const seen = yield* bridge.status(one, txId)
    assert(seen._tag === "delivered")
    assert.isFalse(seen.isFinal, "no final slot has it yet")
    yield* settle
    const done = yield* bridge.status(one, txId)
    assert(done._tag === "delivered" && done.isFinal)
    assert.strictEqual(done.units, (yield* received) - before)
  }))

test("a delivery fits into a transaction, with room for the account it opens", (world) =>
  Effect.gen(function* () {
    const { deliver, journey, node, within } = world
    const receiver = AddressKey.make(anOwner())
    const one = yield* journey({ receiver })
    const { call } = yield* deliverable(world, one)
    assert.isTrue(yield* deliver(call, receiver), "the account is opened with it")
    const [account] = yield* within(
      Effect.promise(() =>
        fetch(node.connection.rpcUrls[0], {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "getTokenAccountBalance",
            params: [
              Receive.read(deliveryOf(call as never) ?? assert.fail())?.recipient,
              { commitment: "processed" }
            ]
          })
        }).then(async (reply) => [(await reply.json()) as { readonly result?: unknown }])
      )
    )
    assert.isDefined(account?.result)
  }))

test("nothing is burnt while the destination is closed, and it says why", (world) =>
  Effect.gen(function* () {
    const { bridge, journey, receiver, solana } = world
    const one = yield* journey()
    const closedBy = (reason: RegExp) =>
      Effect.gen(function* () {
        const start = yield* bridge.start(one)
        assert(start._tag === "closed", start._tag)
        assert.match(start.reason, reason)
      })
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
    yield* solana.setFrozen(receiver, true)
    yield* solana.advance(2)
    yield* closedBy(/frozen the receiving wallet on local-solana/u)
    yield* solana.setFrozen(receiver, false)
    yield* solana.advance(2)
    yield* solana.cctp.setPaused(true)
    yield* closedBy(/paused transfers to local-solana/u)
    yield* solana.cctp.setPaused(false)
    const much = { ...one, units: (yield* solana.cctp.custody) + 1n }
    const short = yield* bridge.start(much)
    assert(short._tag === "closed")
    const away = yield* bridge.start({ ...one, receiver: AddressKey.make(anOwner()) })
    assert(away._tag === "closed")
    assert.match(away.reason, /no account for USDC/u)
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
  }))

test("a receiver that is frozen after the burn gets it once it is free", (world) =>
  Effect.gen(function* () {
    const { bridge, deliver, journey, received, receiver, solana } = world
    const one = yield* journey()
    const { call, txId } = yield* deliverable(world, one)
    const before = yield* received
    yield* solana.setFrozen(receiver, true)
    yield* solana.advance(2)
    assert.isFalse(yield* deliver(call))
    assert.strictEqual((yield* bridge.status(one, txId))._tag, "deliverable")
    yield* solana.setFrozen(receiver, false)
    yield* solana.advance(2)
    assert.isTrue(yield* deliver(call))
    assert.isAbove(Number(yield* received), Number(before))
  }))

test("an attestation that ran out is refused there, made anew and then taken", (world) =>
  Effect.gen(function* () {
    const { bridge, deliver, depart, faults, journey, received, settle, solana } = world
    faults.expiresAtBlock = 1_200n
    const one = yield* journey()
    const txId = yield* depart(one)
    const early = yield* bridge.status(one, txId)
    assert(early._tag === "deliverable", early._tag)
    yield* solana.advance(200)
    const before = yield* received
    assert.isFalse(yield* deliver(early.call))
    yield* settle
    assert.deepInclude(yield* bridge.status(one, txId), { _tag: "travelling" })
    const anew = yield* bridge.status(one, txId)
    assert(anew._tag === "deliverable", anew._tag)
    assert.isTrue(yield* deliver(anew.call))
    assert.isAbove(Number(yield* received), Number(before))
  }))

test("a fork that takes the mint away leaves it deliverable, and it is brought again once", (world) =>
  Effect.gen(function* () {
    const { bridge, journey, push, received, settle, solana } = world
    const one = yield* journey()
    const { attestation, message, txId } = yield* deliverable(world, one)
    const before = yield* received
    yield* push(message, attestation)
    yield* solana.fork(3, "all")
    yield* solana.advance(2)
    assert.strictEqual(yield* received, before)
    assert.strictEqual((yield* bridge.status(one, txId))._tag, "deliverable")
    yield* push(message, attestation)
    yield* settle
    const done = yield* bridge.status(one, txId)
    assert(done._tag === "delivered")
    assert.strictEqual((yield* received) - before, done.units)
  }))

test("the accounts of the issuer's programs are those that operators are told to put into the table", () =>
  Effect.sync(() => {
    const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
    assert.deepStrictEqual(
      [
        Places.fixed.transmitter,
        Places.fixed.receiverAuthority,
        Places.fixed.transmitterEvents,
        Places.fixed.messenger,
        Places.fixed.minter,
        Places.fixed.messengerEvents,
        Places.localTokenOf(usdc).address,
        Places.custodyOf(usdc).address
      ].map(String),
      [
        "W1k5ijkaSTo5iA5zChNpfzcy796fLhkBxfmJuR8W8HU",
        "DsAdX23SVpTPYhKP2ua1mx8gTPqLyzx7a43cyxYjS2up",
        "2PcXTomVAbX5Es1NUZUkxwuCm8tvV4NmRk3fmQWFCWoV",
        "AawthJCGRmggpfv9MMWV6Jmo9cue4gL9wUZgRBShg58W",
        "E1bQJ8eMMn3zmeSewW3HQ8zmJr7KR75JonbwAtWx2bux",
        "6TCCnJ9R1m1RXFzyoH7GYH2J6NJDtZaUvfipPuLWxHNd",
        "CRBBbuLCyrkQy4dCTHxqstSmDQv4ajBeUVb9qUdMVaP1",
        "6xTBTqJMBr5m7BKqVxmW2x11DfqUwtD3TJsqpxELx72L"
      ]
    )
  }))
