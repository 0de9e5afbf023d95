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
import { Secrets as SecretsPort } from "../../../core/ports/secrets.ts"
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
const sent = {
  id,
  accountId,
  call: { operation: "propose_transfer", idempotencyKey: "invoice-2041" }
}
const made: ReadonlyArray<readonly [string, () => Facts]> = [
  ["a send proposed with an idempotency key", () => Identity.ofProposal(sent)],
  [
    "a proposal without an idempotency key",
    () => Identity.ofProposal({ id, accountId, call: null })
  ],
  [
    "the second delivery of a bridge proposed with an idempotency key",
    () =>
      Identity.ofProposal(
        { id, accountId, call: { operation: "propose_bridge", idempotencyKey: "bridge-2041" } },
        "delivery 2"
      )
  ],
  [
    "the cancellation of an order proposed without an idempotency key",
    () => Identity.ofProposal({ id, accountId, call: null }, "cancel")
  ],
  [
    "a customer's vault on EVM chains",
    () => Identity.ofVault(accountId, "evm", { namespace: "default", externalId: "user_42" })
  ],
  [
    "a standard wallet opened with an idempotency key",
    () => Identity.ofStandardWallet(accountId, "evm", "payroll")
  ],
  ["the reference that names a payment request", () => Identity.ofReference(id)],
  [
    "the first event that tells of the payment of a request",
    () =>
      Event.factsOf(
        { accountId, object: "event", type: "payment_request.paid" },
        ["pr_4fzQx0aB7cDeFgHiJkLmNo"],
        1
      )
  ]
]

it.each(made)("%s is made of the facts the vectors say", (name, factsOf) => {
  assert.deepStrictEqual(factsOf(), vectors.find((vector) => vector.name === name)?.facts)
})

const [otherAccount, otherId] = [
  "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b40",
  "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b41"
]
const { call } = sent
const customer = { namespace: "default", externalId: "user_42" }
/** Each beside what differs from it in one thing that it names. */
const apart: ReadonlyArray<readonly [string, ReadonlyArray<() => Facts>]> = [
  [
    "a payment with an idempotency key",
    [
      () => Identity.ofProposal(sent),
      () => Identity.ofProposal({ ...sent, accountId: otherAccount }),
      () => Identity.ofProposal({ ...sent, call: { ...call, operation: "propose_refund" } }),
      () => Identity.ofProposal({ ...sent, call: { ...call, idempotencyKey: "invoice-2042" } }),
      () => Identity.ofProposal(sent, "delivery 1"),
      () => Identity.ofProposal(sent, "delivery 2")
    ]
  ],
  [
    "a payment without an idempotency key",
    [
      () => Identity.ofProposal({ ...sent, call: null }),
      () => Identity.ofProposal({ ...sent, call: null, id: otherId }),
      () => Identity.ofProposal({ ...sent, call: null }, "cancel")
    ]
  ],
  [
    "a customer's vault",
    [
      () => Identity.ofVault(accountId, "evm", customer),
      () => Identity.ofVault(otherAccount, "evm", customer),
      () => Identity.ofVault(accountId, "solana", customer),
      () => Identity.ofVault(accountId, "evm", { ...customer, namespace: "shop" }),
      () => Identity.ofVault(accountId, "evm", { ...customer, externalId: "user_43" })
    ]
  ],
  [
    "a standard wallet",
    [
      () => Identity.ofStandardWallet(accountId, "evm", "payroll"),
      () => Identity.ofStandardWallet(otherAccount, "evm", "payroll"),
      () => Identity.ofStandardWallet(accountId, "solana", "payroll"),
      () => Identity.ofStandardWallet(accountId, "evm", "rent")
    ]
  ],
  [
    "the reference of a payment request",
    [() => Identity.ofReference(id), () => Identity.ofReference(otherId)]
  ]
]

it.effect.each(apart)("%s is another as soon as one thing it names is another", ([, factsOf]) =>
  Effect.gen(function* () {
    const { derive } = yield* under("09".repeat(32))
    const identities = new Set(factsOf.map((facts) => derive(facts())))
    assert.strictEqual(identities.size, factsOf.length)
  })
)

it("a payment's identity is the same under the id its records have after a loss", () => {
  assert.deepStrictEqual(
    Identity.ofProposal({ ...sent, id: otherId }, "delivery 1"),
    Identity.ofProposal(sent, "delivery 1")
  )
})

/** Under a key that counts how often it is asked. */
const counted = Effect.gen(function* () {
  const secrets = yield* SecretsPort
  const asked: Array<string> = []
  const sign: SecretsPort["Service"]["sign"] = (key, text) => {
    asked.push(text)
    return secrets.sign(key, text)
  }
  const key = Redacted.make(new Uint8Array(32).fill(9))
  const counting = Layer.succeed(SecretsPort, { ...secrets, sign })
  const { derive } = yield* Effect.provide(
    Derivation,
    Identity.layer(key).pipe(Layer.provide(counting))
  )
  return { asked, derive: (number: number) => derive(Identity.ofReference(`request ${number}`)) }
}).pipe(Effect.provide(Secrets.layer))

it.effect("what was derived lately is known again without the key, each by its own facts", () =>
  Effect.gen(function* () {
    const { asked, derive } = yield* counted
    const first = [1, 2, 3].map(derive)
    assert.strictEqual(new Set(first).size, 3)
    assert.deepStrictEqual([1, 2, 3].map(derive), first)
    assert.lengthOf(asked, 3)
  })
)

it.effect("a thousand are known again at most, and the oldest is derived anew", () =>
  Effect.gen(function* () {
    const { asked, derive } = yield* counted
    const first = derive(1)
    for (let number = 2; number <= 1000; number++) derive(number)
    derive(1)
    assert.lengthOf(asked, 1000)
    derive(1001)
    derive(2)
    assert.lengthOf(asked, 1001)
    assert.strictEqual(derive(1), first)
    assert.lengthOf(asked, 1002)
  })
)

it.effect("a key of another length derives nothing", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(under("09".repeat(31)))
    assert.strictEqual(exit._tag, "Failure")
  })
)
