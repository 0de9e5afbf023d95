/** Orders in the bytes of a settlement: each is read to the last field, wherever the call stands, and none that is not there. */
import { assert, it } from "@effect/vitest"
import type { Hex } from "viem"
import { concat, encodeFunctionData, parseAbi } from "viem/utils"
import type { Message } from "../../../../adapters/evm/cow/order.ts"
import { typed } from "../../../../adapters/evm/cow/order.ts"
import { orderIn } from "../../../../adapters/evm/cow/settle-call.ts"
import * as Peer from "../../../../apps/sandbox/cow/order.ts"
import { orderAt } from "../../../support/random-orders.ts"

const abi = parseAbi([
  "struct TradeData { uint256 sellTokenIndex; uint256 buyTokenIndex; address receiver; uint256 sellAmount; uint256 buyAmount; uint32 validTo; bytes32 appData; uint256 feeAmount; uint256 flags; uint256 executedAmount; bytes signature; }",
  "struct InteractionData { address target; uint256 value; bytes callData; }",
  "function settle(address[] tokens, uint256[] clearingPrices, TradeData[] trades, InteractionData[][3] interactions)",
  "function wrappedSettle(bytes settleData, bytes wrapperData)"
])

const owner: Hex = `0x${"a7".repeat(20)}`

/** Every way in which an order of somebody may be settled, by the contract's own flags. */
const forms: ReadonlyArray<readonly [flags: bigint, form: Partial<Message>]> = [
  [0n, {}],
  [1n, { kind: "buy" }],
  [2n, { partiallyFillable: true }],
  [8n, { sellTokenBalance: "external" }],
  [12n, { sellTokenBalance: "internal" }],
  [16n, { buyTokenBalance: "internal" }],
  [
    0x60n | 16n | 12n | 3n,
    {
      ...{ kind: "buy", partiallyFillable: true },
      ...{ sellTokenBalance: "internal", buyTokenBalance: "internal" }
    }
  ]
]

const orders = forms.map(([flags, form], number) => {
  const message: Message = {
    ...typed(orderAt("settle", number, owner)).message,
    feeAmount: 3n,
    ...form
  }
  return { flags, message }
})

const uidOf = (message: Message): string =>
  Peer.uidOf(Peer.digestOf(31337, message), owner, message.validTo)

const settle = encodeFunctionData({
  abi,
  functionName: "settle",
  args: [
    orders.flatMap(({ message }) => [message.sellToken, message.buyToken]),
    orders.flatMap(() => [1n, 2n]),
    orders.map(({ flags, message }, at) => ({
      ...message,
      ...{ sellTokenIndex: BigInt(2 * at), buyTokenIndex: BigInt(2 * at + 1), flags },
      ...{ executedAmount: 5n, signature: "0x1234" as const }
    })),
    [[], [{ target: owner, value: 0n, callData: "0x13d79a0b13d79a0b" }], []]
  ]
})

const wrapped = encodeFunctionData({
  abi,
  functionName: "wrappedSettle",
  args: [settle, "0x13d79a0b"]
})

it.each([
  ["of the contract itself", settle],
  ["with bytes after it", concat([settle, "0xc0ffee"])],
  ["that a wrapper hands on", wrapped]
])("every order of a settlement is read, by a call %s", (_, input) => {
  for (const { message } of orders) {
    const { ...read } = orderIn("local", input, uidOf(message))
    const lower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value)
    for (const [field, value] of Object.entries(message)) {
      assert.strictEqual(lower(read[field as keyof Message]), lower(value), field)
    }
  }
})

it("an order that is not settled there is not read there", () => {
  const [first] = orders
  if (first === undefined) return assert.fail("there are orders")
  const others: ReadonlyArray<Partial<Message>> = [
    { appData: `0x${"ee".repeat(32)}` },
    { sellAmount: first.message.sellAmount + 1n },
    { kind: "buy" },
    { partiallyFillable: true }
  ]
  for (const other of others) {
    assert.isUndefined(orderIn("local", settle, uidOf({ ...first.message, ...other })))
  }
  assert.isUndefined(orderIn("base", settle, uidOf(first.message)))
  for (const input of ["0x", "0x13d79a0b", `0x${"13d79a0b".repeat(200)}`, settle.slice(0, 600)]) {
    assert.isUndefined(orderIn("local", input, uidOf(first.message)))
  }
})
