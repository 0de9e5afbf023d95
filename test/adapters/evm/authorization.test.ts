/** What is signed of a transfer and told to the token is, byte for byte, what the standards' own encoder makes of it. */
import { assert, it } from "@effect/vitest"
import { encodeFunctionData, hashTypedData, parseAbi } from "viem/utils"
import * as Authorizations from "../../../adapters/evm/authorization.ts"
import type { Domain } from "../../../adapters/evm/domain.ts"
import type { Authorization } from "../../../core/evm/journal.ts"
import type { Order } from "../../../core/submissions/order.ts"
import { key } from "../../support/chain-values.ts"

const abi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"
])

const TransferWithAuthorization = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" }
] as const

const hex = (text: string) => text as `0x${string}`
const domains: ReadonlyArray<Domain> = [
  { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: `0x${"c0".repeat(20)}` },
  { name: "USDC é", version: "1", chainId: 1, verifyingContract: `0x${"0d".repeat(20)}` }
]

const amounts = [0n, 1n, 10_000n, 2n ** 64n, 2n ** 256n - 1n]
const identities = ["00".repeat(32), "ab".repeat(32), `${"00".repeat(31)}01`]

it("the digest of a transfer is that of EIP-712", () => {
  for (const domain of domains) {
    for (const units of amounts) {
      for (const identity of identities) {
        const order = {
          chainId: "base",
          from: key(`0x${"0a".repeat(20)}`),
          to: key(`0x${"f1".repeat(20)}`),
          amount: { units },
          identity,
          validBefore: 1_900_000_000
        } as unknown as Order
        const message = {
          from: hex(order.from),
          to: hex(order.to),
          value: units,
          validAfter: 0n,
          validBefore: 1_900_000_000n,
          nonce: hex(`0x${identity}`)
        }
        assert.strictEqual(
          Authorizations.unsigned(domain, order).digest,
          hashTypedData({
            domain,
            types: { TransferWithAuthorization },
            primaryType: "TransferWithAuthorization",
            message
          })
        )
      }
    }
  }
})

const authorization = (over: Partial<Authorization>): Authorization => ({
  act: "transfer",
  chainId: "base",
  token: key(`0x${"c0".repeat(20)}`),
  from: key(`0x${"0a".repeat(20)}`),
  to: key(`0x${"f1".repeat(20)}`),
  amountMicro: 12_500_000n as Authorization["amountMicro"],
  nonce: `0x${"AB".repeat(32)}`,
  validBefore: 1_900_000_000,
  signature: `0x${"5c".repeat(65)}`,
  ...over
})

it("what the token is told is what the encoder of its interface says", () => {
  const signatures = [0, 31, 32, 33, 65, 96, 700].map((bytes) => `0x${"5c".repeat(bytes)}`)
  for (const signature of signatures) {
    for (const validAfter of [undefined, 0, 1_800_000_000]) {
      const told = authorization({
        signature,
        ...(validAfter === undefined ? {} : { validAfter })
      })
      const expected = encodeFunctionData({
        abi,
        functionName: "transferWithAuthorization",
        args: [
          hex(told.from),
          hex(told.to),
          told.amountMicro,
          BigInt(validAfter ?? 0),
          BigInt(told.validBefore),
          hex(told.nonce.toLowerCase()),
          hex(signature)
        ]
      })
      assert.strictEqual(Authorizations.callOf(told), expected)
    }
  }
  const told = authorization({})
  const data = encodeFunctionData({
    abi,
    functionName: "authorizationState",
    args: [hex(told.from), hex(told.nonce.toLowerCase())]
  })
  assert.deepStrictEqual(Authorizations.askState(told, "latest").params, [
    { to: told.token, data },
    "latest"
  ])
})

it("what does not fit is never cut", () => {
  const wrong: ReadonlyArray<Partial<Authorization>> = [
    { from: "0x0a" as Authorization["from"] },
    { to: `0x${"f1".repeat(21)}` as Authorization["to"] },
    { to: `0x${"g1".repeat(20)}` as Authorization["to"] },
    { nonce: `0x${"ab".repeat(33)}` },
    { nonce: "7" },
    { amountMicro: (2n ** 256n) as Authorization["amountMicro"] },
    { amountMicro: -1n as Authorization["amountMicro"] },
    { signature: "0x5c5" },
    { signature: "none" }
  ]
  for (const over of wrong) {
    assert.throws(() => Authorizations.callOf(authorization(over)))
  }
})
