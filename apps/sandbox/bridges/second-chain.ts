/**
 * A second EVM chain beside the sandbox's own, and the attesters that let USDC be burnt on one and minted on the other.
 * It is there for who asks for it, and forgotten when the sandbox ends.
 */
import { Effect } from "effect"
import * as Chain from "../../../core/chains/chain.ts"
import { finality } from "../../../core/chains/usdc.ts"
import * as Anvil from "../anvil.ts"
import * as CircleUsdc from "../circle-usdc.ts"
import type { LocalChain } from "../local-chain.ts"
import * as Attestation from "./attestation.ts"
import * as AttestationService from "./attestation-service.ts"
import * as CctpContracts from "./cctp-contracts.ts"

const chainId = "local-2"
const blockMs = 1_000
/** Whom the accounts may pay there; nobody has the key. */
export const somebody = `0x${"2c".repeat(20)}`
const plentyWei = "0x3635c9adc5dea00000"

/** Opens it until the scope ends, linked with the first one. */
export const open = Effect.fnUntraced(function* (first: LocalChain["Service"]) {
  const chain = Chain.find(chainId) as Chain.Chain
  const anvil = yield* Anvil.start({ chainId: Chain.eip155(chain) })
  const usdc = yield* CircleUsdc.deploy(anvil)
  const here = { anvil: first.anvil, chainId: "local", usdc: first.usdc }
  const there = { anvil, chainId, usdc }
  yield* CctpContracts.deploy(here, [there])
  yield* CctpContracts.deploy(there, [here])
  const attestationUrl = yield* AttestationService.serve(Attestation.make([here, there]))
  yield* anvil
    .call("evm_mine")
    .pipe(
      Effect.andThen(Effect.sleep(blockMs)),
      Effect.forever,
      Effect.ignoreCause,
      Effect.forkScoped
    )
  return {
    attestations: { local: attestationUrl },
    connection: {
      chain,
      usdc,
      rpcUrl: anvil.rpcUrl,
      confirmations: finality[chainId]?.confirmations ?? 3,
      pollMs: finality[chainId]?.pollMs ?? 250,
      mayRestart: true
    },
    giveGas: (to: string) => Effect.asVoid(anvil.call("anvil_setBalance", to, plentyWei))
  }
})

export type SecondChain = Effect.Success<ReturnType<typeof open>>
