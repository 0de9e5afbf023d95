/** Which bridges a treasury has: those of the chains it is connected to, by the services it is told of. */
import { Effect, Layer } from "effect"
import * as Attestations from "../../adapters/evm/cctp/attestations.ts"
import * as Cctp from "../../adapters/evm/cctp/bridge.ts"
import type { Connection } from "../../adapters/evm/node.ts"
import type { Network } from "../../core/chains/cctp.ts"
import { Bridges } from "../../core/ports/bridge.ts"
import type { CctpEnd } from "../../core/ports/cctp-ends.ts"

/** Where burns are attested, by network, without a trailing slash; a network without one has no bridges. */
export type AttestationUrls = Readonly<Partial<Record<Network, string>>>

export const publicUrls: AttestationUrls = Attestations.publicUrls

const ofNetworks = (urls: AttestationUrls) =>
  Effect.forEach(Object.entries(urls), ([network, url]) =>
    Effect.map(Attestations.make({ url }), (made) => [network, made] as const)
  )

/** The chains of one family, and the ends that chains of others are. */
export const layer = (
  chains: ReadonlyArray<Connection>,
  urls: AttestationUrls,
  others: ReadonlyArray<CctpEnd> = []
) =>
  Layer.effect(
    Bridges,
    Effect.map(ofNetworks(urls), (made) => {
      const byNetwork = new Map<string, Attestations.Attestations>(made)
      return [Cctp.make(chains, (network) => byNetwork.get(network), others)]
    })
  )
