/** A burn is told by the issuer's contract, under the topic of burns, and by no other log. */
import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "viem"
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  parseAbi,
  toEventSelector
} from "viem/utils"
import { burntIn, bytes32, departureOf, hookOf } from "../../../../adapters/evm/cctp/burn.ts"
import { abi as issuer } from "../../../../adapters/evm/cctp/contracts.ts"
import { address, keyOf } from "../../../../adapters/evm/contract.ts"
import { type Domain, domainOf } from "../../../../core/chains/cctp.ts"
import type { Burn } from "../../../../core/ports/cctp-ends.ts"

const from = domainOf("base") as Domain
const sender = keyOf(`0x${"a1".repeat(20)}`)
const receiver = keyOf(`0x${"b2".repeat(20)}`)
const token = keyOf(`0x${"05".repeat(20)}`)
const identity = "cd".repeat(32)

const burn: Burn = {
  journey: {
    identity,
    from: { chainId: "base", token },
    sender,
    to: { chainId: "arbitrum", token },
    receiver,
    units: 5_000_000n,
    minBuyUnits: 5_000_000n,
    terms: {}
  },
  domain: 3,
  recipient: bytes32(receiver),
  maxFeeUnits: 0n,
  minFinality: 2000
}

const abi = parseAbi([
  "event DepositForBurn(address indexed burnToken, uint256 amount, address indexed depositor, bytes32 mintRecipient, uint32 destinationDomain, bytes32 destinationTokenMessenger, bytes32 destinationCaller, uint256 maxFee, uint32 indexed minFinalityThreshold, bytes hookData)"
])

const topics = encodeEventTopics({
  abi,
  eventName: "DepositForBurn",
  args: { burnToken: address(token), depositor: address(sender), minFinalityThreshold: 2000 }
}) as [Hex, ...Array<Hex>]

const zero = `0x${"00".repeat(32)}` as const
const data = encodeAbiParameters(
  abi[0].inputs.filter((input) => !("indexed" in input)),
  [5_000_000n, bytes32(receiver), 3, zero, zero, 0n, `0x${identity}`] as never
)

const log = {
  address: from.tokenMessenger,
  blockNumber: "0x10",
  transactionHash: `0x${"11".repeat(32)}`,
  removed: false,
  topics,
  data
}

const under = (event: string) => [toEventSelector(event), ...topics.slice(1)]
const said = encodeAbiParameters([{ type: "bytes" }], [`0x${identity}`])

describe("a burn", () => {
  it("is told by a log of its own event and contract", () => {
    assert.deepInclude(burntIn(log, burn, from), { isSame: true, blockNumber: 16 })
  })

  const others: Readonly<Record<string, Record<string, unknown>>> = {
    "another contract": { address: from.messageTransmitter },
    "a block that is gone": { removed: true },
    "another event with the same fields": {
      topics: under(
        "DepositForLater(address,uint256,address,bytes32,uint32,bytes32,bytes32,uint256,uint32,bytes)"
      )
    },
    "a message that was sent": { topics: [toEventSelector("MessageSent(bytes)")], data: said },
    "a message that was received": {
      topics: under("MessageReceived(address,uint32,bytes32,bytes32,uint32,bytes)")
    },
    "no event at all": { topics: [] },
    "bytes that are no burn": { data: "0x1234" }
  }
  for (const [which, over] of Object.entries(others)) {
    it(`is not told by a log of ${which}`, () => {
      assert.isUndefined(burntIn({ ...log, ...over }, burn, from))
    })
  }
})

const told = (
  over: {
    readonly units?: bigint
    readonly domain?: number
    readonly recipient?: Hex
    readonly identity?: string
    readonly token?: string
    readonly depositor?: string
  } = {}
) => ({
  ...log,
  topics: encodeEventTopics({
    abi,
    eventName: "DepositForBurn",
    args: {
      burnToken: address(over.token ?? token),
      depositor: address(over.depositor ?? sender),
      minFinalityThreshold: 2000
    }
  }),
  data: encodeAbiParameters(
    abi[0].inputs.filter((input) => !("indexed" in input)),
    [
      over.units ?? 5_000_000n,
      over.recipient ?? bytes32(receiver),
      over.domain ?? 3,
      ...[zero, zero, 0n],
      `0x${over.identity ?? identity}`
    ] as never
  )
})

describe("what was burnt under the identity of a journey", () => {
  const stranger = `0x${"e5".repeat(20)}`

  it("is the journey's when all of it is, and names its transaction and block", () => {
    assert.deepStrictEqual(burntIn(told(), burn, from) as unknown, {
      txId: `0x${"11".repeat(32)}`,
      blockNumber: 16,
      isSame: true
    })
    // Whoever wrote the burn down may have used capitals.
    const recipient = burn.recipient.toUpperCase().replace("0X", "0x")
    assert.isTrue(burntIn(told(), { ...burn, recipient }, from)?.isSame)
  })

  it("is something else with another amount, destination, receiver or token", () => {
    for (const over of [
      { units: 5_000_001n },
      { units: 4_999_999n },
      { domain: 6 },
      { recipient: bytes32(stranger) },
      { token: stranger }
    ]) {
      assert.strictEqual(burntIn(told(over), burn, from)?.isSame, false)
    }
  })

  it("is nothing of the wallet's under another identity, or when somebody else burnt it", () => {
    assert.isUndefined(burntIn(told({ identity: "ce".repeat(32) }), burn, from))
    assert.isUndefined(burntIn(told({ depositor: stranger }), burn, from))
  })
})

describe("the call that burns", () => {
  it("says what the terms say, lets whoever likes bring it, and gives no coin", () => {
    const { call, coinUnits, spender } = departureOf(burn, from)
    assert.strictEqual(spender, keyOf(from.tokenMessenger))
    assert.deepStrictEqual([call.to, call.value, coinUnits], [spender, "0", 0n])
    const { args, functionName } = decodeFunctionData({ abi: issuer, data: call.data as Hex })
    assert.strictEqual(functionName, "depositForBurnWithHook")
    const said = args?.map((each) => (typeof each === "string" ? each.toLowerCase() : each))
    assert.deepStrictEqual(said as unknown, [
      ...[5_000_000n, 3, `0x${"00".repeat(12)}${"b2".repeat(20)}`, token],
      ...[zero, 0n, 2000, `0x${identity}`]
    ])
  })

  it("knows its hook by the identity, and an address by its 32 bytes", () => {
    assert.strictEqual(hookOf(burn.journey), `0x${identity}`)
    const capitals = `0x${"B2".repeat(20)}`
    assert.strictEqual(bytes32(capitals), `0x${"00".repeat(12)}${"b2".repeat(20)}`)
  })
})
