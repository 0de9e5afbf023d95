/** `bursar reconcile` as a command; what it finds is told by `test/contracts/made-payments.contract.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ran } from "../../support/command-line.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-reconcile-")

describe("reconcile", () => {
  it.live(
    "says of each connected chain how much it has held against the records",
    () =>
      Effect.gen(function* () {
        const home = { BURSAR_DATA_DIR: yield* directory }
        yield* ran(["migrate"], home)
        const dead = "http://127.0.0.1:9"
        const chains = {
          BURSAR_CHAINS: "base,solana",
          BURSAR_RPC_BASE: dead,
          BURSAR_RPC_SOLANA: dead
        }
        const read = yield* ran(["reconcile"], { ...home, ...chains })
        // Without a wallet there is nothing to ask of a chain.
        assert.deepInclude(read, { exitCode: 0 })
        assert.include(read.stdout, "base: 0 payments of 0 wallets in final blocks.")
        assert.include(read.stdout, "solana: 0 payments of 0 wallets in final blocks.")
      }).pipe(Effect.scoped),
    120_000
  )
})
