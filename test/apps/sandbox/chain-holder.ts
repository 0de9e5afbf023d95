/** A process that holds a local chain, pays once on it, says so, and stays until it is killed. */
import { Effect } from "effect"
import { sendUsdc } from "../../../adapters/evm/usdc.ts"
import * as LocalChain from "../../../apps/sandbox/local-chain.ts"

const [directory = "", to = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { rpcUrl, payer, usdc } = yield* LocalChain.LocalChain
  const { privateKey } = payer
  yield* Effect.promise(() =>
    sendUsdc({ rpcUrl, privateKey, token: usdc, to, amountMicro: 49_000_000n })
  )
  process.stdout.write(`${rpcUrl}\n`)
  return yield* Effect.never
})

await Effect.runPromise(Effect.provide(program, LocalChain.layer({ directory, blockMs: 50 })))
