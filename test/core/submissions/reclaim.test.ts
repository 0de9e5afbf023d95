/** A wallet's key takes marks back only of payments that the records call final, and of no other wallet. */
import { assert, describe, it } from "@effect/vitest"
import { AddressKey } from "../../../core/chains/address.ts"
import { type Reclaim, type ReclaimStanding, violation } from "../../../core/submissions/reclaim.ts"

const chainId = "local-solana"
const address = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
const other = "2ojv9BAiHUrvsm9gxDe7fJSzbNZSJcxZvf8dqmWGHG8S"
const key = { backend: "seed", ref: "m/44'/501'/1'/0'" }

const asked: Reclaim = {
  accountId: "account",
  walletId: "wallet",
  chainId,
  key,
  from: AddressKey.make(address),
  identities: ["aa", "bb"]
}

const standing: ReclaimStanding = {
  wallet: { chainId, address, key },
  payments: [
    { identity: "aa", status: "final" },
    { identity: "bb", status: "final" },
    { identity: "cc", status: "seen" },
    { identity: "dd", status: "failed" }
  ]
}

const violations: ReadonlyArray<readonly [RegExp, Partial<Reclaim>, Partial<ReclaimStanding>]> = [
  [/no such wallet/u, {}, { wallet: undefined }],
  [/another key/u, { key: { ...key, ref: "m/44'/501'/2'/0'" } }, {}],
  [/another chain/u, { chainId: "solana-devnet" }, {}],
  [/another address/u, { from: AddressKey.make(other) }, {}],
  [/names no payment/u, { identities: [] }, {}],
  [/final/u, { identities: ["aa", "cc"] }, {}],
  [/final/u, { identities: ["dd"] }, {}],
  [/final/u, { identities: ["ee"] }, {}]
]

describe("taking marks back", () => {
  it("is signed for final payments of the wallet's own", () => {
    assert.isUndefined(violation(asked, standing))
  })

  it("is refused for anything else, by name", () => {
    for (const [why, reclaim, records] of violations) {
      assert.match(violation({ ...asked, ...reclaim }, { ...standing, ...records }) ?? "", why)
    }
  })
})
