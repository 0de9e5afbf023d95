/**
 * Passkeys: the public keys that humans sign in and approve with. One that is suspended verifies nothing
 * ever again; one whose counter stands still has been copied and is suspended at once.
 */
import { type DateTime, Schema } from "effect"
import type { Deployment } from "../operation/deployment.ts"
import { define } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"

export interface Passkey {
  readonly id: string
  readonly accountId: string
  readonly humanId: string
  /** As the authenticator names it, base64url. */
  readonly credentialId: string
  /** COSE, base64url. */
  readonly publicKey: string
  /** Signatures it says it has made; 0 for ever when it is synced between devices. */
  readonly counter: number
  readonly transports: ReadonlyArray<string>
  /** Whether a copy is kept by whoever syncs it. */
  readonly backedUp: boolean
  readonly label: string
  readonly createdAt: DateTime.Utc
  readonly lastUsedAt: DateTime.Utc | null
  readonly suspendedAt: DateTime.Utc | null
}

/**
 * Whether a signature may follow the last one by its counter. An authenticator that counts goes up each
 * time; one that does not says 0 for ever.
 */
export const mayFollow = (known: number, counter: number): boolean =>
  counter > known || (counter === 0 && known === 0)

export const fields = {
  id: Schema.String,
  humanId: Schema.String,
  label: Schema.String,
  backedUp: Schema.Boolean,
  transports: Schema.Array(Schema.String),
  createdAt: Timestamp.Encoded,
  lastUsedAt: Schema.NullOr(Timestamp.Encoded),
  suspendedAt: Schema.NullOr(Timestamp.Encoded)
}

export class PasskeyRejected extends define("PASSKEY_REJECTED", {
  kind: "forbidden",
  meaning:
    "The passkey's response is invalid: the passkey is unknown or belongs to another site or person, the user was not verified, or the response signs another challenge."
}) {}

export class PasskeySuspended extends define("PASSKEY_SUSPENDED", {
  kind: "forbidden",
  meaning:
    "The passkey was suspended by its owner or the operator, or because a copy of it was used."
}) {}

const form = /^(https?):\/\/(\[[^\]]+\]|[^/:?#]+)(?::(\d+))?/u
const defaultPorts: Readonly<Record<string, string>> = { http: "80", https: "443" }

/** The origin as browsers write it: in lower case, without the port that the scheme has anyway. */
export const relyingPartyOf = ({ siteUrl }: Pick<Deployment["Service"], "siteUrl">) => {
  const [, scheme = "", host = "", port] = form.exec(siteUrl.toLowerCase()) ?? []
  const suffix = port === undefined || port === defaultPorts[scheme] ? "" : `:${port}`
  return { relyingPartyId: host, origin: `${scheme}://${host}${suffix}` }
}
