/**
 * Whether a delivery is genuine, said apart from the core and from the published verifier: by Node's own
 * HMAC and by the library that Standard Webhooks publish.
 */
import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"

export interface Letter {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  readonly secret: string
  /** The time at the receiver. */
  readonly atMs: number
}

const toleranceSeconds = 300

/** Exactly one signature: the lower-case hex of HMAC-SHA256 over timestamp, dot and body. */
const isOurs = ({ atMs, body, headers, secret }: Letter): boolean => {
  const timestamp = String(headers["svc-webhook-timestamp"])
  const hmac = createHmac("sha256", Buffer.from(secret, "utf8"))
  hmac.update(Buffer.from(`${timestamp}.${body}`, "utf8"))
  return (
    headers["svc-webhook-signature"] === `v1=${hmac.digest().toString("hex")}` &&
    Math.abs(atMs / 1000 - Number(timestamp)) <= toleranceSeconds
  )
}

/** The library reads the clock itself, which must stand where the receiver's does. */
const isStandard = ({ atMs, body, headers, secret }: Letter): boolean => {
  const { now } = Date
  Date.now = () => atMs
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  } finally {
    Date.now = now
  }
}

/** Under its own signature, and under that of Standard Webhooks where it carries one. */
export const isGenuine = (letter: Letter): boolean =>
  isOurs(letter) && (letter.headers["webhook-id"] === undefined || isStandard(letter))
