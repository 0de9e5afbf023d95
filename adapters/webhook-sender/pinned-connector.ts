/**
 * Opens the webhook sender's connections. A name is resolved once, refused whole if any of its addresses is not
 * public, and the literal that was judged is the one that is dialled, so no second answer can slip in.
 */
import { isIP } from "node:net"
import { Data } from "effect"
import type { buildConnector } from "undici"
import { loadOnce } from "../loading/load-once.ts"
import * as AddressPolicy from "./address-policy.ts"
import type { Lookup } from "./name-lookup.ts"
import type { Mode } from "./url-policy.ts"

/** The name, or the address it turned out to have, is not one we connect to. */
export class AddressRefused extends Data.TaggedError("AddressRefused") {}

/** The name has no address, or nobody could tell. */
export class NameUnresolved extends Data.TaggedError("NameUnresolved") {}

export interface Options {
  readonly mode: Mode
  readonly lookup: Lookup
  /** For connecting to one address, TLS included. */
  readonly connectTimeoutMs: number
  /** Lets a loopback address stand for a public one; tests only. */
  readonly alsoPublic?: (address: string) => boolean
  /** PEM of the only authority to trust in place of the system's; tests only. */
  readonly authority?: string
}

/** Enough to get past a dead address; a name with a hundred of them may not hold a connection for minutes. */
const maxAddressesDialled = 3

const dialler = async (options: Options): Promise<buildConnector.connector> => {
  // Brought in here, so that a start does without.
  const { buildConnector } = await import("undici")
  return buildConnector({
    timeout: options.connectTimeoutMs,
    // One connection carries one parcel at a time, and no TLS session outlives the address it was made with.
    allowH2: false,
    maxCachedSessions: 0,
    autoSelectFamily: false,
    ...(options.authority === undefined ? {} : { ca: options.authority })
  })
}

const errorOf = (cause: unknown): Error =>
  cause instanceof Error ? cause : new Error("The connection failed.", { cause })

export const make = (options: Options): buildConnector.connector => {
  const dialling = loadOnce(() => dialler(options))

  const permits = (host: string, protocol: string, address: string) =>
    AddressPolicy.isPublic(address) ||
    (options.mode === "local" &&
      protocol === "http:" &&
      host === "127.0.0.1" &&
      address === host) ||
    options.alsoPublic?.(address) === true

  // net.connect never asks a lookup function about an IP literal, so literals are judged here as well.
  const addressesOf = async (host: string): Promise<ReadonlyArray<string>> => {
    if (isIP(host) !== 0) return [host]
    const addresses = await options.lookup(host).catch(() => [])
    if (addresses.length === 0) throw new NameUnresolved()
    return addresses
  }

  return (target, callback) => {
    const { hostname: host, protocol } = target

    const tryNext = (
      dial: buildConnector.connector,
      address: string,
      ...rest: ReadonlyArray<string>
    ) => {
      const dialled = (...[failure, socket]: Parameters<buildConnector.Callback>) => {
        // Told apart by the failure: undici leaves the socket out, not null, when there is one.
        if (failure === null) {
          if (permits(host, protocol, socket.remoteAddress ?? "")) return callback(null, socket)
          socket.destroy()
          return callback(new AddressRefused(), null)
        }
        const [next, ...others] = rest
        return next === undefined ? callback(failure, null) : tryNext(dial, next, ...others)
      }
      // A throw in here would be nobody's and end the process.
      try {
        // The name stays in the target's host: TLS speaks to it, and wants its certificate.
        dial({ ...target, hostname: address }, dialled)
      } catch (cause) {
        callback(errorOf(cause), null)
      }
    }

    Promise.all([dialling.get(), addressesOf(host)]).then(
      ([dial, addresses]) => {
        const [first, ...rest] = addresses.slice(0, maxAddressesDialled)
        return first !== undefined && addresses.every((address) => permits(host, protocol, address))
          ? tryNext(dial, first, ...rest)
          : callback(new AddressRefused(), null)
      },
      (cause) => callback(errorOf(cause), null)
    )
  }
}
