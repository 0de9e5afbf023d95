/** A wallet signs an approval by its own transaction only as the proposal's terms say it, to the last byte. */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "effect/Schema"
import * as Address from "../../../core/chains/address.ts"
import * as Usd from "../../../core/money/usd.ts"
import type { SigningRequest } from "../../../core/proposals/kind.ts"
import { actOf, type Terms, toZero } from "../../../core/trade/approval.ts"
import * as Spender from "../../../core/trade/spender.ts"
import { tokenApprove } from "../../../core/trade/token-approve.ts"
import * as Value from "../../support/chain-values.ts"

const chainId = "local"
const terms: Terms = {
  fromWalletId: "wallet",
  fromAddress: Address.shown(chainId, `0x${"a1".repeat(20)}`),
  chainId,
  tokenAddress: Address.shown(chainId, `0x${"b2".repeat(20)}`),
  symbol: "USDT",
  decimals: 6,
  flow: "intent_swap",
  spender: Spender.find("intent_swap", chainId)?.address as Address.Address,
  amountSmallestUnit: 5_000_000n,
  worthMicroUsd: Usd.make(5_000_000n),
  approvedBy: "transaction",
  byWayOfZero: true
}

const requestOf = (part: string | null): SigningRequest => ({
  ...actOf(terms, part),
  proposalId: "proposal",
  accountId: "account",
  walletId: "wallet",
  chainId,
  key: { backend: "seed", ref: "1" },
  identity: "1d".repeat(32),
  token: Address.keyOf(chainId, terms.tokenAddress),
  part
})

const judged = (request: SigningRequest, of = terms) =>
  tokenApprove.signing?.violation(request, of, undefined as never)

/** The text with one of its characters after `0x` changed. */
const altered = (text: string, at: number) =>
  `${text.slice(0, at)}${text[at] === "f" ? "e" : "f"}${text.slice(at + 1)}`

const callOf = ({ call }: SigningRequest) => call as JsonObject

describe("the call of an approval", () => {
  it("is signed as the terms say, and its way by zero is a part of its own", () => {
    assert.isUndefined(judged(requestOf(null)))
    assert.isUndefined(judged(requestOf(toZero)))
    assert.isDefined(judged({ ...requestOf(toZero), part: null }))
    assert.isDefined(judged({ ...requestOf(null), part: toZero }))
    assert.isDefined(judged(requestOf(toZero), { ...terms, byWayOfZero: false }))
    assert.isDefined(judged({ ...requestOf(null), part: "another" }))
  })

  it("is never signed with one character of it changed", () => {
    let changes = 0
    for (const part of [null, toZero]) {
      const request = requestOf(part)
      const call = callOf(request)
      for (const field of ["to", "data"] as const) {
        const text = String(call[field])
        for (let at = 2; at < text.length; at++) {
          const other = { ...request, call: { ...call, [field]: altered(text, at) } }
          assert.isDefined(judged(other), `${field} ${at}`)
          changes++
        }
      }
    }
    assert.isAbove(changes, 300)
  })

  it("is never signed with coin, with more data, without what it is to show, or as another act", () => {
    const request = requestOf(null)
    const call = callOf(request)
    const { expect, ...unexpecting } = call
    const others: ReadonlyArray<Partial<SigningRequest>> = [
      { call: { ...call, value: "1" } },
      { call: { ...call, data: `${String(call.data)}00` } },
      { call: unexpecting },
      { call: { ...call, expect: { ...(expect as JsonObject), answer: `0x${"0".repeat(64)}` } } },
      { call: { ...call, gas: "1" } },
      { call: null },
      { act: "permit", call: null },
      { act: "transfer", call: null },
      { walletId: "another" },
      { from: Value.key(`0x${"a2".repeat(20)}`) },
      { to: Value.key(`0x${"c3".repeat(20)}`) },
      { token: Value.key(`0x${"b3".repeat(20)}`) },
      { chainId: "base" },
      { amount: { ...request.amount, units: request.amount.units + 1n } }
    ]
    for (const over of others)
      assert.isDefined(
        judged({ ...request, ...over }),
        JSON.stringify(over, (_, value) => (typeof value === "bigint" ? String(value) : value))
      )
  })
})
