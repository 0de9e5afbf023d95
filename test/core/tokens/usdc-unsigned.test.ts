/** The last door before a key: nothing is signed for a chain whose USDC has another contract behind it. */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { SigningDenied } from "../../../core/submissions/order.ts"
import { UsdcImplementations } from "../../../core/tokens/usdc-implementation-store.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"
import { signable } from "../../support/signable-orders.ts"

layer(memoryTreasury)("a wallet's key", (it) => {
  it.effect("signs nothing there until what was seen is accepted", () =>
    Effect.gen(function* () {
      const { accept, see } = yield* UsdcImplementations
      const { order } = yield* signable()
      const { authorize } = yield* EvmRelay
      yield* see(order.chainId, "0xa1", Rows.at(1))
      yield* authorize(order)
      yield* see(order.chainId, "0xb2", Rows.at(2))
      const exit = yield* Effect.exit(authorize(order))
      assert(Exit.isFailure(exit))
      const denied = Cause.squash(exit.cause)
      assert.instanceOf(denied, SigningDenied)
      assert.include((denied as SigningDenied).violation, "bursar usdc acknowledge local")
      yield* accept(order.chainId, "0xb2")
      yield* authorize(order)
    })
  )
})
