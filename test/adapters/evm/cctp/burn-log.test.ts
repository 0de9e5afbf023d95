/** A burn is told by the issuer's contract, under the topic of burns, and by no other log. */
import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "viem"
import { encodeAbiParameters, encodeEventTopics, parseAbi, toEventSelector } from "viem/utils"
import { burntIn, bytes32 } from "../../../../adapters/evm/cctp/burn.ts"
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
