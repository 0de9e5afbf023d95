/** What a merchant's receiver accepts: the exact signed bytes, in time, under its secret, and nothing else. */
import { createHmac, webcrypto } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type Delivery,
  type VerificationFailure,
  WebhookVerificationError
} from "../../../adapters/receiver/delivery.ts"
import { verifyWebhook } from "../../../adapters/receiver/verify.ts"
import { verifyWebhook as verifyOnWeb } from "../../../adapters/receiver/verify-web.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
const otherSecret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
const signedAt = 1_789_000_000
const body =
  '{"id":"evt_4fQ0mZr8TtYw2Kx7Lb1Nc5Vd","object":"event","type":"webhook.test","created":1789000000,"livemode":false,"api_version":"2026-08-19","data":{"object":{"message":"café €","endpointId":"018f"}}}'
/** Computed with openssl dgst -sha256 -hmac over `<timestamp>.<body>`. */
const hex = "5f2e7f452d49265e7518f1b79b0bf148cf301324934a64b11c1ad48a100fbac3"
const wrongHex = `0${hex.slice(1)}`

/** An independent signature: WebCrypto rather than the verifier's own HMAC. */
const signed = async (text: string, timestamp: number | string, key = secret) => {
  const bytes = new TextEncoder()
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const { subtle } = webcrypto
  const imported = await subtle.importKey("raw", bytes.encode(key), algorithm, false, ["sign"])
  const mac = await subtle.sign("HMAC", imported, bytes.encode(`${timestamp}.${text}`))
  return Buffer.from(mac).toString("hex")
}

const headers = (over: Record<string, string | ReadonlyArray<string> | undefined> = {}) => ({
  "svc-webhook-id": "evt_4fQ0mZr8TtYw2Kx7Lb1Nc5Vd",
  "svc-webhook-timestamp": String(signedAt),
  "svc-webhook-event": "webhook.test",
  "svc-webhook-signature": `v1=${hex}`,
  ...over
})

const verifiers = [
  ["Node", async (delivery: Delivery) => verifyWebhook(delivery)],
  ["Web Crypto", verifyOnWeb]
] as const

const failureOf = async (work: () => Promise<unknown>): Promise<VerificationFailure | "none"> => {
  try {
    await work()
    return "none"
  } catch (cause) {
    assert.instanceOf(cause, WebhookVerificationError)
    return cause.reason
  }
}

const withSignature = (signature: string) => ({
  headers: headers({ "svc-webhook-signature": signature })
})

describe.each(verifiers)("on %s", (_, verifier) => {
  const verify = (over: Partial<Delivery> = {}) =>
    verifier({ body, headers: headers(), secret, nowSeconds: signedAt, ...over })

  const refuses = async (reason: VerificationFailure, over: Partial<Delivery>) =>
    assert.strictEqual(await failureOf(() => verify(over)), reason)

  describe("an authentic delivery", () => {
    it("gives back the event, from text and from bytes", async () => {
      const event = await verify()
      assert.strictEqual(event.type, "webhook.test")
      assert.deepStrictEqual(event, JSON.parse(body))
      assert.deepStrictEqual(await verify({ body: new TextEncoder().encode(body) }), event)
      assert.deepStrictEqual(await verify({ body: Buffer.from(body, "utf8") }), event)
    })

    it("may be a notice, and is nothing else than that or an event", async () => {
      const as = async (object: string) => {
        const text = body.replace('"object":"event"', `"object":"${object}"`)
        return { ...withSignature(`v1=${await signed(text, signedAt)}`), body: text }
      }
      assert.strictEqual((await verify(await as("notice"))).object, "notice")
      for (const object of ["", "notices"]) await refuses("malformed_body", await as(object))
    })

    it("is signed under v1 itself, and no part of its header is of no form", async () => {
      for (const signature of [`xv1=${hex}`, `v1=${hex},v2=a b`, `v1=${hex},v2=a=b`]) {
        await refuses("malformed_header", withSignature(signature))
      }
    })

    it("narrows to its own fields by type", async () => {
      const event = await verify()
      if (event.type !== "webhook.test") return assert.fail(event.type)
      assert.strictEqual(event.data.object.message, "café €")
    })

    it("may carry its headers in any case, as a record or as Headers", async () => {
      const shouted = Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), value])
      assert.isObject(await verify({ headers: Object.fromEntries(shouted) }))
      assert.isObject(await verify({ headers: new Headers(headers() as Record<string, string>) }))
      assert.isObject(
        await verify({ headers: headers({ "svc-webhook-signature": [`v1=${hex}`] }) })
      )
    })

    it("needs no headers beside timestamp and signature", async () => {
      assert.isObject(
        await verify({
          headers: headers({ "svc-webhook-id": undefined, "svc-webhook-event": undefined })
        })
      )
    })

    it("may be signed with several secrets, in any order, beside versions yet to come", async () => {
      for (const list of [
        `v1=${hex},v1=${wrongHex}`,
        `v1=${wrongHex},v1=${hex}`,
        `v1=${wrongHex},v1=${wrongHex},v1=${hex}`,
        `v2=AbC-_9,v1=${hex}`,
        `v1=${hex.toUpperCase()},v1=${hex}`
      ]) {
        assert.isObject(await verify(withSignature(list)))
      }
    })

    it("may be up to 300 seconds old or ahead", async () => {
      for (const seconds of [-300, -299, 0, 299, 300]) {
        assert.isObject(await verify({ nowSeconds: signedAt + seconds }))
      }
      assert.isObject(await verify({ nowSeconds: signedAt + 900, toleranceSeconds: 900 }))
    })

    it("is judged by the machine's clock when no time is given", async () => {
      const now = Math.floor(Date.now() / 1000)
      const fresh = headers({
        "svc-webhook-timestamp": String(now),
        "svc-webhook-signature": `v1=${await signed(body, now)}`
      })
      assert.isObject(await verifier({ body, headers: fresh, secret }))
      assert.strictEqual(
        await failureOf(() => verifier({ body, headers: headers(), secret })),
        "outside_tolerance"
      )
    })
  })

  describe("a delivery is refused", () => {
    it("outside the tolerance, early or late", async () => {
      await refuses("outside_tolerance", { nowSeconds: signedAt + 301 })
      await refuses("outside_tolerance", { nowSeconds: signedAt - 301 })
      await refuses("outside_tolerance", { nowSeconds: Number.NaN })
      await refuses("outside_tolerance", { toleranceSeconds: Number.NaN })
      await refuses("outside_tolerance", { nowSeconds: signedAt + 1, toleranceSeconds: 0 })
    })

    it("under another secret, or under none", async () => {
      await refuses("signature_mismatch", { secret: otherSecret })
      await refuses("signature_mismatch", { secret: secret.slice("whsec_".length) })
      await refuses("signature_mismatch", { secret: "" })
      await refuses("signature_mismatch", withSignature(`v1=${wrongHex},v1=${wrongHex}`))
    })

    it("under a secret that is not set, though it is signed under that very one", async () => {
      const byAnybody = createHmac("sha256", "").update(`${signedAt}.${body}`).digest("hex")
      const unset: ReadonlyArray<unknown> = ["", undefined, null, 0, new Uint8Array()]
      for (const none of unset) {
        const work = () => verify({ ...withSignature(`v1=${byAnybody}`), secret: none as string })
        assert.strictEqual(await failureOf(work), "signature_mismatch")
        const error: unknown = await work().catch((cause: unknown) => cause)
        assert.match(String(error), /The secret is missing: .*whsec_.*variable/u)
      }
    })

    it("with bytes that are no UTF-8, or no event, though they are signed", async () => {
      const event = JSON.parse(body)
      const signedBytes = (bytes: Uint8Array) =>
        createHmac("sha256", secret).update(`${signedAt}.`).update(bytes).digest("hex")
      const bent = Buffer.from(body, "utf8")
      bent[bent.indexOf("café") + 1] = 0xff
      const marked = Buffer.from(`\ufeff${body}`, "utf8")
      const altered: ReadonlyArray<unknown> = [
        { ...event, id: 7 },
        { ...event, type: 7 },
        { ...event, created: "1789000000" },
        { ...event, object: "thing" },
        { ...event, data: null },
        { ...event, data: { object: [] } },
        { ...event, id: undefined },
        { ...event, type: undefined },
        { ...event, created: undefined }
      ]
      const bodies = [bent, marked, ...altered.map((each) => Buffer.from(JSON.stringify(each)))]
      for (const bytes of bodies) {
        await refuses("malformed_body", {
          body: bytes,
          headers: headers({
            "svc-webhook-id": undefined,
            "svc-webhook-signature": `v1=${signedBytes(bytes)}`
          })
        })
      }
    })

    it("with a timestamp that was not the one signed", async () => {
      await refuses("signature_mismatch", {
        headers: headers({ "svc-webhook-timestamp": String(signedAt + 1) })
      })
    })

    it("with a body that was parsed and printed again", async () => {
      await refuses("signature_mismatch", { body: JSON.stringify(JSON.parse(body), null, 1) })
      await refuses("signature_mismatch", { body: `${body}\n` })
      await refuses("signature_mismatch", { body: "" })
    })

    it("without its timestamp or its signature", async () => {
      for (const name of ["svc-webhook-timestamp", "svc-webhook-signature"]) {
        await refuses("missing_header", { headers: headers({ [name]: undefined }) })
        await refuses("missing_header", { headers: headers({ [name]: "" }) })
        await refuses("missing_header", { headers: new Headers() })
      }
    })

    it("with a signature header of another form", async () => {
      for (const signature of [
        hex,
        `v1=${hex.toUpperCase()}`,
        `v1=${hex.slice(1)}`,
        `v1=${hex}0`,
        `v1:${hex}`,
        `v2=${hex}`,
        `V1=${hex}`,
        `v1=${hex},`,
        `v1=${hex},v1=`,
        `v1=${hex}, v1=${hex}`,
        ` v1=${hex}`,
        `v1=${hex}\n`,
        `v1=v1=${hex}`,
        ","
      ]) {
        await refuses("malformed_header", withSignature(signature))
      }
    })

    it("with a timestamp that is not whole Unix seconds", async () => {
      for (const timestamp of ["0x6aa1e740", "1789000000.0", "-1789000000", "+1789000000", "1e9"]) {
        await refuses("malformed_header", {
          headers: headers({ "svc-webhook-timestamp": timestamp })
        })
      }
      for (const timestamp of [
        "01789000000",
        " 1789000000",
        "1789000000\n",
        "1789000000000",
        "NaN"
      ]) {
        await refuses("malformed_header", {
          headers: headers({ "svc-webhook-timestamp": timestamp })
        })
      }
    })

    it("with a header sent twice", async () => {
      const twice = { "Svc-Webhook-Timestamp": String(signedAt) }
      await refuses("malformed_header", { headers: { ...headers(), ...twice } })
      await refuses("malformed_header", {
        headers: headers({ "svc-webhook-signature": [`v1=${wrongHex}`, `v1=${hex}`] })
      })
      const appended = new Headers(headers() as Record<string, string>)
      appended.append("svc-webhook-signature", `v1=${hex}`)
      await refuses("malformed_header", { headers: appended })
    })

    it("under the id of another event, which would pass as new", async () => {
      await refuses("malformed_header", { headers: headers({ "svc-webhook-id": "evt_another" }) })
    })

    it("when what was signed is not an event", async () => {
      const notEvents = [
        "",
        "null",
        "[]",
        '"evt_1"',
        "{}",
        '{"object":"event"}',
        "{",
        `\ufeff${body}`
      ]
      const texts = [
        ...notEvents,
        body.replace('"event"', '"list"'),
        body.replace('"data"', '"date"')
      ]
      for (const text of texts) {
        const signature = `v1=${await signed(text, signedAt)}`
        await refuses("malformed_body", { ...withSignature(signature), body: text })
        await refuses("malformed_body", {
          ...withSignature(signature),
          body: Buffer.from(text, "utf8")
        })
      }
    })
  })

  it("a signature verifies if and only if body, timestamp and secret are the signed ones", async () => {
    const bytes = Buffer.from(body, "utf8")
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const changed = Buffer.from(bytes)
          changed.writeUInt8(changed.readUInt8(at) ^ flip, at)
          await refuses("signature_mismatch", { body: changed })
        }
      )
    )
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.string(), async (message, key) => {
        const text = JSON.stringify({ ...JSON.parse(body), data: { object: { message } } })
        const whole = `whsec_${key}`
        const signature = withSignature(`v1=${await signed(text, signedAt, whole)}`)
        assert.isObject(await verify({ ...signature, body: text, secret: whole }))
        await refuses("signature_mismatch", { ...signature, body: text, secret: `${whole}x` })
      })
    )
  })
})
