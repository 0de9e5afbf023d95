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

/** Links Solana with the EVM chains. */
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

/** What carries tokens between some local chains. */
export interface Ends {
  readonly chains: ReadonlyArray<Linked>
  readonly solana: LocalSolana["Service"] | undefined
}

/** Answers for the bridges between them until the scope ends. Nothing is on the chains before they are linked. */
export const serve = Effect.fnUntraced(function* ({ chains, solana }: Ends) {
  const attesters = Attestation.make([
    ...chains.map(Attestation.sourceOn),
    ...(solana === undefined ? [] : [solanaSource(solana)])
  ])
  const orders = LimitOrders.make(chains)
  const attestations = { local: yield* AttestationService.serve(attesters) }
  // Orders go between EVM chains alone.
  const limitOrdersUrl = chains.length > 1 ? yield* LimitOrderService.serve(orders) : undefined
  return { attesters, orders, bridging: { attestations, limitOrdersUrl } }
})

export type Served = Effect.Success<ReturnType<typeof serve>>

/** Puts the contracts of limit orders in place, and fills orders until the scope ends. */
const fillOrders = Effect.fnUntraced(function* (chains: ReadonlyArray<Linked>, { orders }: Served) {
  for (const { anvil, usdc, ...rest } of chains) {
    const { minter: filler } = yield* accounts(anvil)
    yield* LimitOrders.deploy({ anvil, usdc, ...rest })
    yield* CircleUsdc.mint(anvil, usdc, filler, fillerMicro)
  }
  yield* Effect.forkScoped(orders.rounds(roundMs))
})

/** Puts the contracts and programs in place and links them, all chains with all others; those that were linked before are linked again. */
export const link = Effect.fnUntraced(function* ({ chains, solana }: Ends, served: Served) {
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
  if (solana !== undefined) yield* linkSolana(solana, chains)
  if (chains.length > 1) yield* fillOrders(chains, served)
})

/** Serves them and links them, until the scope ends. */
export const open = Effect.fnUntraced(function* (
  chains: ReadonlyArray<Linked>,
  solana: LocalSolana["Service"] | undefined
) {
  const served = yield* serve({ chains, solana })
  yield* link({ chains, solana }, served)
  return { ...served, table: solana?.cctp.table }
})
