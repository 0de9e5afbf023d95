/** What is sealed opens only unchanged, at its own place, under its own key. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Envelope from "../../../adapters/secrets/envelope.ts"

const place = { table: "webhook_endpoints", row: "018f-1", account: "acc-1" }
const key = Envelope.makeDataKey()
const text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const breaks = (work: () => unknown) => assert.throws(work, Envelope.SealBroken)

describe("a sealed value", () => {
  it("opens to what was sealed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (any) => {
        assert.strictEqual(Envelope.open(key, place, Envelope.seal(key, place, any)), any)
      })
    )
  })

  it("is versioned base64url, never the same twice, and shows nothing of the text", () => {
    const seals = Array.from({ length: 50 }, () => Envelope.seal(key, place, text))
    for (const sealed of seals) assert.match(sealed, /^v1\.[A-Za-z0-9_-]+$/u)
    assert.strictEqual(new Set(seals).size, 50)
    assert.notInclude(
      Buffer.from(seals[0]?.slice(3) ?? "", "base64url").toString("latin1"),
      "whsec"
    )
  })

  it("does not open at another table, row or account", () => {
    const sealed = Envelope.seal(key, place, text)
    for (const other of [{ table: "api_keys" }, { row: "018f-2" }, { account: "acc-2" }]) {
      breaks(() => Envelope.open(key, { ...place, ...other }, sealed))
    }
  })

  it("does not open at a place whose parts run together alike", () => {
    const sealed = Envelope.seal(key, { table: "a", row: "b|c", account: "d" }, text)
    breaks(() => Envelope.open(key, { table: "a|b", row: "c", account: "d" }, sealed))
    breaks(() => Envelope.open(key, { table: "a", row: "b", account: "c|d" }, sealed))
    breaks(() => Envelope.open(key, { table: "a", row: "b%7Cc", account: "d" }, sealed))
  })

  it("does not open under another key", () => {
    const sealed = Envelope.seal(key, place, text)
    breaks(() => Envelope.open(Envelope.makeDataKey(), place, sealed))
  })

  it("does not open with any bit flipped, any character changed, or any piece missing", () => {
    const sealed = Envelope.seal(key, place, "secret")
    const bytes = Buffer.from(sealed.slice(3), "base64url")
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      const at = bit >> 3
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (bit & 7)), at)
      breaks(() => Envelope.open(key, place, `v1.${changed.toString("base64url")}`))
    }
    for (let at = 0; at < sealed.length; at++) {
      breaks(() => Envelope.open(key, place, sealed.slice(0, at)))
      const other = sealed.charAt(at) === "B" ? "C" : "B"
      breaks(() => Envelope.open(key, place, sealed.slice(0, at) + other + sealed.slice(at + 1)))
    }
    for (const changed of [`${sealed}=`, ` ${sealed}`, `${sealed}A`, sealed.replace("v1", "v2")]) {
      breaks(() => Envelope.open(key, place, changed))
    }
  })
})

it("a sealed value has one spelling: bits that base64 leaves unused may not be set", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  const sealed = Envelope.seal(key, place, "secret")
  const respelled = sealed.slice(0, -1) + alphabet.charAt(alphabet.indexOf(sealed.slice(-1)) + 1)
  const bytesOf = (text: string) => Buffer.from(text.slice(3), "base64url")
  assert.deepStrictEqual(bytesOf(respelled), bytesOf(sealed))
  breaks(() => Envelope.open(key, place, respelled))
})

describe("a wrapped data key", () => {
  const keyEncryptionKey = Envelope.makeDataKey()

  it("unwraps under its key-encryption key only", () => {
    const dataKey = Envelope.makeDataKey()
    const wrapped = Envelope.wrap(keyEncryptionKey, dataKey)
    assert.deepStrictEqual(
      Buffer.from(Envelope.unwrap(keyEncryptionKey, wrapped)),
      Buffer.from(dataKey)
    )
    breaks(() => Envelope.unwrap(dataKey, wrapped))
    breaks(() => Envelope.unwrap(keyEncryptionKey, `${wrapped.slice(0, -2)}AA`))
  })

  it("is no sealed value, nor is a sealed value a wrapped key", () => {
    breaks(() => Envelope.open(key, place, Envelope.wrap(key, key)))
    breaks(() => Envelope.unwrap(key, Envelope.seal(key, place, text)))
  })

  it("can be wrapped anew while everything under it still opens", () => {
    const sealed = Envelope.seal(key, place, text)
    const next = Envelope.makeDataKey()
    const rewrapped = Envelope.wrap(
      next,
      Envelope.unwrap(keyEncryptionKey, Envelope.wrap(keyEncryptionKey, key))
    )
    assert.strictEqual(Envelope.open(Envelope.unwrap(next, rewrapped), place, sealed), text)
  })
})
