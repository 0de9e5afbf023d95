/**
 * By which names tools are called. A page of an attacker's can have its own name lead to this machine, and then
 * calls us under that name; so a name with a dot must be one of ours. An address, `localhost` and a bare name
 * like `bursar` of an inner network cannot be led anywhere, and are what proxies and neighbours send.
 */
import { Result } from "effect"
import { NetAddress } from "effect/net"

/** `pay.example.com` of `Pay.Example.com.:443`, and `::1` of `[::1]:4000`. */
const nameOf = (host: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/u.exec(host)
  const name = bracketed?.[1] ?? host.replace(/:\d*$/u, "")
  return name.toLowerCase().replace(/\.$/u, "")
}

const cannotBeLed = (name: string): boolean =>
  !/[.:]/u.test(name) ||
  name.endsWith(".localhost") ||
  Result.isSuccess(NetAddress.ipFromString(name))

/** Whether a request may name us so in its `Host`. Every browser sends one. */
export const isOurs = (
  host: string | undefined,
  siteUrl: string,
  hosts: ReadonlyArray<string>
): boolean => {
  if (host === undefined) return true
  const name = nameOf(host)
  return (
    cannotBeLed(name) ||
    name === nameOf(new URL(siteUrl).host) ||
    hosts.some((each) => nameOf(each) === name)
  )
}

const maxRemembered = 100

/** The same, remembering what was ours: clients send the same few names again and again. */
export const remembering = (hosts: ReadonlyArray<string>) => {
  const ours = new Set<string>()
  return (host: string | undefined, siteUrl: string): boolean => {
    if (host === undefined || ours.has(host)) return true
    if (!isOurs(host, siteUrl, hosts)) return false
    if (ours.size < maxRemembered) ours.add(host)
    return true
  }
}
