/** Keys in a key management service: what it answers is read strictly, folded, and checked against its key. */
import {
  createECDH,
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign
} from "node:crypto"
import { assert, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { bytesToHex, hexToBytes, recoverAddress } from "viem/utils"
import { addressOf as evmAddressOf } from "../../../adapters/evm/relayer-key.ts"
import * as Der from "../../../adapters/keys/der.ts"
import * as Kms from "../../../adapters/keys/kms.ts"
import * as Contract from "../../contracts/evm-relay.contract.ts"
import * as Submitters from "../../contracts/submitters.contract.ts"
import * as WalletKeysContract from "../../contracts/wallet-keys.contract.ts"
import { kmsKeys, walletKeys, worldOf } from "../../support/anvil-sending-chain.ts"
import { derOf, localKms } from "../../support/local-kms.ts"
import { evmGround } from "../../support/real-send-worlds.ts"
import {
  assertPaidBy,
  attemptOf,
  broadcast,
  fundedAndAuthorized,
  held,
  idOf,
  PayingWorld,
  trace
} from "../../support/sending-chain.ts"
import { addressOf } from "../../support/watched-chain.ts"

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const prefix = "treasury"
const curve = "secp256k1"

const addressOfKey = (key: KeyObject) => {
  const { d = "" } = key.export({ format: "jwk" })
  return privateKeyToAddress(bytesToHex(Buffer.from(d, "base64url")))
}

it.effect(
  "what OpenSSL signs is read, folded and recovered to its own key, two hundred times",
  () =>
    Effect.gen(function* () {
      const pair = generateKeyPairSync("ec", { namedCurve: "secp256k1" })
      const spki = pair.publicKey.export({ type: "spki", format: "der" })
      let high = 0
      for (let turn = 0; turn < 200; turn++) {
        const message = randomBytes(32)
        const digest = bytesToHex(createHash("sha256").update(message).digest())
        const der = new Uint8Array(sign("sha256", message, pair.privateKey))
        if (Der.signature(der).s > order / 2n) high++
        const client = {
          make: async () => "key",
          publicKeyOf: async () => spki,
          sign: async () => der
        }
        const signed = yield* Kms.backend(client, { prefix }).sign(curve, "key", hexToBytes(digest))
        const signature = bytesToHex(signed)
        assert.lengthOf(signature, 132)
        assert.isTrue(BigInt(`0x${signature.slice(66, 130)}`) <= order / 2n)
        const recovered = yield* Effect.promise(() => recoverAddress({ hash: digest, signature }))
        assert.strictEqual(recovered, addressOfKey(pair.privateKey))
      }
      assert.isAbove(high, 50)
      assert.isBelow(high, 150)
    })
)

const spkiOf = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"))

it("a signature is read in one form alone", () => {
  const der = derOf(5n, 7n)
  assert.deepStrictEqual(Der.signature(der), { r: 5n, s: 7n })
  assert.deepStrictEqual(Der.lowered({ r: 5n, s: order - 7n }), { r: 5n, s: 7n })
  const wrong: Record<string, Uint8Array> = {
    nothing: new Uint8Array(),
    "no sequence": spkiOf("3106020105020107"),
    "a byte more": new Uint8Array([...der, 0]),
    "a byte more inside": spkiOf("300702010502010700"),
    "a byte less": der.slice(0, -1),
    "one number": spkiOf("3003020105"),
    "a negative number": spkiOf("3006020185020107"),
    "a padded number": spkiOf("300702020005020107"),
    "a number without bytes": spkiOf("30050200020107"),
    "a number longer than all": spkiOf("3006020105027f07"),
    "a long form of the length": spkiOf("308106020105020107"),
    "another type of number": spkiOf("3006040105020107"),
    "r of zero": derOf(1n, 7n).map((byte, at) => (at === 4 ? 0 : byte)),
    "s of the order": derOf(5n, order),
    "r above the order": derOf(order + 1n, 7n)
  }
  for (const [named, bytes] of Object.entries(wrong)) {
    assert.throws(() => Der.signature(bytes), /not ECDSA over secp256k1/u, named)
  }
})

it("a public key is one of secp256k1, on the curve, in one form alone", () => {
  const spki = (namedCurve: string) =>
    generateKeyPairSync("ec", { namedCurve }).publicKey.export({ type: "spki", format: "der" })
  const good = spki("secp256k1")
  assert.match(bytesToHex(Der.publicKey(good)), /^0x04[0-9a-f]{128}$/u)
  const off = good.map((byte, at) => (at === good.length - 1 ? byte ^ 1 : byte))
  for (const wrong of [spki("prime256v1"), good.subarray(1), Buffer.concat([good, good]), off]) {
    assert.throws(() => Der.publicKey(wrong))
  }
})

const dies = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A>) {
  const exit = yield* Effect.exit(effect)
  if (Exit.isSuccess(exit)) return assert.fail("it was signed")
  const reason = exit.cause.reasons.find(Cause.isDieReason)
  return String(reason?.defect)
})

it.effect("a service that signs with another key, or another digest, is not believed", () =>
  Effect.gen(function* () {
    const service = localKms()
    const digest = randomBytes(32)
    const swapped = { ...service, sign: () => service.sign("other", digest) }
    const elsewhere = { ...service, sign: (name: string) => service.sign(name, randomBytes(32)) }
    for (const client of [swapped, elsewhere]) {
      const { backend, relayer } = kmsKeys(client, prefix)
      const signed = backend.sign(curve, "key", digest)
      assert.match(yield* dies(signed), /did not sign with the key it was asked for/u)
      assert.match(yield* dies(relayer.sign(bytesToHex(digest))), /did not sign with the key/u)
    }
    const compressed = createECDH("secp256k1")
    compressed.generateKeys()
    const odd = { ...service, publicKeyOf: async () => compressed.getPublicKey(null, "compressed") }
    assert.match(yield* dies(Kms.backend(odd, { prefix }).publicKeyOf(curve, "key")), /SPKI/u)
  })
)

it.effect("keys are named by prefix and id, asked for once, and a failure is not kept", () =>
  Effect.gen(function* () {
    const service = localKms()
    let isAway = true
    const client: Kms.Client = {
      ...service,
      publicKeyOf: async (name) => {
        if (isAway) throw new Error("The service is away.")
        return service.publicKeyOf(name)
      }
    }
    const { backend, relayer } = kmsKeys(client, prefix)
    const opened = yield* backend.open(curve, idOf(7))
    assert.deepStrictEqual(yield* backend.open(curve, idOf(7)), opened)
    const [seventh, eighth] = [opened.ref, (yield* backend.open(curve, idOf(8))).ref]
    assert.match(seventh, /^treasury-A{40}[A-Za-z0-9_-]{2}$/u)
    assert.match(yield* dies(backend.publicKeyOf(curve, seventh)), /away/u)
    isAway = false
    const address = evmAddressOf(yield* backend.publicKeyOf(curve, seventh))
    assert.strictEqual(evmAddressOf(yield* backend.publicKeyOf(curve, seventh)), address)
    assert.notStrictEqual(evmAddressOf(yield* backend.publicKeyOf(curve, eighth)), address)
    assert.notStrictEqual(yield* relayer.address, address)
    assert.strictEqual(yield* relayer.address, yield* relayer.address)
    const asked = ["treasury-relayer", seventh, eighth].toSorted()
    assert.deepStrictEqual([...service.asked.keys()].toSorted(), asked)
    assert.deepStrictEqual([...service.asked.values()], [1, 1, 1])
    assert.match(yield* dies(backend.open("ed25519", idOf(7))), /no ed25519 keys/u)
  })
)

it.effect("a key that the service names itself is not recoverable", () =>
  Effect.gen(function* () {
    const client = { ...localKms(), make: async () => "key-1234" }
    const opened = yield* Kms.backend(client, { prefix }).open(curve, idOf(7))
    assert.deepStrictEqual(opened, { ref: "key-1234", isRecoverable: false })
  })
)

it.live("a service that does not answer is given up", () =>
  Effect.gen(function* () {
    const silent = {
      make: async () => "key",
      publicKeyOf: () => new Promise<never>(() => {}),
      sign: async () => new Uint8Array()
    }
    const { publicKeyOf } = Kms.backend(silent, { prefix, timeoutMs: 20 })
    assert.match(yield* dies(publicKeyOf(curve, "key")), /Timeout/u)
  })
)

const service = localKms()
const world = Layer.suspend(() =>
  worldOf(kmsKeys(service, prefix), kmsKeys(localKms(), prefix).relayer)
)

WalletKeysContract.suite(
  "kms",
  Layer.suspend(() => walletKeys(kmsKeys(localKms(), prefix).backend))
)
Contract.suite("kms", world)
Submitters.suite(
  "kms",
  Layer.suspend(() => {
    const keys = walletKeys(kmsKeys(service, prefix).backend)
    return evmGround.pipe(Layer.provideMerge(world), Layer.provideMerge(keys))
  })
)

layer(world)("sends whose keys are in a service", (it) => {
  it.effect("Circle's USDC takes what it signed, whichever half s was in", () =>
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      const before = service.made.length
      let amountMicro = 0n
      const halves = () =>
        new Set(service.made.slice(before).map((der) => Der.signature(der).s > order / 2n))
      for (let turn = 0; turn < 60 && (turn < 10 || halves().size < 2); turn++) {
        const sending = { keyNumber: 20 + turn, to: addressOf("c"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const attempt = yield* attemptOf(authorization)
        yield* broadcast(attempt)
        yield* mine(1)
        assertPaidBy(yield* trace(authorization, attempt), attempt)
        amountMicro += 5n
      }
      assert.strictEqual(halves().size, 2)
      assert.strictEqual(yield* held(addressOf("c")), amountMicro)
    })
  )
})
