/** The wallet root is one thing: seed and identity key are made, wrapped and put back together. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as WalletRoot from "../../../adapters/secrets/wallet-root.ts"

const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const ring = (current: number, previous?: number) => ({
  keyEncryptionKey: key(current),
  ...(previous === undefined ? {} : { previousKeyEncryptionKey: key(previous) }),
  pepper: key(9)
})

it("a new root has a seed and an identity key of its own", () => {
  const [one, other] = [WalletRoot.read(WalletRoot.make()), WalletRoot.read(WalletRoot.make())]
  const seed = Redacted.value(one.seed)
  assert.lengthOf(seed, 64)
  assert.lengthOf(Redacted.value(one.identityKey), 32)
  assert.notDeepEqual(seed, Redacted.value(other.seed))
  assert.notDeepEqual(Redacted.value(one.identityKey), Redacted.value(other.identityKey))
  assert.notInclude(JSON.stringify(one), Buffer.from(seed).toString("base64"))
  for (const wrong of ["", "AAAA", WalletRoot.make().slice(4), `${WalletRoot.make()} `]) {
    assert.throws(() => WalletRoot.read(wrong), /no wallet root/u)
  }
})

it.effect("a backup opens under the key it was made under, current or previous, and no other", () =>
  Effect.gen(function* () {
    const root = WalletRoot.make()
    const wrapped = WalletRoot.wrap(ring(1), root)
    assert.notInclude(wrapped, root.slice(0, 20))
    for (const keyring of [ring(1), ring(2, 1), ring(1, 2)]) {
      assert.strictEqual(yield* WalletRoot.unwrap(keyring, `${wrapped}\n`), root)
    }
    const changed = `${wrapped.slice(0, -2)}${wrapped.endsWith("AA") ? "BB" : "AA"}`
    for (const [keyring, text] of [
      [ring(2), wrapped],
      [ring(2, 3), wrapped],
      [ring(1), changed],
      [ring(1), ""]
    ] as const) {
      const refused = yield* Effect.flip(WalletRoot.unwrap(keyring, text))
      assert.match(refused.message, /does not open/u)
    }
  })
)

it.effect("a fingerprint is of one identity key and tells nothing of it", () =>
  Effect.gen(function* () {
    const { identityKey } = WalletRoot.read(WalletRoot.make())
    const fingerprint = WalletRoot.fingerprintOf(identityKey)
    yield* WalletRoot.check(identityKey, fingerprint)
    assert.notInclude(fingerprint, Buffer.from(Redacted.value(identityKey)).toString("hex"))
    const refused = yield* Effect.flip(WalletRoot.check(key(1), fingerprint))
    assert.match(refused.message, /another identity key/u)
  })
)
