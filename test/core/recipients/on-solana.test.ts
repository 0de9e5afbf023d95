/** Whom nobody on Solana can pay is refused by name when it is to become a recipient, with the field and what is taken. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import type { Payee } from "../../../core/ports/chains.ts"
import { seedAccounts } from "../../../core/treasury/seed.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { addressOf, anOwner } from "../../support/solana-world.ts"

const chainId = "local-solana"

const treasury = Layer.suspend(() =>
  Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain([chainId]) }, 1)
)

const adding = Effect.gen(function* () {
  const seeded = yield* (yield* Atomically).run(
    seedAccounts({
      kind: "developer",
      name: "Northwind",
      tier: "personal",
      chainId,
      customer: { externalId: "first_customer", namespace: "default" },
      payee: { label: "Payee", address: addressOf("p") }
    })
  )
  const call = callsOf(yield* authenticate(seeded.apiKey))
  return (address: string) => call.add_recipient({ address, chainId, nickname: "Supplier" })
})

/** Base58 has no small l: a capital that is written small is no address at all. */
const right = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6LLLL"

it.effect("a text that is no address there, by the form that is", () =>
  Effect.gen(function* () {
    const add = yield* adding
    const wrong = [
      right.toLowerCase(),
      anOwner().slice(0, -2),
      `${anOwner()}11`,
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "wallet.sol"
    ]
    for (const text of wrong) {
      const refused = yield* Effect.flip(add(text))
      assert.strictEqual(refused._tag, "INVALID_ADDRESS", text)
      assert.deepInclude(refused, { kind: "invalid", param: "address" })
      assert.match(refused.message, /32 bytes in base58, 32 to 44 characters/u)
    }
  }).pipe(Effect.provide(treasury))
)

it.effect("what stands there and owns no USDC, by what it is", () =>
  Effect.gen(function* () {
    const { standsAt } = yield* ChainScript
    const add = yield* adding
    const unpayable = ["a token account; its owner is somebody", "a program", "a token's mint"]
    for (const reason of unpayable) {
      const address = anOwner()
      const payee: Payee = { _tag: "unpayable", reason }
      yield* standsAt(address, payee, chainId)
      const refused = yield* Effect.flip(add(address))
      assert.deepInclude(refused, { _tag: "INVALID_ADDRESS", kind: "invalid", param: "address" })
      assert.include(refused.message, `The address is ${reason}. Send the address of a wallet.`)
    }
    const usdc = Wiring.scriptedChain([chainId]).scripted.get(chainId)?.connected.usdc ?? ""
    assert.match((yield* Effect.flip(add(usdc))).message, /USDC token itself/u)
  }).pipe(Effect.provide(treasury))
)

it.effect("an address off the curve is taken, and that is said before anybody confirms", () =>
  Effect.gen(function* () {
    const { standsAt } = yield* ChainScript
    const add = yield* adding
    const [plain, vault] = [anOwner(), anOwner()]
    const note = "no key belongs to this address"
    yield* standsAt(vault, { _tag: "payable", note }, chainId)
    const said = yield* add(vault)
    assert.include(JSON.stringify(said), note)
    assert.notInclude(JSON.stringify(yield* add(plain)), note)
  }).pipe(Effect.provide(treasury))
)
