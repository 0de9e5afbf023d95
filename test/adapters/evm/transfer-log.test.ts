/** Only a Transfer log of exactly the USDC contract is money. */
import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as Log from "../../../adapters/evm/log.ts"

const usdc = `0x${"ab".repeat(20)}`
const block = { number: 7, hash: `0x${"0b".repeat(32)}`, timestamp: DateTime.makeUnsafe(7000) }
const topicOf = (address: string) => `0x${"0".repeat(24)}${address.slice(2)}`
const from = `0x${"1f".repeat(20)}`
const to = `0x${"2e".repeat(20)}`
const txHash = `0x${"5d".repeat(32)}`

const log = {
  address: usdc,
  topics: [Log.transferTopic, topicOf(from), topicOf(to)],
  data: `0x${(49_000_000).toString(16).padStart(64, "0")}`,
  blockHash: block.hash,
  transactionHash: txHash,
  logIndex: "0x1a",
  removed: false
}

const transferred = { txHash, logIndex: 26, block, from, to, amountMicro: 49_000_000n }

it("a Transfer of USDC is read from its topics", () => {
  assert.deepStrictEqual(Log.decode(log, usdc, block), transferred)
})

it("the case of hexadecimal digits does not matter", () => {
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
  const shouted = {
    ...log,
    address: upper(log.address),
    topics: log.topics.map(upper),
    data: upper(log.data),
    transactionHash: upper(txHash)
  }
  assert.deepStrictEqual(Log.decode(shouted, usdc, block), transferred)
})

it("the largest amount a contract can log is read exactly", () => {
  const most = Log.decode({ ...log, data: `0x${"f".repeat(64)}` }, usdc, block)
  assert.strictEqual(most?.amountMicro, 2n ** 256n - 1n)
})

const notMoney: ReadonlyArray<readonly [string, unknown]> = [
  ["another contract's log", { ...log, address: `0x${"ac".repeat(20)}` }],
  ["a log that was removed", { ...log, removed: true }],
  ["another event", { ...log, topics: [`0x${"8c".repeat(32)}`, ...log.topics.slice(1)] }],
  ["a transfer of one of a kind", { ...log, topics: [...log.topics, `0x${"0".repeat(64)}`] }],
  ["a log without a receiver", { ...log, topics: log.topics.slice(0, 2) }],
  ["an address with something before it", { ...log, topics: [...log.topics.slice(0, 2), txHash] }],
  ["an amount that is not one word", { ...log, data: `${log.data}00` }],
  ["an amount that is missing", { ...log, data: "0x" }],
  ["a log without a transaction", { ...log, transactionHash: null }],
  ["a log without an index", { ...log, logIndex: null }],
  ["nothing", null],
  ["text", "log"]
]

it.each(notMoney)("%s is not money", (_, given) => {
  assert.isUndefined(Log.decode(given, usdc, block))
})
