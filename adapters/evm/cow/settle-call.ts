/**
 * Orders as whoever settles them names them to the contract. Anybody may say anything there, so an order counts only
 * where its own digest makes the uid that the contract's log tells.
 */
import type { Hex } from "viem"
import { decodeFunctionData, parseAbi, toFunctionSelector } from "viem/utils"
import { type Message, uidFor } from "./order.ts"

const abi = parseAbi([
  "struct TradeData { uint256 sellTokenIndex; uint256 buyTokenIndex; address receiver; uint256 sellAmount; uint256 buyAmount; uint32 validTo; bytes32 appData; uint256 feeAmount; uint256 flags; uint256 executedAmount; bytes signature; }",
  "struct InteractionData { address target; uint256 value; bytes callData; }",
  "function settle(address[] tokens, uint256[] clearingPrices, TradeData[] trades, InteractionData[][3] interactions)"
])

const [settle] = abi
const selector = toFunctionSelector(settle).slice(2)

/** A call within a call is found by its first bytes, which stand in a message by chance too. */
const maxCalls = 64

const decoded = (data: Hex) => {
  try {
    return decodeFunctionData({ abi, data }).args
  } catch {
    return undefined
  }
}

type Settlement = NonNullable<ReturnType<typeof decoded>>

/** Every settlement that a transaction's bytes may hold: its own call, or one that it hands on to others. */
const settlementsIn = (input: string): ReadonlyArray<Settlement> => {
  const digits = input.slice(2).toLowerCase()
  const found: Array<Settlement> = []
  let calls = 0
  for (
    let at = digits.indexOf(selector);
    at !== -1 && calls < maxCalls;
    at = digits.indexOf(selector, at + 1)
  ) {
    if (at % 2 !== 0) continue
    calls += 1
    const settlement = decoded(`0x${digits.slice(at)}`)
    if (settlement !== undefined) found.push(settlement)
  }
  return found
}

/** What the bits of a trade's flags say of its order. */
const flags = { buys: 1n, partially: 2n, internally: 4n, sellVault: 8n, buyVault: 16n } as const

const messageOf = (tokens: Settlement[0], trade: Settlement[2][number]): Message | undefined => {
  const sellToken = tokens[Number(trade.sellTokenIndex)]
  const buyToken = tokens[Number(trade.buyTokenIndex)]
  if (sellToken === undefined || buyToken === undefined) return undefined
  const has = (flag: bigint) => (trade.flags & flag) !== 0n
  const fromVault = has(flags.internally) ? "internal" : "external"
  const { appData, buyAmount, feeAmount, receiver, sellAmount, validTo } = trade
  return {
    ...{ sellToken, buyToken, receiver, sellAmount, buyAmount, validTo, appData, feeAmount },
    kind: has(flags.buys) ? "buy" : "sell",
    partiallyFillable: has(flags.partially),
    sellTokenBalance: has(flags.sellVault) ? fromVault : "erc20",
    buyTokenBalance: has(flags.buyVault) ? "internal" : "erc20"
  }
}

/** The order of a uid, as the bytes of the transaction that settled it say; undefined when they do not. */
export const orderIn = (chainId: string, input: string, uid: string): Message | undefined => {
  const owner = `0x${uid.slice(66, 106)}`
  for (const [tokens, , trades] of settlementsIn(input)) {
    for (const trade of trades) {
      const message = messageOf(tokens, trade)
      if (message !== undefined && uidFor(chainId, owner, message).toLowerCase() === uid) {
        return message
      }
    }
  }
  return undefined
}
