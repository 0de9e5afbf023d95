/** The page of a trade tells its floor and what it may cost in words, and keeps no term from whoever signs it. */
import { assert, it } from "@effect/vitest"
import {
  isTrade,
  tradeFacts,
  tradeResult,
  tradeTerms
} from "../../../adapters/pages/console/trade-shown.ts"

const token = (symbol: string, decimals: number, chainId = "local") => ({
  chainId,
  tokenAddress: `0x${symbol.length.toString().repeat(40)}`,
  symbol,
  decimals
})

const terms = {
  fromWalletId: "w1",
  fromAddress: `0x${"a".repeat(40)}`,
  chainId: "local",
  sell: token("USDC", 6),
  sellAmount: "1250000000",
  buy: token("WETH", 18),
  minBuyAmount: "497500000000000000",
  toWalletId: "w1",
  receiver: `0x${"b".repeat(40)}`,
  protocol: "cow",
  slippagePercent: 0.5,
  worthUsd: "1250.00",
  valueAtRiskUsd: "7.25",
  feesUsd: "1.00",
  maxCostUsd: "44.75",
  notAfter: "2030-01-09T00:00:00.000Z"
}

it("the floor, the value at risk and the most it costs stand in words", () => {
  const told = Object.fromEntries(tradeFacts(terms).map(({ name, text }) => [name, text]))
  assert.deepInclude(told, {
    Sells: "1,250.00 USDC on local",
    "For at least": "0.4975 WETH on local",
    "Received by": terms.receiver,
    Worth: "$1,250.00",
    "Value at risk now": "$7.25",
    "Costs at most": "$44.75",
    Slippage: "0.5 %",
    Protocol: "cow"
  })
})

it("what came of it is told once it is known", () => {
  assert.deepStrictEqual(tradeResult({}, terms), [])
  assert.deepStrictEqual(
    tradeResult({ soldAmount: "1250000000", boughtAmount: "500000000000000000" }, terms).map(
      ({ name, text }) => [name, text]
    ),
    [
      ["Sold", "1,250.00 USDC on local"],
      ["Bought", "0.50 WETH on local"]
    ]
  )
})

it("a term is told here, by its own name, or known to every proposal", () => {
  const everywhere = ["fromWalletId", "fromAddress", "chainId"]
  const untold = Object.keys(terms).filter(
    (name) => !tradeTerms.has(name) && !everywhere.includes(name)
  )
  assert.deepStrictEqual(untold, [])
})

it("other proposals are no trades, and amounts that cannot be read are not made up", () => {
  assert.isFalse(isTrade({ amountSmallestUnit: "1" }))
  assert.deepStrictEqual(tradeFacts({ amountSmallestUnit: "1" }), [])
  const odd = tradeFacts({ ...terms, sellAmount: "x", minBuyAmount: null })
  assert.isFalse(odd.some(({ name }) => name === "Sells" || name === "For at least"))
})
