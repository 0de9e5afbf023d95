/**
 * Which URLs a webhook may be registered for. A URL passes only when it reads the same to every parser:
 * the host as written must be the host as parsed. Names are judged again, by address, at every connect.
 */
import * as AddressPolicy from "./address-policy.ts"

/** Where this treasury runs: a sandbox also reaches exactly `http://127.0.0.1`. */
export type Mode = "public" | "local"

const maxCharacters = 2048
const maxHostCharacters = 253

/** Schemes and hosts are the same in any case. */
const form = /^(https?):\/\/([^/?]*)(?:[/?].*)?$/iu
const authorityForm = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::([1-9][0-9]{0,4}))?$/u
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u

/** Printable ASCII without what parsers quote, drop or read as a slash; other scripts are sent as `xn--`. */
const plain = /^[\x21-\x7e]+$/u
const ambiguous = /[\\<>^`{|}"]/u

/** Names that may resolve inside a private network; the addresses they have decide all the same. */
const specialSuffixes = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "private",
  "arpa",
  "onion",
  "alt"
]

/** Ports browsers refuse (WHATWG Fetch, bad ports) from 1024 on: other protocols can be spoken to there. */
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080
])

const textObjection = (text: string): string | undefined => {
  if (text.length > maxCharacters) return `it is longer than ${maxCharacters} characters`
  if (text.includes("#")) return "it has a fragment"
  if (!plain.test(text) || ambiguous.test(text)) {
    return "it contains characters other than ASCII; send international names in their xn-- form"
  }
  return undefined
}

const portObjection = (port: number): string | undefined =>
  port > 65_535 || (port < 1024 && port !== 443) || badPorts.has(port)
    ? "its port is not allowed; use 443, or 1024 and above"
    : undefined

const nameObjection = (host: string): string | undefined => {
  const labels = host.split(".")
  const last = labels.at(-1) ?? ""
  if (labels.length < 2) return "its host is not a full domain name"
  if (host.length > maxHostCharacters || !labels.every((part) => label.test(part))) {
    return "its host is not a valid domain name"
  }
  if (/^[0-9]/u.test(last)) return "its host is neither a domain name nor an address"
  if (specialSuffixes.includes(last)) return "its host is a private name"
  return undefined
}

const hostObjection = (host: string): string | undefined => {
  const literal = host.startsWith("[") ? host.slice(1, -1) : host
  if (!host.startsWith("[") && !/^[0-9.]+$/u.test(host)) return nameObjection(host)
  return AddressPolicy.isPublic(literal) ? undefined : "its address is not a public one"
}

/** Why a URL may not be registered, as the end of a sentence; undefined when it may. */
export const violation = (mode: Mode, text: string): string | undefined => {
  const unclean = textObjection(text)
  if (unclean !== undefined) return unclean
  const [, written, authority] = form.exec(text) ?? []
  if (written === undefined || authority === undefined) return "it does not begin with https://"
  const scheme = written.toLowerCase()
  if (authority.includes("@")) return "it contains a user name or password"
  const [, writtenHost, writtenPort] = authorityForm.exec(authority) ?? []
  const url = URL.parse(text)
  if (writtenHost === undefined || url === null) return "its host or port cannot be read"
  const host = writtenHost.toLowerCase()
  if (host.endsWith(".")) return "its host ends in a dot"
  // Decimal, octal, hexadecimal and short addresses all end here: they are written unlike they are read.
  if (host !== url.hostname) return "its host is not in canonical form"
  if (mode === "local" && scheme === "http" && host === "127.0.0.1") return undefined
  if (scheme !== "https") return "it does not begin with https://"
  return portObjection(writtenPort === undefined ? 443 : Number(writtenPort)) ?? hostObjection(host)
}

/** The URL that is meant, as WHATWG writes it; a text that is none stays as it is. */
export const normalized = (text: string): string => URL.parse(text)?.href ?? text
