/** How long a challenge is good for, to the millisecond, and what else decides whether it is. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { bothFurnished, fundingWallet } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { aRecipient } from "../../support/sending-rows.ts"

const treasury = Layer.suspend(() =>
  Layer.unwrap(
    Effect.map(MemoryStore.make, (store) =>
      Wiring.layer({ store, chain: Wiring.scriptedChain() }, 1)
    )
  )
)

const address = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
const wanted = { address, chainId: "local" }

const agent = Effect.map(bothFurnished, ([, seeded]) => ({
  accountId: seeded.accountId,
  call: callsOf(seeded.caller)
}))

const sign = (message: string) => Effect.promise(() => fundingWallet.signMessage({ message }))

const signed = Effect.fnUntraced(function* (call: ReturnType<typeof callsOf>) {
  const { challenge } = yield* call.add_recipient(wanted)
  const message = challenge?.message ?? ""
  const walletSignature = yield* sign(message)
  return { ...wanted, challengeId: challenge?.challengeId ?? "", walletSignature }
})

const tenMinutesMs = 600_000

for (const [waitMs, code] of [
  [tenMinutesMs - 1, undefined],
  [tenMinutesMs, "CHALLENGE_EXPIRED"],
  [tenMinutesMs + 1, "CHALLENGE_EXPIRED"]
] as const) {
  it.effect(`${waitMs} ms after it was issued a challenge is ${code ?? "good"}`, () =>
    Effect.gen(function* () {
      const { call } = yield* agent
      const input = yield* signed(call)
      yield* TestClock.adjust(waitMs)
      const answer = yield* Effect.result(call.add_recipient(input))
      assert.strictEqual(answer._tag === "Failure" ? answer.failure._tag : undefined, code)
    }).pipe(Effect.provide(treasury))
  )
}

it.effect(
  "a recipient in its cooldown is approved by a signature, and only while it is in it",
  () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* agent
      const now = yield* DateTime.now
      const cooling = aRecipient(accountId, {
        chainId: "local",
        status: "pending",
        cooldownEndsAt: DateTime.add(now, { hours: 24 })
      })
      yield* (yield* Recipients).add(cooling)
      const input = { recipientId: cooling.id }
      const { challenge } = yield* call.approve_recipient(input)
      assert.include(challenge?.message, cooling.address)
      const { recipients: before } = yield* call.list_recipients({})
      assert.isTrue(before.find(({ id }) => id === cooling.id)?.cooldownActive)
      const proof = {
        challengeId: challenge?.challengeId ?? "",
        walletSignature: yield* sign(challenge?.message ?? "")
      }
      const done = yield* call.approve_recipient({ ...input, ...proof })
      assert.strictEqual(done.status, "completed")
      const { recipients: after } = yield* call.list_recipients({})
      assert.strictEqual(after.find(({ id }) => id === cooling.id)?.status, "approved")
      const again = yield* Effect.flip(call.approve_recipient(input))
      assert.strictEqual(again._tag, "INVALID_REQUEST")
    }).pipe(Effect.provide(treasury))
)

it.effect("a silent chain is never a bad signature, and leaves the challenge good", () =>
  Effect.gen(function* () {
    const { call } = yield* agent
    const { outage } = yield* ChainScript
    const input = yield* signed(call)
    const strange = yield* sign("something else")
    yield* outage(true)
    const away = yield* Effect.flip(call.add_recipient({ ...input, walletSignature: strange }))
    assert.strictEqual(away._tag, "UPSTREAM_UNAVAILABLE")
    yield* outage(false)
    assert.strictEqual((yield* call.add_recipient(input)).status, "completed")
  }).pipe(Effect.provide(treasury))
)
