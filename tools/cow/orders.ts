/**
 * Compares our orders with CoW Protocol's own library: digest, uid and signature of random orders must be equal to
 * the letter. `npm run orders -- 1000 7` tries a thousand of them under the seed 7, and fails at the first difference.
 * The hash that it prints is over what the library said; `test/vectors/cow-orders.json` keeps one.
 */
import { createRequire } from "node:module"
import { sign } from "viem/accounts"
import { appDataOf, digestOf, typed, uidOf } from "../../adapters/evm/cow/order.ts"
import { hashOf, keyAt, type Made, orderAt } from "../../test/support/random-orders.ts"

const require = createRequire(import.meta.url)
const peer = {
  ...require("@cowprotocol/contracts/lib/commonjs/order.js"),
  ...require("@cowprotocol/contracts/lib/commonjs/sign.js")
}
const { ethers } = require("ethers")

const [count = "1000", seed = "1"] = process.argv.slice(2)

const same = (what: string, number: number, ours: string, theirs: string): void => {
  if (ours.toLowerCase() === theirs.toLowerCase()) return
  console.error(`Order ${number} of seed ${seed}: our ${what} is ${ours}, theirs ${theirs}.`)
  process.exit(1)
}

const all: Array<Made> = []
for (let number = 0; number < Number(count); number++) {
  const privateKey = keyAt(seed, number)
  const wallet = new ethers.Wallet(privateKey)
  const order = orderAt(seed, number, wallet.address)
  const { domain } = typed(order)
  const theirs = {
    sellToken: order.sell,
    buyToken: order.buy,
    receiver: order.receiver,
    sellAmount: String(order.sellAmount),
    buyAmount: String(order.minBuyAmount),
    validTo: order.validTo,
    appData: ethers.utils.id(appDataOf(order)),
    feeAmount: "0",
    kind: "sell",
    partiallyFillable: false,
    sellTokenBalance: "erc20",
    buyTokenBalance: "erc20"
  }
  const digest = peer.hashOrder(domain, theirs)
  const uid = peer.computeOrderUid(domain, theirs, wallet.address)
  const { data } = await peer.signOrder(domain, theirs, wallet, peer.SigningScheme.EIP712)
  same("digest", number, digestOf(order), digest)
  same("uid", number, uidOf(order), uid)
  same("signature", number, await sign({ hash: digestOf(order), privateKey, to: "hex" }), data)
  all.push({ digest, uid, signature: data })
}
console.log(
  `${count} orders: digest, uid and signature are the same. Hash of theirs: ${hashOf(all)}`
)
