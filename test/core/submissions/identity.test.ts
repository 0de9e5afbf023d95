/**
 * What is derived under the identity key is what it always was: changing it pays proposals under way twice and
 * loses wallets. The vectors are computed here a second time, by other code.
 */
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Seed from "../../../adapters/keys/seed.ts"
import * as Secrets from "../../../adapters/memory/secrets.ts"
import * as Identity from "../../../core/submissions/identity.ts"
import { Identity as Derivation, type Facts } from "../../../core/timeline/identity.ts"
import * as Event from "../../../core/webhooks/event.ts"

interface Vector {
  readonly name: string
  readonly identityKey: string
  readonly facts: readonly [1, ...ReadonlyArray<string>]
  readonly identity: string
  readonly walletId?: string
  readonly path?: string
  readonly eventId?: string
}

const vectors: ReadonlyArray<Vector> = JSON.parse(
  readFileSync(new URL("../../vectors/identity.json", import.meta.url), "utf8")
)

const under = (keyHex: string) => {
  const key = Redacted.make(new Uint8Array(Buffer.from(keyHex, "hex")))
  return Effect.provide(Derivation, Identity.layer(key).pipe(Layer.provide(Secrets.layer)))
}

/** JSON of a list of plain values is canonical as JavaScript writes it. */
const byHand = ({ facts, identityKey }: Vector) =>
  createHmac("sha256", Buffer.from(identityKey, "hex")).update(JSON.stringify(facts)).digest("hex")

it.effect.each(vectors)("$name", (vector) =>
  Effect.gen(function* () {
    const identity = yield* under(vector.identityKey)
    assert.strictEqual(byHand(vector), vector.identity)
    assert.strictEqual(identity.derive(vector.facts), vector.identity)
    if (vector.eventId !== undefined)
      assert.strictEqual(Event.idOf("event", vector.identity), vector.eventId)
    if (vector.walletId === undefined) return
    assert.strictEqual(Identity.walletId(identity, vector.facts), vector.walletId)
    const { ref } = yield* Seed.backend(new Uint8Array(64)).open("secp256k1", vector.walletId)
    assert.strictEqual(ref, vector.path)
    const bits = ref
      .slice(2)
      .split("/")
      .map((level) => Number.parseInt(level, 10).toString(2).padStart(31, "0"))
    assert.strictEqual(BigInt(`0b${bits.join("")}`), BigInt(`0x${vector.walletId}`))
  })
)

it("no two vectors are one identity", () => {
  assert.strictEqual(new Set(vectors.map(({ identity }) => identity)).size, vectors.length)
})

const [accountId, id] = [
  "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
  "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e"
]
const made: ReadonlyArray<readonly [string, Facts]> = [
  [
    "a send proposed with an idempotency key",
    Identity.ofProposal({
      id,
      accountId,
      call: { operation: "propose_transfer", idempotencyKey: "invoice-2041" }
    })
  ],
  ["a proposal without an idempotency key", Identity.ofProposal({ id, accountId, call: null })],
  [
    "a customer's vault on EVM chains",
    Identity.ofVault(accountId, "evm", { namespace: "default", externalId: "user_42" })
  ],
  [
    "a standard wallet opened with an idempotency key",
    Identity.ofStandardWallet(accountId, "evm", "payroll")
  ],
  [
    "the first event that tells of the payment of a request",
    Event.factsOf(
      { accountId, object: "event", type: "payment_request.paid" },
      ["pr_4fzQx0aB7cDeFgHiJkLmNo"],
      1
    )
  ]
]

it.each(made)("%s is made of the facts the vectors say", (name, facts) => {
  assert.deepStrictEqual(facts, vectors.find((vector) => vector.name === name)?.facts)
})

it.effect("a key of another length derives nothing", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(under("09".repeat(31)))
    assert.strictEqual(exit._tag, "Failure")
  })
)
