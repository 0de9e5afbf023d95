/** How the service is reached: by the URL that is in every link, and through the proxies the settings count. */
import * as Configuration from "../server/configuration.ts"
import { type Finding, ok, problem, warning } from "./finding.ts"

const isLocal = (host: string) => /^(?:localhost|127\.|\[::1\]$)/u.test(host)

export const examine = (configuration: Configuration.Configuration): ReadonlyArray<Finding> => {
  const siteUrl = Configuration.siteUrl(configuration)
  const { hostname, protocol } = new URL(siteUrl)
  if (configuration.publicUrl === undefined) {
    return [
      warning(
        "site",
        `PUBLIC_URL is not set, so links in emails and on payment pages lead to ${siteUrl}, which works on this machine only. Set PUBLIC_URL.`
      )
    ]
  }
  if (protocol === "http:" && !isLocal(hostname)) {
    return [
      problem(
        "site",
        `PUBLIC_URL is ${siteUrl}: browsers create and use no passkey without https. Serve it by https and set PUBLIC_URL again.`
      )
    ]
  }
  if (protocol === "https:" && configuration.proxies === 0) {
    return [
      warning(
        "site",
        "PUBLIC_URL is https, which a proxy in front must serve, but BURSAR_PROXIES is 0: all clients then count as one. Set it to the number of your proxies."
      )
    ]
  }
  return [ok("site", `Links lead to ${siteUrl}.`)]
}
