/** Which bridges a treasury has: those of the chains it is connected to, by the services it is told of. */
import { Effect, Layer } from "effect"
import * as Attestations from "../../adapters/evm/cctp/attestations.ts"
import * as Cctp from "../../adapters/evm/cctp/bridge.ts"
import * as Dln from "../../adapters/evm/dln/bridge.ts"
import * as Estimates from "../../adapters/evm/dln/estimates.ts"
import type { Connection } from "../../adapters/evm/node.ts"
import type { Network } from "../../core/chains/cctp.ts"
import { Bridges } from "../../core/ports/bridge.ts"
import type { CctpEnd } from "../../core/ports/cctp-ends.ts"
import * as Setting from "./setting.ts"

/** Where burns are attested, by network, without a trailing slash; a network without one has no bridges. */
export type AttestationUrls = Readonly<Partial<Record<Network, string>>>

/** Who is asked on the way from chain to chain. */
export interface Services {
  readonly attestations: AttestationUrls
  /** Who knows what limit orders come to; without it there are none. */
  readonly limitOrdersUrl?: string | undefined
}

export const publicServices: Services = { attestations: Attestations.publicUrls }

const form = /^https?:\/\/[^\s?#]+[^/\s?#]$/u
const expected = "be an http(s) URL without a trailing slash"

const attestationUrl = (variable: string, chains: string, usual: string) =>
  Setting.text(
    variable,
    `Where the issuer of USDC attests what was burnt on ${chains}, without a trailing slash. Bridges by CCTP ask it.`,
    usual,
    form,
    expected
  )

export const settings = {
  attestationUrl: attestationUrl(
    "BURSAR_ATTESTATION_URL",
    "main chains",
    Attestations.publicUrls.main
  ),
  attestationTestUrl: attestationUrl(
    "BURSAR_ATTESTATION_TEST_URL",
    "test chains",
    Attestations.publicUrls.test
  ),
  limitOrdersUrl: Setting.optional(
    "BURSAR_LIMIT_ORDERS_URL",
    `Where deBridge answers what a limit order between main chains comes to, such as \`${Estimates.publicUrl}\`. Without it nothing is bridged by limit orders: they are proven on local chains and by the published interface, and not yet on main chains.`,
    { form, expected }
  )
} as const

type Read = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]["read"]>
}

export const services = ({ attestationTestUrl, attestationUrl, limitOrdersUrl }: Read) => {
  const read: Services = {
    attestations: { main: attestationUrl, test: attestationTestUrl },
    limitOrdersUrl
  }
  return read
}

const ofNetworks = (urls: AttestationUrls) =>
  Effect.forEach(Object.entries(urls), ([network, url]) =>
    Effect.map(Attestations.make({ url }), (made) => [network, made] as const)
  )

/** The chains of one family, and the ends that chains of others are; only the first have limit orders. */
export const layer = (
  chains: ReadonlyArray<Connection>,
  { attestations, limitOrdersUrl }: Services,
  others: ReadonlyArray<CctpEnd> = []
) =>
  Layer.effect(
    Bridges,
    Effect.gen(function* () {
      const byNetwork = new Map<string, Attestations.Attestations>(yield* ofNetworks(attestations))
      const cctp = Cctp.make(chains, (network) => byNetwork.get(network), others)
      if (limitOrdersUrl === undefined) return [cctp]
      return [cctp, Dln.make(chains, yield* Estimates.make({ url: limitOrdersUrl }))]
    })
  )
