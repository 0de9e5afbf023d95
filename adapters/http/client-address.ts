/**
 * Who is asking, by address. Whatever is counted for a client is counted for what `clientOf` names: an IPv4
 * address, or the /64 that one IPv6 client has all to itself.
 */
import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"

type Request = HttpServerRequest.HttpServerRequest

/**
 * The client's address. Behind `proxies` of our own, it is the one the outermost of them wrote down;
 * what stands before it in `X-Forwarded-For` is the client's own claim.
 */
export const addressOf = ({ headers, socket }: IncomingMessage, proxies: number): string => {
  // Node joins what came in several lines.
  const forwarded = (headers["x-forwarded-for"] as string | undefined) ?? ""
  const claimed = proxies === 0 ? "" : forwarded.split(",").at(-proxies)?.trim()
  return claimed || (socket.remoteAddress ?? "unknown")
}

const hex = (segment: number) => segment.toString(16)

/** One client: an IPv4 address however it is written, or the /64 of an IPv6 address. */
export const foldedOf = (address: string): string => {
  const parsed = NetAddress.ipFromString(address.replace(/%.*$/u, ""))
  if (Result.isFailure(parsed)) return address.slice(0, 64)
  const ip = parsed.success
  if (NetAddress.isIpv4Address(ip)) return NetAddress.formatIp(ip)
  const mapped = NetAddress.fromIpv4Mapped(ip)
  if (Option.isSome(mapped)) return NetAddress.formatIp(mapped.value)
  return `${NetAddress.ipv6ToSegments(ip).slice(0, 4).map(hex).join(":")}::/64`
}

/** The client behind a request of node's own. */
export const clientOf = (request: IncomingMessage, proxies: number): string =>
  foldedOf(addressOf(request, proxies))

/** The same of a request that came by the router of pages. */
export const routedClientOf = (request: Request, proxies: number): string =>
  clientOf(NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage, proxies)
