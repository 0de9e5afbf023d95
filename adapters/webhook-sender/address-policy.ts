/**
 * Which IP addresses are the public internet. IPv4 is everything outside the special-purpose registry;
 * IPv6 is refused unless it lies in global unicast space outside its own special blocks. What does not
 * parse is not public.
 */
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

const networks = (...blocks: ReadonlyArray<string>) => blocks.map(IpNetwork.fromStringUnsafe)

/** IANA's IPv4 special-purpose registry and multicast, the few globally routed anycast blocks in it too. */
const special4 = networks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Azure answers for the host's metadata here, though the address looks public.
  "168.63.129.16/32"
)

/** The only IPv6 space IANA has given out; mapped, NAT64, unique local and link local lie outside it. */
const globalUnicast6 = IpNetwork.fromStringUnsafe("2000::/3")

/** Protocol assignments (Teredo, ORCHID, benchmarking), documentation, 6to4 and AS112 inside that space. */
const special6 = networks(
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20"
)

/** Whether a literal address, without brackets or zone, is one the webhook sender may dial. */
export const isPublic = (address: string): boolean => {
  const parsed = NetAddress.ipFromString(address)
  if (Result.isFailure(parsed)) return false
  const ip = parsed.success
  return NetAddress.isIpv4Address(ip)
    ? !special4.some((block) => IpNetwork.contains(block, ip))
    : IpNetwork.contains(globalUnicast6, ip) &&
        !special6.some((block) => IpNetwork.contains(block, ip))
}
