/**
 * Compares our orders with CoW Protocol's own library: digest, uid and signature of random orders must be equal to
 * the letter. `npm run orders -- 1000 7` tries a thousand of them under the seed 7, and fails at the first difference.
 */
import { createHash } from "node:crypto"
import { createRequire } from "node:module"
import { sign } from "viem/accounts"
import { digestOf, typed, uidOf } from "../../adapters/evm/cow/order.ts"
import { chains } from "../../core/chains/chain.ts"
import type { SwapOrder } from "../../core/ports/swap-venue.ts"

const require = createRequire(import.meta.url)
const peer = {
  ...require("@cowprotocol/contracts/lib/commonjs/order.js"),
  ...require("@cowprotocol/contracts/lib/commonjs/sign.js")
}
const { ethers } = require("ethers")

const [count = "1000", seed = "1"] = process.argv.slice(2)

/** So many bytes that follow from the seed, an order's number and what they are for. */
const bytes = (number: number, what: string, length: number): string => {
  const hash = createHash("shake256", { outputLength: length })
  return `0x${hash.update(`${seed} ${number} ${what}`).digest("hex")}`
}

const evm = chains.filter(({ family }) => family === "evm")

const orderAt = (number: number, owner: string): SwapOrder => {
  const key = (what: string) => bytes(number, what, 20) as SwapOrder["sell"]
  // Every size of amount, the smallest and the largest among them.
  const amount = (what: string) => BigInt(bytes(number, what, (number % 32) + 1))
  return {
    chainId: evm[number % evm.length]?.id ?? "",
    owner: owner.toLowerCase() as SwapOrder["owner"],
    receiver: key("receiver"),
    sell: key("sell"),
    sellAmount: amount("sellAmount"),
    buy: key("buy"),
    minBuyAmount: amount("minBuyAmount"),
    validTo: Number(BigInt(bytes(number, "validTo", 4)))
  }
}

const same = (what: string, number: number, ours: string, theirs: string): void => {
  if (ours.toLowerCase() === theirs.toLowerCase()) return
  console.error(`Order ${number} of seed ${seed}: our ${what} is ${ours}, theirs ${theirs}.`)
  process.exit(1)
}

for (let number = 0; number < Number(count); number++) {
  const privateKey = bytes(number, "owner", 32) as `0x${string}`
  const wallet = new ethers.Wallet(privateKey)
  const order = orderAt(number, wallet.address)
  const { domain } = typed(order)
  const theirs = {
    sellToken: order.sell,
    buyToken: order.buy,
    receiver: order.receiver,
    sellAmount: String(order.sellAmount),
    buyAmount: String(order.minBuyAmount),
    validTo: order.validTo,
    appData: "{}",
    feeAmount: "0",
    kind: "sell",
    partiallyFillable: false,
    sellTokenBalance: "erc20",
    buyTokenBalance: "erc20"
  }
  const withHash = { ...theirs, appData: ethers.utils.id(theirs.appData) }
  same("digest", number, digestOf(order), peer.hashOrder(domain, withHash))
  same("uid", number, uidOf(order), peer.computeOrderUid(domain, withHash, wallet.address))
  const { data } = await peer.signOrder(domain, withHash, wallet, peer.SigningScheme.EIP712)
  same("signature", number, await sign({ hash: digestOf(order), privateKey, to: "hex" }), data)
}
console.log(`${count} orders on ${evm.length} chains: digest, uid and signature are the same.`)
