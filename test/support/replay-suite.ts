/**
 * Every write of the catalogue, called once under an idempotency key and asked for again under it by other
 * keys of the account: none hears more than its own call would give it, and nothing is done twice.
 */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import type { ChainScript } from "../../adapters/memory/chains.ts"
import { Keys } from "../../core/accounts/account-store.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Usd from "../../core/money/usd.ts"
import { type Facts as CallerFacts, Scope } from "../../core/operation/caller.ts"
import type { InvocationResult } from "../../core/operation/invocation-result.ts"
import { invoke } from "../../core/operation/invoke.ts"
import type { Refusal } from "../../core/operation/refusal.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { type Operations, operations } from "../../core/treasury/operations.ts"
import type { Needs } from "../../core/treasury/treasury.ts"
import { group } from "../core/cosigners/quorum/cosigner-group.ts"
import * as Accounts from "./accounts.ts"
import { askerOf, type Owner, owner } from "./full-account.ts"
import {
  type Change,
  changes,
  type Governing,
  governing,
  type Input,
  sign,
  standing
} from "./governance-changes.ts"
import type { AccountId } from "./small-treasury.ts"
import { inputs } from "./valid-inputs.ts"

type Stores = Needs | ChainScript | AccountId

/** Another key of the account, and where it calls from. */
interface Other {
  readonly title: string
  readonly apiKey: string
  readonly from?: string
}

/** In the order in which all of them succeed. */
const writes = Object.keys(inputs).flatMap((name) =>
  operations.filter((each) => each.name === name && each.sideEffect !== "read")
)

const secondsLater = TestClock.adjust("1 second")

type Over = Parameters<typeof Accounts.issued>[1]

/** A key made by the caller's own. */
const made = (caller: CallerFacts, over: Over = {}) =>
  Accounts.issued(caller, { madeBy: caller.keyId, ...over })

/** What a restriction names that is of no use to any call here. */
type Elsewhere = Pick<Owner, "newcomerId" | "vaultId">

/** Keys of every narrower set of scopes by one, of one scope alone, and under each restriction. */
const narrower = Effect.fnUntraced(function* (caller: CallerFacts, own: Elsewhere) {
  const now = yield* DateTime.now
  const sets: ReadonlyArray<readonly [string, Over]> = [
    ...Scope.literals.map(
      (scope) =>
        [`without ${scope}`, { scopes: Scope.literals.filter((each) => each !== scope) }] as const
    ),
    ...Scope.literals.map((scope) => [`of ${scope} alone`, { scopes: [scope] }] as const),
    ["of other recipients", { recipientIds: [own.newcomerId] }],
    ["of other wallets", { walletIds: [own.vaultId] }],
    ["of a tiny cap", { dailyCapMicro: Usd.make(1n) }],
    ["of another address", { ipRanges: ["203.0.113.0/24"] }],
    ["that has expired", { expiresAt: now }],
    ["that is revoked", {}]
  ]
  return yield* Effect.forEach(sets, ([title, over]) =>
    Effect.gen(function* () {
      const { apiKey, key } = yield* made(caller, over)
      if (title === "that is revoked") yield* (yield* Keys).revoke(key.accountId, key.id, now)
      return { title, apiKey, from: "192.0.2.1" } satisfies Other
    })
  )
})

/** A key that takes the first one's place: made by it, or by the operator. */
const successors = Effect.fnUntraced(function* (caller: CallerFacts) {
  const { apiKey } = yield* made(caller)
  const granted = yield* Accounts.issued(caller)
  return [
    { title: "made by it", apiKey },
    { title: "made by the operator", apiKey: granted.apiKey }
  ] satisfies ReadonlyArray<Other>
})

const refused = (refusal: Refusal): InvocationResult => ({ ok: false, refusal })

/** The call as it arrives: with a key that is looked up first. */
const arriving = (
  other: Other,
  operation: Operations[number],
  input: unknown,
  idempotencyKey?: string
) =>
  authenticate(other.apiKey, other.from).pipe(
    Effect.flatMap((caller) =>
      invoke(operation, {
        caller,
        input,
        requestId: "req_again",
        ...(idempotencyKey === undefined ? {} : { idempotencyKey })
      })
    ),
    Effect.catch((refusal) => Effect.succeed(refused(refusal)))
  )

/** When a key was used last is noted once a minute, and so is one that calls from where it may not. */
const noted = ({ apiKey, from }: Other) => Effect.ignore(authenticate(apiKey, from))

/** What its own call would be answered; nothing of it stays. */
const ownAnswer = Effect.fnUntraced(function* (
  other: Other,
  operation: Operations[number],
  input: unknown
) {
  const atomically = yield* Atomically
  return yield* Effect.flip(
    atomically.run(Effect.flatMap(arriving(other, operation, input), Effect.fail))
  )
})

const codeOf = (answer: InvocationResult) => (answer.ok ? "ok" : answer.refusal._tag)

const shownSecrets = (answer: InvocationResult) =>
  answer.ok ? ["apiKey", "secret"].filter((field) => field in answer.output) : []

const assertNoMore = (title: string, own: InvocationResult, replay: InvocationResult) => {
  if (replay.ok) {
    assert.isTrue(own.ok, `${title} hears what its own call is refused: ${codeOf(own)}`)
    assert.isTrue(replay.replayed, `${title} did it again`)
  } else if (replay.refusal._tag !== "UNAUTHENTICATED") {
    assert.strictEqual(replay.refusal.outcome, "unknown", `${title}: ${codeOf(replay)}`)
  }
  assert.deepStrictEqual(shownSecrets(replay), [], title)
}

/** A change that the funding wallet signs for: asked for by one key, and then under its idempotency key by others. */
const signedChange = Effect.fnUntraced(function* (name: Governing) {
  const founded = yield* group
  const { input }: Change = (yield* changes(founded))[name]
  const operation = operations.find((each) => each.name === name) as Operations[number]
  const { caller } = yield* Accounts.keyed({ accountId: founded.ownerId, kind: "agent" })
  const ask = (given: Input, idempotencyKey: string) =>
    invoke(operation, { caller, input: given, requestId: "req_signed", idempotencyKey })
  const asked = yield* ask(input, `asked-${name}`)
  if (!asked.ok) return assert.fail(`${name}: ${codeOf(asked)}`)
  const { challengeId, message } = asked.output.challenge as Record<string, string>
  const walletSignature = yield* sign(message ?? "")
  const signed = { ...input, challengeId, walletSignature }
  const places = { newcomerId: founded.payeeId, vaultId: founded.walletId }
  const others = [...(yield* narrower(caller, places)), ...(yield* successors(caller))]
  const theirs = yield* Effect.forEach(others, (other) => ownAnswer(other, operation, signed))
  const before = yield* standing(founded)
  assert.strictEqual(codeOf(yield* ask(signed, `signed-${name}`)), "ok")
  yield* Effect.forEach(others, noted)
  const after = yield* standing(founded)
  assert.notStrictEqual(after, before, name)
  for (const [at, other] of others.entries()) {
    const title = `${name}, a key ${other.title}`
    const own = theirs[at] as InvocationResult
    assert.isFalse(own.ok, `${title} uses what was issued to another`)
    const replay = yield* arriving(other, operation, signed, `signed-${name}`)
    assert.isFalse(replay.ok, `${title} hears what came of a signature for another`)
    assert.strictEqual(codeOf(replay), codeOf(own), title)
    assertNoMore(title, own, replay)
  }
  const again = yield* ask(signed, `signed-${name}`)
  assert.isTrue(again.ok && again.replayed, name)
  assert.strictEqual(yield* standing(founded), after, `${name} was done again`)
  return theirs.map(codeOf)
})

/** `told` reads all that the records hold. */
export const suite = <E, Extra = never>(
  name: string,
  stores: Layer.Layer<Stores | Extra, E>,
  told: (own: Owner) => Effect.Effect<unknown, never, Stores | Extra>
) =>
  layer(stores, { timeout: 120_000 })(`${name}: a write asked for again by another key`, (it) => {
    it.effect(
      "no key hears of another's call what its own would not tell it, and none does it again",
      () =>
        Effect.gen(function* () {
          const own = yield* owner("ada", secondsLater)
          const [others, heirs] = [yield* narrower(own.caller, own), yield* successors(own.caller)]
          const agents = [
            yield* narrower(own.agent.caller, own),
            yield* successors(own.agent.caller)
          ] as const
          const tally = { replayed: 0, refused: 0, unauthenticated: 0 }
          for (const operation of writes) {
            const asker = askerOf(operation.name, own)
            const [narrow, next] = asker === own ? [others, heirs] : agents
            const input = inputs[operation.name](own)
            const idempotencyKey = `first-${operation.name}`
            const theirs = yield* Effect.forEach(narrow, (other) =>
              ownAnswer(other, operation, input)
            )
            const call = { caller: asker.caller, input, requestId: "req_first", idempotencyKey }
            const first = yield* invoke(operation, call)
            assert.strictEqual(codeOf(first), "ok", operation.name)
            yield* Effect.forEach([...narrow, ...next], noted)
            const before = yield* told(own)
            for (const [at, other] of narrow.entries()) {
              const replay = yield* arriving(other, operation, input, idempotencyKey)
              const title = `${operation.name}, a key ${other.title}`
              assertNoMore(title, theirs[at] as InvocationResult, replay)
              const code = codeOf(replay)
              tally[
                replay.ok ? "replayed" : code === "UNAUTHENTICATED" ? "unauthenticated" : "refused"
              ] += 1
            }
            for (const heir of next) {
              const replay = yield* arriving(heir, operation, input, idempotencyKey)
              const title = `${operation.name}, a successor ${heir.title}`
              assert.isTrue(
                replay.ok ? replay.replayed : replay.refusal.outcome === "unknown",
                title
              )
              assert.deepStrictEqual(shownSecrets(replay), [], title)
            }
            assert.deepStrictEqual(yield* told(own), before, `${operation.name} was done again`)
            yield* secondsLater
          }
          assert.strictEqual(tally.unauthenticated, 3 * writes.length)
          assert.isAbove(tally.replayed, writes.length)
          assert.isAbove(tally.refused, 10 * writes.length)
        }),
      120_000
    )

    it.effect(
      "no key hears what came of a change that was signed for another, and none does it again",
      () =>
        Effect.gen(function* () {
          const codes = new Set((yield* Effect.forEach(governing, signedChange)).flat())
          assert.sameMembers(
            [...codes],
            ["CHALLENGE_MISMATCH", "INSUFFICIENT_SCOPE", "UNAUTHENTICATED"]
          )
        }),
      120_000
    )
  })
