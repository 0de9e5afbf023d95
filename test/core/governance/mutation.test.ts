/**
 * A challenge allows one change and no other: whatever is altered of the input, the operation, the key, the
 * signed text or the signature, nothing changes; and the true one is good afterwards, once.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Scope } from "../../../core/operation/caller.ts"
import type { Refusal } from "../../../core/operation/refusal.ts"
import { Ids } from "../../../core/ports/ids.ts"
import { type Calls, callsOf } from "../../../core/treasury/treasury.ts"
import {
  type Change,
  changes,
  type Governing,
  governing,
  type Input,
  sign,
  standing
} from "../../support/governance-changes.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import { group } from "../cosigners/quorum/cosigner-group.ts"

type Answered = Effect.Effect<
  {
    readonly challenge?: { readonly challengeId: string; readonly message: string } | undefined
  },
  Refusal
>

/** Any governing call with any input: what is tried here is mostly what no caller's types would let through. */
const ask = (calls: Calls, name: Governing, input: Input) =>
  (calls[name] as unknown as (input: Input) => Answered)(input)

const codeOf = (answered: Answered) =>
  Effect.match(answered, {
    onFailure: ({ _tag }) => _tag as string,
    onSuccess: ({ challenge }) => (challenge === undefined ? "applied" : "challenged")
  })

const digits = "0123456789abcdef"

/** The signature with one hex digit changed, at every byte of it; cut short, doubled, empty of meaning. */
const spoiled = (signature: string): ReadonlyArray<string> => [
  ...Array.from({ length: 65 }, (_, byte) => {
    const at = 3 + byte * 2
    const other = digits[(digits.indexOf(signature.charAt(at)) + 1) % 16]
    return signature.slice(0, at) + other + signature.slice(at + 1)
  }),
  signature.slice(0, -2),
  signature.slice(2),
  `${signature}00`,
  signature + signature.slice(2),
  `0x${"00".repeat(65)}`,
  `0x${"ff".repeat(65)}`,
  "0x"
]

/** The text with one character changed, at many places all over it. */
const misread = (message: string): ReadonlyArray<string> =>
  Array.from({ length: 60 }, (_, place) => {
    const at = Math.floor((place * message.length) / 60)
    return `${message.slice(0, at)}${message.charAt(at) === "x" ? "y" : "x"}${message.slice(at + 1)}`
  })

const withOtherKey = Effect.fnUntraced(function* (accountId: string) {
  const keyId = yield* (yield* Ids).uuid
  return callsOf({ accountId, keyId, kind: "agent", scopes: new Set(Scope.literals) })
})

const issued = Effect.fnUntraced(function* (calls: Calls, name: Governing, input: Input) {
  const { challenge } = yield* ask(calls, name, input)
  const message = challenge?.message ?? ""
  const proof = { challengeId: challenge?.challengeId, walletSignature: yield* sign(message) }
  return { message, proof }
})

for (const name of governing) {
  it.effect(`what is signed for one ${name} allows that one and nothing else`, () =>
    Effect.gen(function* () {
      const founded = yield* group
      const all = yield* changes(founded)
      const { input, others }: Change = all[name]
      const { message, proof } = yield* issued(founded.agent, name, input)
      const before = yield* standing(founded)
      const refuse = Effect.fnUntraced(function* (answered: Answered, code: string, told: string) {
        assert.strictEqual(yield* codeOf(answered), code, told)
      })
      const mismatch = "CHALLENGE_MISMATCH"
      for (const other of others) {
        const told = JSON.stringify(other)
        yield* refuse(ask(founded.agent, name, { ...other, ...proof }), mismatch, told)
      }
      for (const another of governing.filter((each) => each !== name)) {
        const elsewhere = { ...all[another].input, ...proof }
        yield* refuse(ask(founded.agent, another, elsewhere), mismatch, another)
      }
      const secondKey = yield* withOtherKey(founded.ownerId)
      yield* refuse(ask(secondKey, name, { ...input, ...proof }), mismatch, "another key")
      // Paid for by the same wallet, so the signature itself would do.
      const twin = founded.calls.get("owner's twin") as Calls
      yield* refuse(ask(twin, name, { ...input, ...proof }), mismatch, "another account")
      const human = ask(founded.human, name, { ...input, ...proof })
      yield* refuse(human, "AGENT_KEY_REQUIRED", "a human's key")
      const forgeries = [
        ...spoiled(proof.walletSignature),
        ...(yield* Effect.forEach(misread(message), sign))
      ]
      for (const walletSignature of forgeries) {
        const forged = ask(founded.agent, name, { ...input, ...proof, walletSignature })
        yield* refuse(forged, "INVALID_SIGNATURE", walletSignature)
      }
      assert.strictEqual(yield* standing(founded), before)
      assert.strictEqual(yield* codeOf(ask(founded.agent, name, { ...input, ...proof })), "applied")
      assert.notStrictEqual(yield* standing(founded), before)
      const again = ask(founded.agent, name, { ...input, ...proof })
      yield* refuse(again, "CHALLENGE_EXPIRED", "used")
    }).pipe(Effect.provide(memoryTreasury))
  )
}
