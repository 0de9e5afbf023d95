/**
 * Why a parcel got no whole answer, in the port's closed reasons. Sentences are fixed: what a private
 * address or an inner error says is never shown to whoever registered the URL.
 */
import { Predicate } from "effect"
import type { Reply } from "../../core/ports/webhook-sender.ts"

export type Reason = Extract<Reply, { readonly _tag: "unanswered" }>["reason"]

/** What is said of each reason. */
export const sentences: Readonly<Record<Reason, string>> = {
  timeout: "the endpoint did not answer in time",
  blocked: "the endpoint's IP address is not allowed",
  dns: "the endpoint's host name does not resolve",
  tls: "no trusted TLS connection could be established",
  refused: "the connection to the endpoint failed",
  reset: "the endpoint closed the connection before its response was complete",
  protocol: "the endpoint's response was not HTTP, or its headers were too large"
}

const reasonsByCode: Readonly<Record<string, Reason>> = {
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  EHOSTDOWN: "refused",
  ENETUNREACH: "refused",
  ENETDOWN: "refused",
  EADDRNOTAVAIL: "refused",
  EACCES: "refused",
  EPERM: "refused",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  EPROTO: "tls",
  HOSTNAME_MISMATCH: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_GET_ISSUER_CERT: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  INVALID_CA: "tls",
  INVALID_PURPOSE: "tls"
}

const tlsCode = /^(?:ERR_TLS_|ERR_SSL_|CERT_)/u
/** How undici tells an answer it cannot take from a connection that just closed; both share one code. */
const badAnswer = /^bad (?:response|upgrade)$/u

const textField = (cause: unknown, field: string): string =>
  Predicate.hasProperty(cause, field) && typeof cause[field] === "string" ? cause[field] : ""

const reasonOf = (cause: unknown, code: string): Reason => {
  if (Predicate.isTagged(cause, "DeadlinePassed")) return "timeout"
  if (Predicate.isTagged(cause, "AddressRefused")) return "blocked"
  if (Predicate.isTagged(cause, "NameUnresolved")) return "dns"
  const message = textField(cause, "message")
  if (tlsCode.test(code) || message.includes("before secure TLS connection")) return "tls"
  if (code === "UND_ERR_SOCKET" && badAnswer.test(message)) return "protocol"
  return reasonsByCode[code] ?? "protocol"
}

/** The reason, and its sentence; a fault of TLS or of the protocol is named by its code. */
export const read = (cause: unknown): { readonly reason: Reason; readonly message: string } => {
  const code = textField(cause, "code")
  const reason = reasonOf(cause, code)
  const named = (reason === "tls" || reason === "protocol") && /^[A-Z0-9_]{1,60}$/u.test(code)
  return { reason, message: named ? `${sentences[reason]} (${code})` : sentences[reason] }
}
