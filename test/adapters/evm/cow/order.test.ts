/** An order as its wallet signs it, as the contract knows it and as the book is told: each field written out by hand. */
import { hashTypedData, keccak256, parseAbi, stringToHex } from "viem"
import { decodeFunctionData } from "viem/utils"
import { assert, describe, it } from "vitest"
import * as Order from "../../../../adapters/evm/cow/order.ts"
import type { SwapOrder } from "../../../../core/ports/swap-venue.ts"
import * as Value from "../../../support/chain-values.ts"

const addressOf = (digit: string) => Value.key(`0x${digit.repeat(40)}`)
const contract = "0x9008d19f58aabd9ed0d60971565aa8510560ab41"
const identity = "ab".repeat(32)
const appData = `{"environment":"${identity}","metadata":{},"version":"1.1.0"}`
const hash = keccak256(stringToHex(appData))

const order: SwapOrder = {
  identity,
  chainId: "base",
  owner: addressOf("1"),
  receiver: addressOf("2"),
  sell: addressOf("3"),
  sellAmount: 1_000_000_007n,
  buy: addressOf("4"),
  minBuyAmount: 398_003n,
  validTo: 2_000_000_001
}

const message = {
  sellToken: order.sell,
  buyToken: order.buy,
  receiver: order.receiver,
  sellAmount: 1_000_000_007n,
  buyAmount: 398_003n,
  validTo: 2_000_000_001,
  appData: hash,
  feeAmount: 0n,
  kind: "sell",
  partiallyFillable: false,
  sellTokenBalance: "erc20",
  buyTokenBalance: "erc20"
}

/** As the settlement contract hashes it. */
const written =
  "address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance"

const digest = hashTypedData({
  domain: { name: "Gnosis Protocol", version: "v2", chainId: 8453, verifyingContract: contract },
  types: {
    Order: written.split(",").map((field) => {
      const [type = "", name = ""] = field.split(" ")
      return { type, name }
    })
  },
  primaryType: "Order",
  message
})

const signed = { ...order, orderId: "id", signature: "0xab" }
const uid = `${digest}${"1".repeat(40)}77359401`

describe("an order", () => {
  it("is signed as the contract of its chain hashes it", () => {
    assert.deepStrictEqual(Order.typed(order).message as unknown, message)
    assert.strictEqual(Order.digestOf(order), digest)
  })

  it("is known by its digest, its owner and its end", () => {
    assert.strictEqual(Order.uidOf(order), uid)
    // An end of few digits takes four bytes too.
    assert.match(Order.uidOf({ ...order, validTo: 7 }), /^0x.{104}00000007$/u)
  })

  it("has the protocol's own empty document while it is only quoted", () => {
    assert.strictEqual(
      keccak256(stringToHex(Order.noAppData)),
      "0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d"
    )
  })

  it("is of no chain that is not known", () => {
    assert.throws(() => Order.typed({ ...order, chainId: "nowhere" }), /nowhere is not known/u)
  })

  it("is ended by the owner's one call of the contract, which gives nothing", () => {
    const { call, to } = Order.invalidationOf(signed)
    assert.strictEqual(to, contract)
    assert.deepInclude(call, { to: contract, value: "0" })
    assert.sameMembers(Object.keys(call), ["to", "data", "value"])
    const abi = parseAbi(["function invalidateOrder(bytes orderUid)"])
    const { args, functionName } = decodeFunctionData({ abi, data: String(call.data) as "0x" })
    assert.strictEqual(functionName, "invalidateOrder")
    assert.deepStrictEqual(args, [uid as "0x"])
  })

  it("is told to the book as it was signed, with its text and by whom", () => {
    assert.deepStrictEqual(Order.bodyOf(signed) as unknown, {
      ...message,
      sellAmount: "1000000007",
      buyAmount: "398003",
      feeAmount: "0",
      appData,
      appDataHash: hash,
      signingScheme: "eip712",
      signature: "0xab",
      from: order.owner
    })
  })
})
