/** What every keeper of wallets' keys must do about addresses, on each family of chains; `trusting` stands for the policy. */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import type { Order } from "../../core/submissions/order.ts"
import { ReclaimDenied } from "../../core/submissions/reclaim.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { type Line, type Standing, Timeline } from "../../core/timeline/timeline.ts"
import { idOf } from "../support/sending-chain.ts"
import { signingDenied } from "../support/signing-policies.ts"

const ids = Array.from({ length: 50 }, (_, number) => idOf(number))
const bytes = new Uint8Array(32).fill(0xab)

/** Another chain on which a wallet of the chain has the same address. */
const sisters: Readonly<Record<string, string>> = { base: "polygon", solana: "solana-devnet" }

/** How the records stand, which a test moves. */
let standing: Standing = { _tag: "open" }

const timeline = Layer.succeed(Timeline, {
  look: Effect.sync(() => standing),
  write: () => Effect.succeed(false),
  keep: () => Effect.void
})

const line: Line = {
  number: 1,
  server: "one",
  begunAt: "2030-01-01T00:00:00.000Z",
  keyStore: null,
  held: null
}

const notOpen: ReadonlyArray<Standing> = [
  { _tag: "fenced", line },
  { _tag: "held", line },
  { _tag: "unkept", line },
  { _tag: "moved", line, next: { ...line, number: 2 } },
  { _tag: "open", waited: { line, through: { local: { number: 1, hash: "of another chain" } } } }
]

export const suite = (name: string, keys: Layer.Layer<WalletKeys>, chainId = "base") =>
  layer(keys.pipe(Layer.provide(timeline)))(`${name}: wallet keys`, (it) => {
    const { curve } = Address.familyOf(chainId)

    const opened = Effect.fnUntraced(function* (id: string, on = chainId) {
      const { addressOf, open } = yield* WalletKeys
      const { isRecoverable, key } = yield* open(on, id)
      return { address: yield* addressOf(on, key), isRecoverable, key }
    })

    it.effect("every id has an address of its own, in the form people read", () =>
      Effect.gen(function* () {
        const all = yield* Effect.forEach(ids, (id) => opened(id))
        const addresses = all.map(({ address }) => address)
        assert.strictEqual(new Set(addresses).size, ids.length)
        assert.deepStrictEqual(
          addresses.map((address) => Address.parse(chainId, address)),
          addresses
        )
        assert.isTrue(all.every(({ isRecoverable }) => isRecoverable))
      })
    )

    it.effect("an id has one key for ever, on every chain of its family", () =>
      Effect.gen(function* () {
        const first = yield* opened(idOf(7))
        assert.deepStrictEqual(yield* opened(idOf(7)), first)
        assert.deepStrictEqual(yield* opened(idOf(7), sisters[chainId]), first)
      })
    )

    it.effect("a key takes the marks of its own wallet back, and of no other", () =>
      Effect.gen(function* () {
        const { signReclaim } = yield* WalletKeys
        const [mine, other] = [yield* opened(idOf(1)), yield* opened(idOf(2))]
        const reclaim = {
          ...{ accountId: "account", walletId: "wallet", chainId, key: mine.key },
          from: Address.keyOf(chainId, mine.address),
          identities: ["aa"]
        }
        assert.isAbove((yield* signReclaim(curve, reclaim, bytes)).length, 0)
        const from = Address.keyOf(chainId, other.address)
        const exit = yield* Effect.exit(signReclaim(curve, { ...reclaim, from }, bytes))
        if (Exit.isSuccess(exit)) return assert.fail("it was signed")
        assert.instanceOf(Cause.squash(exit.cause), ReclaimDenied)
      })
    )

    it.effect("a key signs for its own wallet, and not what the policy denies", () =>
      Effect.gen(function* () {
        const { sign } = yield* WalletKeys
        const [mine, other] = [yield* opened(idOf(1)), yield* opened(idOf(2))]
        const key = (text: string) => Address.keyOf(chainId, text)
        const order: Order = {
          act: "transfer",
          call: null,
          proposalId: "proposal",
          identity: "",
          accountId: "account",
          walletId: "wallet",
          chainId,
          key: mine.key,
          from: key(mine.address),
          to: key(other.address),
          amount: { token: { chainId, address: key("") }, units: 1n },
          validBefore: 2_000_000_000
        }
        const signed = (by: typeof mine, asked: Order) =>
          sign(by.key, curve, { order: asked, token: key(""), bytes })
        assert.isAbove((yield* signed(mine, order)).length, 0)
        const wrong = [
          signed(mine, { ...order, proposalId: signingDenied }),
          signed(other, order),
          signed(other, { ...order, key: other.key }),
          signed(mine, { ...order, from: key(other.address) })
        ]
        for (const refused of wrong) {
          const exit = yield* Effect.exit(refused)
          if (Exit.isSuccess(exit)) return assert.fail("it was signed")
          const defect = exit.cause.reasons.find(Cause.isDieReason)?.defect
          assert.propertyVal(defect, "name", "SigningDenied")
        }
      })
    )

    it.effect("no key signs on records that were replaced or may lack payments", () =>
      Effect.gen(function* () {
        const { sign, signReclaim } = yield* WalletKeys
        const mine = yield* opened(idOf(1))
        const from = Address.keyOf(chainId, mine.address)
        const of = { accountId: "account", walletId: "wallet", chainId, key: mine.key, from }
        const token = Address.keyOf(chainId, "")
        const order: Order = {
          ...{ ...of, act: "transfer", call: null, proposalId: "proposal", identity: "", to: from },
          amount: { token: { chainId, address: token }, units: 1n },
          validBefore: 2_000_000_000
        }
        const both = [
          sign(mine.key, curve, { order, token, bytes }),
          signReclaim(curve, { ...of, identities: ["aa"] }, bytes)
        ]
        for (const asked of both) {
          for (const each of notOpen) {
            standing = each
            const exit = yield* Effect.exit(asked)
            standing = { _tag: "open" }
            assert.isTrue(Exit.isFailure(exit), `it was signed on records that are ${each._tag}`)
          }
          assert.isAbove((yield* asked).length, 0)
          // Once the chain was read as well.
          const through = { [chainId]: { number: 1, hash: "of this chain" } }
          standing = { _tag: "open", waited: { line, through } }
          const signature = yield* asked
          standing = { _tag: "open" }
          assert.isAbove(signature.length, 0)
        }
      })
    )

    it.effect("a key of a backend that is not there tells nothing", () =>
      Effect.gen(function* () {
        const { addressOf } = yield* WalletKeys
        const { key } = yield* opened(idOf(3))
        const lost = addressOf(chainId, { ...key, backend: "elsewhere" })
        const exit = yield* Effect.exit(lost)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      })
    )
  })
