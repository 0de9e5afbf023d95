/**
 * The issuer's bridge between the local chains: its contracts and programs on each, linked with all the others, and the
 * attesters that let USDC be burnt on one and minted on another; and whoever fills limit orders between them.
 */
import { Effect } from "effect"
import { bytesToHex } from "viem/utils"
import type { Anvil } from "../anvil.ts"
import * as CircleUsdc from "../circle-usdc.ts"
import type { LocalSolana } from "../solana/local-solana.ts"
import { accounts } from "../unlocked.ts"
import * as Attestation from "./attestation.ts"
import * as AttestationService from "./attestation-service.ts"
import * as CctpContracts from "./cctp-contracts.ts"
import * as LimitOrderService from "./limit-order-service.ts"
import * as LimitOrders from "./limit-orders.ts"

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

const fillerMicro = 1_000_000_000_000n
const roundMs = 1_000

/** Fills orders between the EVM chains, and answers what they come to. */
const serveOrders = Effect.fnUntraced(function* (chains: ReadonlyArray<Linked>) {
  for (const { anvil, usdc, ...rest } of chains) {
    const { minter: filler } = yield* accounts(anvil)
    yield* LimitOrders.deploy({ anvil, usdc, ...rest })
    yield* CircleUsdc.mint(anvil, usdc, filler, fillerMicro)
  }
  const orders = LimitOrders.make(chains)
  yield* Effect.forkScoped(orders.rounds(roundMs))
  return yield* LimitOrderService.serve(orders)
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
  const attestations = { local: yield* AttestationService.serve(attesters) }
  const limitOrdersUrl = chains.length > 1 ? yield* serveOrders(chains) : undefined
  return { attesters, bridging: { attestations, limitOrdersUrl }, table }
})

export type Links = Effect.Success<ReturnType<typeof open>>
