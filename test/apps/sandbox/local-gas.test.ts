/** The sandbox's chain gives gas to those who are to pay for sends. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as EvmSubmitter from "../../../adapters/evm/submitter.ts"
import * as LocalChain from "../../../apps/sandbox/local-chain.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { seedKeys, walletKeys } from "../../support/anvil-sending-chain.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const { backend, relayer } = seedKeys()

const directory = temporaryFolder("bursar-chain-")

/** Sends over the local chain. */
const payouts = Layer.unwrap(
  Effect.map(LocalChain.LocalChain, ({ rpcUrl, usdc }) => {
    const chain = Chain.find("local") as Chain.Chain
    const connections = [{ chain, rpcUrl, usdc, confirmations: 2, pollMs: 50 }]
    return EvmSubmitter.layer({ relayer, connections })
  })
).pipe(Layer.provide(walletKeys(backend)))

it.live("a relayer that is given gas can send", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const chain = LocalChain.layer({ directory: path, blockMs: null })
    yield* Effect.gen(function* () {
      const { giveGas } = yield* LocalChain.LocalChain
      const { conditions, relayerAddress } = yield* EvmRelay
      assert.strictEqual((yield* conditions("local")).relayerWei, 0n)
      yield* giveGas(yield* relayerAddress("local"))
      const { maxFeePerGas, relayerWei } = yield* conditions("local")
      assert.isAbove(Number(relayerWei / maxFeePerGas), 1_000_000)
    }).pipe(Effect.provide(Layer.provideMerge(payouts, chain)))
  })
)
