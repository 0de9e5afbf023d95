/** A second EVM chain beside the sandbox's own. It is there for who asks for it, and forgotten when the sandbox ends. */
import { Effect } from "effect"
import * as Chain from "../../../core/chains/chain.ts"
import { finality } from "../../../core/chains/usdc.ts"
import * as Anvil from "../anvil.ts"
import * as CircleUsdc from "../circle-usdc.ts"

const chainId = "local-2"
const blockMs = 1_000
/** Whom the accounts may pay there; nobody has the key. */
export const somebody = `0x${"2c".repeat(20)}`
const plentyWei = "0x3635c9adc5dea00000"

/** Opens it until the scope ends. */
export const open = Effect.gen(function* () {
  const chain = Chain.find(chainId) as Chain.Chain
  const anvil = yield* Anvil.start({ chainId: Chain.eip155(chain) })
  const usdc = yield* CircleUsdc.deploy(anvil)
  yield* anvil
    .call("evm_mine")
    .pipe(
      Effect.andThen(Effect.sleep(blockMs)),
      Effect.forever,
      Effect.ignoreCause,
      Effect.forkScoped
    )
  return {
    linked: { chainId, anvil, usdc },
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

export type SecondChain = Effect.Success<typeof open>
