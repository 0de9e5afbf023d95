/**
 * What every page is sent with: it may load scripts and styles of this site alone, may run no text as
 * script, is framed by nobody, and is kept by no cache.
 */
import { createHash } from "node:crypto"

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

export const pageHeaders = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self), publickey-credentials-create=(self)",
  "cache-control": "no-store"
} as const

/** The headers of a page that has rules of its own: these very rules are let in by their hash, and no others. */
export const headersWith = (rules: string | undefined) => {
  if (rules === undefined) return pageHeaders
  const hash = createHash("sha256").update(rules).digest("base64")
  return {
    ...pageHeaders,
    "content-security-policy": policy.replace(
      "style-src 'self'",
      `style-src 'self' 'sha256-${hash}'`
    )
  }
}
