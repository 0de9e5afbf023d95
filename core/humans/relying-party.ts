/**
 * Whose passkeys these are: the host of the public address, and the origin its pages have. A passkey is
 * bound to the host for ever, so every human enrols anew when that changes.
 */
import type { Deployment } from "../operation/deployment.ts"

const form = /^(https?):\/\/(\[[^\]]+\]|[^/:?#]+)(?::(\d+))?/u
const defaultPorts: Readonly<Record<string, string>> = { http: "80", https: "443" }

/** The origin as browsers write it: in lower case, without the port that the scheme has anyway. */
export const relyingPartyOf = ({ siteUrl }: Pick<Deployment["Service"], "siteUrl">) => {
  const [, scheme = "", host = "", port] = form.exec(siteUrl.toLowerCase()) ?? []
  const suffix = port === undefined || port === defaultPorts[scheme] ? "" : `:${port}`
  return { relyingPartyId: host, origin: `${scheme}://${host}${suffix}` }
}
