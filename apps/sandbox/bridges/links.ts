/**
 * The issuer's bridge between the local chains: its contracts and programs on each, linked with all the others, and the
 * attesters that let USDC be burnt on one and minted on another.
 */
import { Effect } from "effect"
import { bytesToHex } from "viem/utils"
import type { Anvil } from "../anvil.ts"
import type { LocalSolana } from "../solana/local-solana.ts"
import * as Attestation from "./attestation.ts"
import * as AttestationService from "./attestation-service.ts"
import * as CctpContracts from "./cctp-contracts.ts"

export interface Linked {
  readonly chainId: string
  readonly anvil: Anvil
  readonly usdc: string
}

const solanaId = "local-solana"

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.slice(2), "hex"))

/** Links Solana with the EVM chains; its lookup table. */
const linkSolana = (solana: LocalSolana["Service"], chains: ReadonlyArray<Linked>) =>
  solana.cctp.link({
    domain: CctpContracts.localDomain(solanaId).number,
    attesters: CctpContracts.attesters.map(bytesOf),
    remotes: chains.map(({ chainId, usdc }) => {
      const { number, tokenMessenger } = CctpContracts.localDomain(chainId)
      return {
        domain: number,
        messenger: bytesOf(CctpContracts.bytes32(tokenMessenger)),
        token: bytesOf(CctpContracts.bytes32(usdc))
      }
    })
  })

/** Solana as the attesters see it: what is confirmed there is in a block, and what is finalized is final. */
const solanaSource = ({ cctp }: LocalSolana["Service"]): Attestation.Source => ({
  chainId: solanaId,
  sent: (signature) =>
    Effect.map(cctp.sent(signature), (sent) =>
      sent === undefined || sent.commitment === "processed"
        ? undefined
        : { message: bytesToHex(sent.message), isFinal: sent.commitment === "finalized" }
    )
})

/** Links them until the scope ends; chains that were linked before are linked again. */
export const open = Effect.fnUntraced(function* (
  chains: ReadonlyArray<Linked>,
  solana: LocalSolana["Service"] | undefined
) {
  const others = solana === undefined ? [] : [{ chainId: solanaId, usdc: solana.usdc }]
  const all = [...chains, ...others]
  yield* Effect.forEach(
    chains,
    (here) =>
      CctpContracts.deploy(
        here,
        all.filter(({ chainId }) => chainId !== here.chainId)
      ),
    { concurrency: "unbounded" }
  )
  const table = solana === undefined ? undefined : yield* linkSolana(solana, chains)
  const attesters = Attestation.make([
    ...chains.map(Attestation.sourceOn),
    ...(solana === undefined ? [] : [solanaSource(solana)])
  ])
  const attestationUrl = yield* AttestationService.serve(attesters)
  return { attesters, attestationUrl, table }
})
