/** What the relayer adds its signature to on Solana: a plain payment, and none of the things that look like one. */
import { assert, layer } from "@effect/vitest"
import { address, generateKeyPairSigner } from "@solana/kit"
import { Effect, Exit } from "effect"
import type { RelayerKey } from "../../../adapters/solana/relayer-key.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import { keyOf } from "../../../core/chains/address.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import type { SignedTransfer } from "../../../core/solana/signed-transfer.ts"
import type { Accepted, Terms } from "../../../core/x402/offer.ts"
import { verifyTransaction } from "../../../core/x402/verify-solana.ts"
import * as Payers from "../../support/payer-transactions.ts"
import { solana, solanaRelay, solanaRelayer } from "../../support/real-send-worlds.ts"
import * as Solana from "../../support/solana.ts"
import { changes, spoilt } from "../../support/spoilt-payments.ts"

const chainId = "local-solana"
const amountMicro = Usdc.make(5_000_000n)
const memo = "pr_0000000000000000000000"

/** The relayer of the world, and how often it has signed. */
const counted = () => {
  const key = solanaRelayer()
  let signatures = 0
  const relayer: RelayerKey = {
    address: key.address,
    sign: (message) =>
      Effect.suspend(() => {
        signatures++
        return key.sign(message)
      })
  }
  return { relayer, count: () => signatures }
}

/** A payee whose account is open, a payer with enough, and what is asked of them. */
const scene = Effect.gen(function* () {
  const chain = yield* LocalSolana
  const relay = yield* SolanaRelay
  const payee = yield* Effect.promise(() => generateKeyPairSigner())
  yield* chain.mint(payee.address, 1n)
  const payer = yield* Payers.payerWith(3n * amountMicro)
  yield* chain.advance(2)
  const feePayer: string = yield* relay.relayerAddress(chainId)
  const draft: Payers.Draft = { payer, payTo: payee.address, amountMicro, feePayer, memo }
  const terms: Terms = {
    chainId,
    token: keyOf(chainId, chain.usdc),
    payTo: keyOf(chainId, payee.address),
    amountMicro,
    maxTimeoutSeconds: 180,
    memo
  }
  const accepted: Accepted = { ...terms, feePayer }
  return { accepted, draft, terms }
})

type Scene = Effect.Success<typeof scene>

/** Reads and tries what a payer handed in, and has the relayer sign what passes; what it signed. */
const handedIn = Effect.fnUntraced(function* (wire: string, { accepted, terms }: Scene) {
  const relay = yield* SolanaRelay
  const read = yield* relay.readSigned(chainId, wire, terms.payTo)
  if ("_tag" in read) return yield* Effect.fail(read)
  yield* verifyTransaction(read, accepted, terms)
  return { read, signed: yield* relay.countersign(read) }
})

layer(solana)("a payer's own transaction on Solana", (it) => {
  it.effect("is signed once when it is a plain payment on the terms that were offered", () => {
    const { count, relayer } = counted()
    return Effect.gen(function* () {
      const found = yield* scene
      const wire = yield* Payers.plain(found.draft)
      const { read, signed } = yield* handedIn(wire, found)
      assert.strictEqual(count(), 1)
      assert.deepInclude(read, {
        amountMicro,
        memo,
        from: keyOf(chainId, found.draft.payer.address)
      })
      const relay = yield* SolanaRelay
      const chain = yield* LocalSolana
      yield* relay.broadcast(chainId, signed.wire)
      yield* chain.advance(2)
      assert.strictEqual(yield* Solana.held(found.draft.payTo), amountMicro + 1n)
      assert.deepStrictEqual(yield* relay.trySigned(read), { _tag: "landed" })
    }).pipe(Effect.provide(solanaRelay(relayer)))
  })

  it.effect("is not signed when it is anything else, in more than thirty ways", () => {
    const { count, relayer } = counted()
    return Effect.gen(function* () {
      const found = yield* scene
      const { draft } = found
      const strange = yield* Payers.payerWith(amountMicro)
      const good = yield* Payers.plain(draft)
      const wires: Array<readonly [name: string, wire: string]> = []
      const parts = yield* Payers.partsOf(draft)
      for (const [name, change] of Object.entries(changes)) {
        const wire = yield* Payers.wireOf(yield* change(parts, draft, strange), draft.feePayer)
        wires.push([name, wire])
      }
      for (const [name, change] of Object.entries(spoilt)) wires.push([name, change(good)])
      wires.push(["another fee payer", yield* Payers.plain({ ...draft, feePayer: draft.payTo })])
      wires.push([
        "the payer as fee payer",
        yield* Payers.plain({ ...draft, feePayer: draft.payer.address })
      ])
      const unknown = { ...(yield* Payers.latest), blockhash: address(draft.payTo) as never }
      wires.push(["a block nobody knows", yield* Payers.plain(draft, unknown)])
      const poor = yield* Payers.payerWith(amountMicro - 1n)
      wires.push(["a payer with too little", yield* Payers.plain({ ...draft, payer: poor })])
      assert.isAtLeast(wires.length, 45)
      for (const [name, wire] of wires) {
        const exit = yield* Effect.exit(handedIn(wire, found))
        assert.isTrue(Exit.isFailure(exit), name)
        assert.strictEqual(count(), 0, name)
      }
      // The reader beside the key refuses by itself, whoever vouches for it.
      const { read } = yield* handedIn(good, found)
      assert.strictEqual(count(), 1)
      const { countersign } = yield* SolanaRelay
      const relayerKeyed = (wire: string): SignedTransfer => ({ ...read, wire })
      for (const [name, wire] of wires) {
        const isItsOwn = ["a payer with too little", "a block nobody knows", "another memo"]
        if (isItsOwn.includes(name)) continue
        yield* Effect.exit(countersign(relayerKeyed(wire)))
        assert.strictEqual(count(), 1, name)
      }
    }).pipe(Effect.provide(solanaRelay(relayer)))
  })

  it.effect("is not taken for an offer that was never made", () => {
    const { count, relayer } = counted()
    return Effect.gen(function* () {
      const found = yield* scene
      const wire = yield* Payers.plain(found.draft)
      const other = "11111111111111111111111111111112"
      const altered: ReadonlyArray<Partial<Accepted>> = [
        { amountMicro: Usdc.make(1n) },
        { token: keyOf(chainId, other) },
        { payTo: keyOf(chainId, other) },
        { maxTimeoutSeconds: 181 },
        { feePayer: other },
        { memo: "another" }
      ]
      for (const change of altered) {
        const accepted = { ...found.accepted, ...change }
        const refused = yield* Effect.flip(handedIn(wire, { ...found, accepted }))
        assert.strictEqual("reason" in refused && refused.reason, "invalid_payment_requirements")
      }
      assert.strictEqual(count(), 0)
    }).pipe(Effect.provide(solanaRelay(relayer)))
  })
})
