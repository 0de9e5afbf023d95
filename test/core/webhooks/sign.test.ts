/** The headers of an attempt, read by verifiers that know nothing of how they were made. */
import { createHmac, randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { verifyWebhook } from "../../../adapters/receiver/verify.ts"
import { headersOf, type WebhookMessage } from "../../../core/webhooks/sign.ts"
import { aDelivery, anEndpoint, anEvent, anId } from "../../support/rows.ts"

const sign = (key: string | Uint8Array, text: string) =>
  createHmac("sha256", key).update(text).digest("hex")

const aSecret = () => `whsec_${randomBytes(32).toString("base64")}`
const [newer, older, foreign] = [aSecret(), aSecret(), aSecret()]
const accountId = anId()
const object = { paymentRequestPid: "pr_1", note: "caf\u00e9 \u20ac" }
const event = anEvent(accountId)
const body = JSON.stringify({
  id: event.id,
  object: "event",
  type: event.type,
  created: 1,
  livemode: false,
  api_version: "2026-08-19",
  data: { object }
})
const delivery = { ...aDelivery(event, anEndpoint(accountId)), sequence: 12 }
const nowSeconds = Math.floor(Date.now() / 1000)
const message: WebhookMessage = { delivery, body, secrets: [newer], standardHeaders: false }
const headersWith = (over: Partial<WebhookMessage>) =>
  headersOf(sign, { ...message, ...over }, nowSeconds)

const isOurs = (headers: Readonly<Record<string, string>>, secret: string, text = body) => {
  try {
    return verifyWebhook({ body: text, headers, secret, nowSeconds }).id === event.id
  } catch {
    return false
  }
}

const isStandard = (headers: Readonly<Record<string, string>>, secret: string, text = body) => {
  try {
    return new Webhook(secret).verify(text, { ...headers }) !== undefined
  } catch {
    return false
  }
}

describe("An attempt", () => {
  it("carries one signature and no header of anybody else unless asked to", () => {
    const headers = headersWith({})
    assert.match(headers["svc-webhook-signature"] ?? "", /^v1=[0-9a-f]{64}$/u)
    assert.strictEqual(headers["svc-webhook-sequence"], "12")
    assert.isEmpty(Object.keys(headers).filter((name) => name.startsWith("webhook-")))
    assert.isTrue(isOurs(headers, newer))
  })

  it("says that it is JSON, who sends it, which event it is and of what type", () => {
    assert.deepInclude(headersWith({}), {
      "content-type": "application/json",
      "user-agent": "Bursar-Webhooks/1",
      "svc-webhook-id": event.id,
      "svc-webhook-timestamp": String(nowSeconds),
      "svc-webhook-event": event.type
    })
  })

  it("that has no number at its endpoint names none, in either scheme", () => {
    for (const standardHeaders of [false, true]) {
      const headers = headersWith({ delivery: { ...delivery, sequence: null }, standardHeaders })
      assert.notProperty(headers, "svc-webhook-sequence")
      assert.isTrue(isOurs(headers, newer))
    }
  })

  it("verifies by both schemes with the same secret, and by neither with another body or secret", () => {
    const headers = headersWith({ standardHeaders: true })
    assert.strictEqual(headers["webhook-id"], event.id)
    for (const verifies of [isOurs, isStandard]) {
      assert.isTrue(verifies(headers, newer))
      assert.isFalse(verifies(headers, foreign))
      assert.isFalse(verifies(headers, newer, `${body} `))
    }
  })

  it("verifies with the new and the old secret while a rotation lasts, the new one first", () => {
    const headers = headersWith({ secrets: [newer, older], standardHeaders: true })
    const alone = (secret: string) => headersWith({ secrets: [secret] })["svc-webhook-signature"]
    assert.strictEqual(headers["svc-webhook-signature"], `${alone(newer)},${alone(older)}`)
    for (const verifies of [isOurs, isStandard]) {
      assert.isTrue(verifies(headers, newer))
      assert.isTrue(verifies(headers, older))
      assert.isFalse(verifies(headers, foreign))
    }
  })
})
