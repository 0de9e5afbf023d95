/** A burn on Solana, without a chain: each sentence of its check is told of bytes that only it refuses. */
import { AccountRole, type Address, address, type Instruction } from "@solana/kit"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as Burn from "../../../../adapters/solana/cctp/burn.ts"
import * as Check from "../../../../adapters/solana/cctp/burn-check.ts"
import * as Places from "../../../../adapters/solana/cctp/places.ts"
import { keyOf } from "../../../../adapters/solana/derived.ts"
import * as Mark from "../../../../adapters/solana/mark.ts"
import { compiled } from "../../../../adapters/solana/transaction.ts"
import { AddressKey } from "../../../../core/chains/address.ts"
import { numbered, relayer, sold, stranger, wallet } from "../../../support/drafted-swaps.ts"

const identity = "5a".repeat(32)
const blockhash = numbered(20)
const none = new Map<string, ReadonlyArray<Address>>()

const draft = Effect.runPromise(
  Effect.gen(function* () {
    const burn = {
      chainId: "solana",
      from: wallet,
      to: AddressKey.make(Places.messengerProgram),
      amount: { token: { chainId: "solana", address: sold }, units: 5_000_000n },
      identity,
      domain: 0,
      recipient: `0x${"00".repeat(12)}${"b2".repeat(20)}`,
      maxFeeUnits: 10n,
      minFinality: 1000
    }
    const made: Burn.Draft = {
      burn,
      mark: yield* Mark.addressOf(burn),
      event: (yield* Burn.eventKey(burn, blockhash)).address,
      mint: sold,
      relayer,
      bid: { units: 100_000, priority: 1n, opensAccount: false },
      conditions: { blockhash, lastValidBlockHeight: 9n, markLamports: 1_447_680n }
    }
    return made
  })
)

const ownOf = (each: Burn.Draft): ReadonlyArray<Instruction> =>
  Burn.instructions(each).map(({ instruction }) => instruction)

const bytesWith = (each: Burn.Draft, instructions: ReadonlyArray<Instruction>, payer = relayer) =>
  Uint8Array.from(compiled(payer, each.conditions, instructions).messageBytes)

/** Nothing but that the account is named, in a role. */
const naming = (who: string, role: AccountRole): Instruction => ({
  programAddress: address(stranger),
  accounts: [{ address: address(who), role }],
  data: new Uint8Array()
})

const otherSigns = "others than relayer, wallet and the message's account would sign"

describe("a burn's message", () => {
  it("is signed as it follows from the burn", async () => {
    const own = await draft
    assert.isUndefined(Check.violation(bytesWith(own, ownOf(own)), own, none))
  })

  it("is not signed when another account pays, signs, or could be emptied", async () => {
    const own = await draft
    const judge = (instructions: ReadonlyArray<Instruction>, payer = relayer) =>
      Check.violation(bytesWith(own, instructions, payer), own, none)
    assert.strictEqual(judge(ownOf(own), stranger), "another account would pay the fee")
    const more = naming(stranger, AccountRole.READONLY_SIGNER)
    assert.strictEqual(judge([...ownOf(own), more]), otherSigns)
    // As many sign, but one of them is another.
    const { address: event } = await Effect.runPromise(Burn.eventKey({ identity }, stranger))
    assert.notStrictEqual(event, own.event)
    assert.strictEqual(judge(ownOf({ ...own, event })), otherSigns)
    assert.strictEqual(judge(ownOf({ ...own, burn: { ...own.burn, from: stranger } })), otherSigns)
    assert.strictEqual(
      judge([...ownOf(own), naming(wallet, AccountRole.WRITABLE_SIGNER)]),
      "the wallet's own coins could be taken"
    )
  })

  it("is not signed when it names an account twice", async () => {
    const own = await draft
    const bytes = bytesWith(own, ownOf(own))
    const places = [own.mint, Places.fixed.transmitter].map((each) =>
      Buffer.from(bytes).indexOf(Buffer.from(keyOf(each)))
    )
    const [mint = -1, transmitter = -1] = places
    assert.isAbove(Math.min(mint, transmitter), 0)
    bytes.set(bytes.slice(mint, mint + 32), transmitter)
    assert.strictEqual(Check.violation(bytes, own, none), "an account is named twice")
  })

  it("is not signed under another block, with more or fewer instructions, or with another one", async () => {
    const own = await draft
    const judge = (each: Burn.Draft, instructions = ownOf(each)) =>
      Check.violation(bytesWith(each, instructions), own, none)
    const conditions = { ...own.conditions, blockhash: numbered(21) }
    assert.strictEqual(judge({ ...own, conditions }), "it would live by another block")
    const length = "it has other instructions than a burn"
    assert.strictEqual(judge(own, ownOf(own).slice(1)), length)
    const harmless = naming(own.mint, AccountRole.READONLY)
    assert.strictEqual(judge(own, [...ownOf(own), harmless]), length)
    const { burn } = own
    for (const over of [
      { amount: { ...burn.amount, units: burn.amount.units + 1n } },
      { recipient: `0x${"11".repeat(32)}` },
      { domain: 3 },
      { maxFeeUnits: 11n },
      { minFinality: 500 }
    ]) {
      assert.strictEqual(
        judge({ ...own, burn: { ...burn, ...over } }),
        "an instruction is none that follows from the burn"
      )
    }
  })

  it("is not signed when it cannot be read", async () => {
    const own = await draft
    const older = bytesWith(own, ownOf(own)).subarray(1, -1)
    assert.strictEqual(Check.violation(older, own, none), "the message cannot be read")
  })

  it("tells a message without the wallet, and does not fail over it", async () => {
    const own = await draft
    const bytes = bytesWith(own, [naming(stranger, AccountRole.READONLY)])
    assert.strictEqual(Check.violation(bytes, own, none), otherSigns)
  })
})
