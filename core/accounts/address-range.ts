/**
 * Ranges of internet addresses in CIDR form, IPv4 and IPv6, as pure values. An IPv4 address written as a
 * mapped IPv6 one is the IPv4 address it means, so no other spelling gets around a range.
 */

/** The first address of the range, as a number, and how many leading bits all of it share. */
export interface Range {
  readonly width: 32 | 128
  readonly first: bigint
  readonly prefix: number
}

const octet = /^(0|[1-9]\d{0,2})$/u

const ipv4 = (text: string): bigint | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => octet.test(part) && Number(part) < 256)) {
    return undefined
  }
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n)
}

/** Groups of 16 bits; the last two may be written as an IPv4 address. */
const groupsOf = (text: string): ReadonlyArray<bigint> | undefined => {
  if (text === "") return []
  const parts = text.split(":")
  const last = parts.at(-1) ?? ""
  const embedded = last.includes(".") ? ipv4(last) : undefined
  const hex = last.includes(".") ? parts.slice(0, -1) : parts
  if (last.includes(".") && embedded === undefined) return undefined
  if (!hex.every((part) => /^[0-9a-f]{1,4}$/iu.test(part))) return undefined
  const groups = hex.map((part) => BigInt(`0x${part}`))
  return embedded === undefined ? groups : [...groups, embedded >> 16n, embedded & 0xffffn]
}

const ipv6 = (text: string): bigint | undefined => {
  const [head = "", tail, ...more] = text.split("::")
  const left = groupsOf(head)
  const right = tail === undefined ? [] : groupsOf(tail)
  if (left === undefined || right === undefined || more.length > 0) return undefined
  // An IPv4 address stands at the end only.
  if (tail !== undefined && head.includes(".")) return undefined
  const missing = 8 - left.length - right.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...left, ...Array<bigint>(missing).fill(0n), ...right]
  return groups.reduce((sum, group) => sum * 65_536n + group, 0n)
}

const mapped = 0xffffn

const folded = (range: Range): Range =>
  range.width === 128 && range.prefix >= 96 && range.first >> 32n === mapped
    ? { width: 32, first: range.first & 0xffff_ffffn, prefix: range.prefix - 96 }
    : range

/** Reads `10.0.0.0/8`, `2001:db8::/32` or one address; bits behind the prefix are dropped. */
export const parse = (text: string): Range | undefined => {
  const [address = "", length, ...more] = text.split("/")
  const width = address.includes(":") ? 128 : 32
  const value = width === 128 ? ipv6(address) : ipv4(address)
  if (value === undefined || more.length > 0) return undefined
  if (length !== undefined && !octet.test(length)) return undefined
  const prefix = length === undefined ? width : Number(length)
  if (prefix > width) return undefined
  const rest = BigInt(width - prefix)
  return folded({ width, first: (value >> rest) << rest, prefix })
}

/** Whether the one holds every address of the other. */
export const contains = (outer: Range, inner: Range): boolean =>
  outer.width === inner.width &&
  outer.prefix <= inner.prefix &&
  outer.first >> BigInt(outer.width - outer.prefix) ===
    inner.first >> BigInt(outer.width - outer.prefix)

const eightGroups = (value: bigint) =>
  Array.from({ length: 8 }, (_, at) => (value >> BigInt(112 - 16 * at)) & 0xffffn)

/** The longest run of zero groups, the first of several, as RFC 5952 has it. */
const zeros = (groups: ReadonlyArray<bigint>) => {
  let best = { at: 0, length: 0 }
  for (let at = 0; at < groups.length; at++) {
    const end = groups.findIndex((group, index) => index >= at && group !== 0n)
    const length = (end === -1 ? groups.length : end) - at
    if (length > best.length) best = { at, length }
  }
  return best
}

const addressText = ({ first, width }: Range): string => {
  if (width === 32) return [24n, 16n, 8n, 0n].map((bits) => (first >> bits) & 255n).join(".")
  const groups = eightGroups(first)
  const text = (some: ReadonlyArray<bigint>) => some.map((group) => group.toString(16)).join(":")
  const { at, length } = zeros(groups)
  return length < 2
    ? text(groups)
    : `${text(groups.slice(0, at))}::${text(groups.slice(at + length))}`
}

/** The one way a range is written: `10.0.0.0/8`, `2001:db8::/32`. */
export const format = (range: Range): string => `${addressText(range)}/${range.prefix}`
