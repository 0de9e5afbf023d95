/** How votes are counted: distinct accounts, distinct wallets, never the owner, only who is a member now. */
import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as FastCheck from "fast-check"
import {
  distinct,
  sharesWallet,
  tally,
  type Vote,
  type Voter
} from "../../../core/cosigners/approval.ts"
import * as Value from "../../support/chain-values.ts"

const voter = (accountId: string, wallet?: string): Voter => ({
  accountId,
  fundingWallet: wallet === undefined ? null : { chainId: "base", address: Value.address(wallet) }
})

const vote = (voterAccountId: string, isApproval: boolean): Vote => ({
  approvalId: "approval",
  voterAccountId,
  keyId: "key",
  isApproval,
  intentHash: "ab",
  at: DateTime.makeUnsafe(0)
})

const owner = voter("owner", "0xAa")

it("an account counts once, the owner never, and of one wallet's accounts only one", () => {
  const members = [
    voter("owner", "0xCC"),
    voter("twin of the owner", "0xaA"),
    voter("ada", "0xB1"),
    voter("ada's twin", "0xb1"),
    voter("ben"),
    voter("cleo"),
    voter("ada", "0xB1")
  ]
  assert.deepStrictEqual(
    distinct(owner, members).map(({ accountId }) => accountId),
    ["ada", "ben", "cleo"]
  )
})

it("an account without a wallet counts once, beside others without", () => {
  const ofNobody = voter("owner")
  const members = [voter("ben"), voter("cleo"), voter("ben")]
  assert.deepStrictEqual(
    distinct(ofNobody, members).map(({ accountId }) => accountId),
    ["ben", "cleo"]
  )
  assert.isFalse(sharesWallet(ofNobody, voter("ben")))
  assert.isFalse(sharesWallet(owner, voter("ben")))
  assert.isTrue(sharesWallet(owner, voter("ben", "0xaa")))
})

it("who does not count takes no place: the same account counts by another wallet", () => {
  const [ada, elsewhere] = [voter("ada", "0xB1"), voter("twin", "0xd1")]
  assert.deepStrictEqual(distinct(owner, [ada, voter("twin", "0xb1"), elsewhere]), [ada, elsewhere])
})

it("the same address on another chain is the same wallet", () => {
  const elsewhere = {
    accountId: "ada",
    fundingWallet: { chainId: "local", address: Value.address("0xAa") }
  }
  assert.lengthOf(distinct(owner, [elsewhere]), 0)
})

it("a rejection ends it only when the rest cannot reach the quorum", () => {
  const members = ["ada", "ben", "cleo"].map((name) => voter(name))
  const judged = (required: number, votes: ReadonlyArray<Vote>) => {
    const { isApproved, isRejected } = tally(required, owner, members, votes)
    return isApproved ? "approved" : isRejected ? "rejected" : "open"
  }
  assert.strictEqual(judged(2, []), "open")
  assert.strictEqual(judged(2, [vote("ada", false)]), "open")
  assert.strictEqual(judged(2, [vote("ada", false), vote("ben", false)]), "rejected")
  assert.strictEqual(judged(3, [vote("ada", false)]), "rejected")
  assert.strictEqual(judged(2, [vote("ada", true), vote("ben", true)]), "approved")
  assert.strictEqual(judged(1, [vote("ada", true), vote("ben", false)]), "approved")
  // Too few members block it, and nobody rejected anything.
  assert.strictEqual(judged(4, [vote("ada", true)]), "open")
})

it("votes of those who are no members any more count for nothing", () => {
  const { approvals, rejections, isApproved } = tally(
    1,
    owner,
    [voter("ada")],
    [vote("ben", true), vote("cleo", false)]
  )
  assert.deepStrictEqual([approvals, rejections, isApproved], [[], [], false])
})

const names = ["owner", "a", "b", "c", "d", "e"]

it("however members share wallets and vote, no wallet and no account ever counts twice", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.uniqueArray(
        FastCheck.tuple(FastCheck.constantFrom(...names), FastCheck.nat(3), FastCheck.boolean()),
        { selector: ([name]) => name }
      ),
      FastCheck.integer({ min: 1, max: 4 }),
      (cast, required) => {
        const members = cast.map(([name, wallet]) =>
          wallet === 0 ? voter(name) : voter(name, `0x${wallet}`)
        )
        const votes = cast.map(([name, , isApproval]) => vote(name, isApproval))
        const who = voter("owner", "0x1")
        const { approvals, isApproved } = tally(required, who, members, votes)
        const counted = members.filter(({ accountId }) => approvals.includes(accountId))
        const wallets = counted.flatMap(({ fundingWallet }) => fundingWallet?.address ?? [])
        assert.strictEqual(new Set(approvals).size, approvals.length)
        assert.strictEqual(new Set(wallets).size, wallets.length)
        assert.notInclude(approvals, "owner")
        assert.notInclude<string>(wallets, "0x1")
        assert.strictEqual(isApproved, approvals.length >= required)
      }
    ),
    { numRuns: 2000 }
  )
})
