/**
 * What goes wrong between a burn and its mint, on two real chains with Circle's own token: attestations that lie, run
 * out or come twice, and a token that is paused or frozen before or between.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import type { Hex } from "viem"
import { decodeFunctionData, encodeFunctionData, parseAbi, slice } from "viem/utils"
import { abi } from "../../../../adapters/evm/cctp/contracts.ts"
import { address } from "../../../../adapters/evm/contract.ts"
import * as UsdcCode from "../../../../adapters/evm/usdc-code.ts"
import { stores } from "../../../../adapters/memory/memory.ts"
import { MemoryStore } from "../../../../adapters/memory/store.ts"
import { domainOf } from "../../../../core/chains/cctp.ts"
import type { Journey } from "../../../../core/ports/bridge.ts"
import { Chains } from "../../../../core/ports/chains.ts"
import * as Port from "../../../../core/ports/usdc-code.ts"
import { acknowledge } from "../../../../core/tokens/usdc-stop.ts"
import { lookOver } from "../../../../core/tokens/watch-usdc.ts"
import { cctpWorld } from "../../../support/cctp-world.ts"
import { upgrade } from "../../../support/upgraded-usdc.ts"

const issuers = parseAbi([
  "function pause()",
  "function unpause()",
  "function blacklist(address account)",
  "function unBlacklist(address account)",
  "function setMinFee(uint256 fee)",
  "function setDenylisted(address account, bool isDenied)",
  "function setPaused(bool isPaused)"
])

type World = Effect.Success<typeof cctpWorld>
type Said = Parameters<typeof encodeFunctionData<typeof issuers>>[0]

const encoded = (call: Omit<Said, "abi">): Hex =>
  encodeFunctionData({ abi: issuers, ...call } as Said)

const test = (title: string, body: (world: World) => Effect.Effect<void, unknown>) =>
  it.live(title, () => Effect.scoped(Effect.flatMap(cctpWorld, body)), 60_000)

const contract = (chainId: string) => {
  const domain = domainOf(chainId)
  if (domain === undefined) throw new Error(`${chainId} has no domain.`)
  return domain
}

/** What a burn becomes, up to the call that brings it there. */
const deliverable = Effect.fnUntraced(function* ({ bridge, depart, settle }: World, one: Journey) {
  const txId = yield* depart(one)
  yield* settle
  const standing = yield* bridge.status(one, txId)
  assert(standing._tag === "deliverable", standing._tag)
  return { txId, call: standing.call as unknown as { readonly to: string; readonly data: Hex } }
})

const messageIn = (data: Hex) => {
  const { args } = decodeFunctionData({ abi, data })
  const [message, attestation] = args as readonly [Hex, Hex]
  return { message, attestation }
}

const receiving = (message: Hex, attestation: Hex) =>
  encodeFunctionData({ abi, functionName: "receiveMessage", args: [message, attestation] })

test("a forged amount is refused: an attestation of it is none of the burn, and is told as such", (world) =>
  Effect.gen(function* () {
    const { bridge, depart, faults, journey, settle } = world
    const one = yield* journey()
    faults.forgedAmount = one.units * 1000n
    const txId = yield* depart(one)
    yield* settle
    const refused = yield* Effect.flip(bridge.status(one, txId))
    assert.strictEqual(refused._tag, "BridgeContradicted")
  }))

test("a swapped signature, a forged amount, a wrong domain and a second delivery are refused by the destination", (world) =>
  Effect.gen(function* () {
    const { journey, one: source, other, received } = world
    const one = yield* journey()
    const { call } = yield* deliverable(world, one)
    const { attestation, message } = messageIn(call.data)
    const swapped = `0x${attestation.slice(132)}${attestation.slice(2, 132)}` as const
    const doubled = message.replace(
      one.units.toString(16).padStart(64, "0"),
      (one.units * 2n).toString(16).padStart(64, "0")
    ) as Hex
    const brings = (data: Hex) =>
      Effect.map(other.send(other.stranger, call.to, data), ({ isDone }) => isDone)
    assert.isFalse(yield* brings(receiving(message, swapped)))
    assert.isFalse(yield* brings(receiving(doubled, attestation)))
    assert.isFalse(yield* brings(receiving(message, slice(attestation, 0, 65))))
    const elsewhere = yield* source.send(source.stranger, call.to, call.data)
    assert.isFalse(elsewhere.isDone)
    assert.strictEqual(yield* received, 0n)
    assert.isTrue(yield* brings(call.data))
    assert.isFalse(yield* brings(call.data))
    assert.isAtLeast(Number(yield* received), Number(one.minBuyUnits))
  }))

test("money is on one of the two chains or on its way, and never twice", (world) =>
  Effect.gen(function* () {
    const { deliver, journey, one: source, other } = world
    const supply = Effect.zipWith(source.supply, other.supply, (here, there) => here + there)
    const before = yield* supply
    const one = yield* journey()
    const { call } = yield* deliverable(world, one)
    assert.strictEqual(yield* supply, before - one.units)
    assert.isTrue(yield* deliver(call))
    assert.strictEqual(yield* supply, before)
  }))

test("an attestation that ran out is made anew and then taken", (world) =>
  Effect.gen(function* () {
    const { bridge, deliver, depart, faults, journey, other, settle } = world
    faults.expiresAtBlock = BigInt(String(yield* other.anvil.call("eth_blockNumber"))) + 3n
    const one = yield* journey()
    const txId = yield* depart(one)
    yield* settle
    const standing = yield* bridge.status(one, txId)
    assert.deepInclude(standing, { _tag: "travelling" })
    const anew = yield* bridge.status(one, txId)
    assert(anew._tag === "deliverable", anew._tag)
    assert.isTrue(yield* deliver(anew.call))
  }))

test("a fee too low for a fast transfer is said, and the burn goes on at the usual pace for nothing", (world) =>
  Effect.gen(function* () {
    const { asked, bridge, depart, journey, one: source, received, deliver, settle } = world
    const minBuyUnits = asked.units - 1n
    const one = yield* journey({ minBuyUnits, terms: { minFinality: 1000 } })
    const txId = yield* depart(one)
    const waiting = yield* bridge.status(one, txId)
    assert(waiting._tag === "travelling")
    assert.match(waiting.reason ?? "", /fee is too low/u)
    yield* settle
    const standing = yield* bridge.status(one, txId)
    assert(standing._tag === "deliverable")
    assert.isTrue(yield* deliver(standing.call))
    assert.strictEqual(yield* received, one.units)
    assert.strictEqual(yield* source.balance(one.receiver), 0n)
  }))

test("nothing is burnt while an end is closed, and each end says why", (world) =>
  Effect.gen(function* () {
    const { asked, bridge, journey, one: source, other } = world
    const one = yield* journey({ minBuyUnits: asked.units, terms: { minFinality: 2000 } })
    const [here, there] = [contract(source.chainId), contract(other.chainId)]
    const [sender, receiver] = [address(one.sender), address(one.receiver)]
    type Closing = readonly [World["one"], string, Omit<Said, "abi">, Omit<Said, "abi">, RegExp]
    const table: ReadonlyArray<Closing> = [
      [
        source,
        source.usdc,
        { functionName: "pause" },
        { functionName: "unpause" },
        /USDC is paused on local\./u
      ],
      [
        other,
        other.usdc,
        { functionName: "pause" },
        { functionName: "unpause" },
        /USDC is paused on local-2/u
      ],
      [
        source,
        source.usdc,
        { functionName: "blacklist", args: [sender] },
        { functionName: "unBlacklist", args: [sender] },
        /frozen the sending wallet/u
      ],
      [
        other,
        other.usdc,
        { functionName: "blacklist", args: [receiver] },
        { functionName: "unBlacklist", args: [receiver] },
        /frozen the receiving wallet/u
      ],
      [
        source,
        here.tokenMessenger,
        { functionName: "setDenylisted", args: [sender, true] },
        { functionName: "setDenylisted", args: [sender, false] },
        /burn nothing/u
      ],
      [
        source,
        here.tokenMessenger,
        { functionName: "setMinFee", args: [1300n] },
        { functionName: "setMinFee", args: [0n] },
        /higher fee/u
      ],
      [
        other,
        there.messageTransmitter,
        { functionName: "setPaused", args: [true] },
        { functionName: "setPaused", args: [false] },
        /paused transfers to local-2/u
      ]
    ]
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
    for (const [chain, to, closes, opens, said] of table) {
      assert.isTrue((yield* chain.send(chain.issuer, to, encoded(closes))).isDone, String(said))
      const closed = yield* bridge.start(one)
      assert(closed._tag === "closed", `${said} ${closed._tag}`)
      assert.match(closed.reason, said)
      assert.isTrue((yield* chain.send(chain.issuer, to, encoded(opens))).isDone)
      assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
    }
  }))

/** What is closed between burn and mint, and opened again. */
const between = (
  title: string,
  closing: (
    world: World,
    one: Journey
  ) => readonly [World["one"], Omit<Said, "abi">, Omit<Said, "abi">],
  isRefused: boolean
) =>
  test(title, (world) =>
    Effect.gen(function* () {
      const { bridge, deliver, journey, received } = world
      const one = yield* journey()
      const { call, txId } = yield* deliverable(world, one)
      const [chain, closes, opens] = closing(world, one)
      assert.isTrue((yield* chain.send(chain.issuer, chain.usdc, encoded(closes))).isDone)
      assert.strictEqual((yield* bridge.status(one, txId))._tag, "deliverable")
      assert.strictEqual(yield* deliver(call), !isRefused)
      assert.isTrue((yield* chain.send(chain.issuer, chain.usdc, encoded(opens))).isDone)
      if (isRefused) assert.isTrue(yield* deliver(call))
      assert.isAtLeast(Number(yield* received), Number(one.minBuyUnits))
    })
  )

between(
  "what was burnt before USDC was paused at its destination arrives once it is not",
  ({ other }) => [other, { functionName: "pause" }, { functionName: "unpause" }],
  true
)

between(
  "what was burnt arrives though USDC was paused where it came from",
  ({ one }) => [one, { functionName: "pause" }, { functionName: "unpause" }],
  false
)

between(
  "what was burnt arrives though its sender was frozen afterwards",
  ({ one }, { sender }) => [
    one,
    { functionName: "blacklist", args: [address(sender)] },
    { functionName: "unBlacklist", args: [address(sender)] }
  ],
  false
)

test("a token that was upgraded at both ends before the burn is burnt and minted by what it is now", (world) =>
  Effect.gen(function* () {
    const { bridge, deliver, journey, one: source, other, received } = world
    const one = yield* journey()
    for (const { anvil, usdc } of [source, other]) yield* upgrade(anvil, usdc)
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
    const before = yield* source.balance(one.sender)
    const { call } = yield* deliverable(world, one)
    assert.isTrue(yield* deliver(call))
    assert.strictEqual(yield* source.balance(one.sender), before - one.units)
    assert.isAtLeast(Number(yield* received), Number(one.minBuyUnits))
  }))

test("a token that was upgraded between burn and mint is minted once, by what it is now", (world) =>
  Effect.gen(function* () {
    const { bridge, deliver, journey, one: source, other, received, settle } = world
    const one = yield* journey()
    const { call, txId } = yield* deliverable(world, one)
    const supply = Effect.zipWith(source.supply, other.supply, (here, there) => here + there)
    const before = yield* supply
    for (const { anvil, usdc } of [source, other]) yield* upgrade(anvil, usdc)
    assert.strictEqual((yield* bridge.status(one, txId))._tag, "deliverable")
    assert.isTrue(yield* deliver(call))
    assert.isFalse(yield* deliver(call))
    yield* settle
    const there = yield* bridge.status(one, txId)
    assert(there._tag === "delivered", there._tag)
    assert.strictEqual(there.units, yield* received)
    // What is minted is all of it: the fee goes to whoever attests.
    assert.strictEqual(yield* supply, before + one.units)
  }))

test("another contract behind USDC is told to the operator, once and by its address, until they accept it", (world) =>
  Effect.gen(function* () {
    const { one: source, other } = world
    const codes = UsdcCode.make([source.connection, other.connection])
    const connected = [source, other].map(({ connection }) => connection)
    const look = Effect.gen(function* () {
      const lines: Array<string> = []
      const hearing = Logger.make(({ message }) => void lines.push(String(message)))
      yield* lookOver.pipe(
        Effect.provideService(Port.UsdcCode, codes),
        Effect.provideService(Chains, { connected } as never),
        Effect.provide(Logger.layer([hearing]))
      )
      return lines
    })
    assert.isEmpty(yield* look)
    const before = yield* codes.implementation(source.chainId)
    const implementation = yield* upgrade(source.anvil, source.usdc)
    const [line, ...more] = yield* look
    assert.isEmpty(more)
    assert.match(line ?? "", /^USDC_IMPLEMENTATION_CHANGED: .* on local was /u)
    assert.include(line ?? "", `was ${before} and is ${implementation}`)
    assert.isEmpty(yield* look)
    const { accepted, seen } = yield* acknowledge(source.chainId)
    assert.deepStrictEqual([accepted, seen], [before, implementation])
    assert.isEmpty(yield* look)
    assert.strictEqual((yield* acknowledge(source.chainId)).accepted, implementation)
  }).pipe(Effect.provide(Layer.provide(stores, MemoryStore.layer))))

test("a receiver that is frozen after the burn gets it once it is free", (world) =>
  Effect.gen(function* () {
    const { bridge, deliver, journey, other, received } = world
    const one = yield* journey()
    const { call, txId } = yield* deliverable(world, one)
    const [freezes, frees] = (["blacklist", "unBlacklist"] as const).map((functionName) =>
      encoded({ functionName, args: [address(one.receiver)] })
    ) as [Hex, Hex]
    assert.isTrue((yield* other.send(other.issuer, other.usdc, freezes)).isDone)
    assert.isFalse(yield* deliver(call))
    assert.strictEqual((yield* bridge.status(one, txId))._tag, "deliverable")
    assert.isTrue((yield* other.send(other.issuer, other.usdc, frees)).isDone)
    assert.isTrue(yield* deliver(call))
    assert.isAbove(Number(yield* received), 0)
  }))

test("the quote has room for the least fee the chain asks for", (world) =>
  Effect.gen(function* () {
    const { asked, bridge, one: source } = world
    const { tokenMessenger } = contract(source.chainId)
    yield* source.send(
      source.issuer,
      tokenMessenger,
      encoded({ functionName: "setMinFee", args: [10_000n] })
    )
    for (const offer of yield* bridge.quote(asked)) {
      assert.strictEqual(asked.units - offer.minBuyUnits, asked.units / 1000n)
    }
  }))

test("a reorganisation that takes the burn away leaves nothing of it, and it may depart again", (world) =>
  Effect.gen(function* () {
    const { bridge, depart, journey, one: source } = world
    const one = yield* journey()
    const txId = yield* depart(one)
    yield* source.anvil.call("anvil_reorg", 2, [])
    assert.strictEqual((yield* bridge.status(one, txId))._tag, "absent")
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
  }))

test("two burns that somebody brings in one transaction are told apart by what each brought", (world) =>
  Effect.gen(function* () {
    const { bridge, journey, other, received, settle } = world
    const one = yield* journey()
    const another = yield* journey({ units: one.units / 2n, minBuyUnits: one.minBuyUnits / 2n })
    const [first, second] = [yield* deliverable(world, one), yield* deliverable(world, another)]
    assert.isTrue(yield* other.sendTogether(other.stranger, [first.call, second.call]))
    yield* settle
    const [here, there] = [
      yield* bridge.status(one, first.txId),
      yield* bridge.status(another, second.txId)
    ]
    assert(here._tag === "delivered" && there._tag === "delivered")
    assert.strictEqual(here.txId, there.txId)
    assert.isAtLeast(Number(here.units), Number(one.minBuyUnits))
    assert.isAtMost(Number(here.units), Number(one.units))
    assert.isAtMost(Number(there.units), Number(another.units))
    assert.strictEqual(here.units + there.units, yield* received)
  }))
