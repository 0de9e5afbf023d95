/**
 * When a local chain makes blocks, and when it is saved: quickly while there are transactions and shortly after, slowly
 * otherwise.
 */
import { Clock, Effect, Predicate } from "effect"
import type { Anvil } from "./anvil.ts"

/** Blocks that come at the quick pace after the last transaction, so that it becomes final soon. */
const settlingBlocks = 12
/** With nothing to do a block comes now and then; chain time goes on and requests can expire. */
const idleMs = 10_000
const idleSaveMs = 60_000

const mining = Effect.fnUntraced(function* (
  anvil: Anvil,
  blockMs: number,
  save: Effect.Effect<void>
) {
  let quietBlocks = 0
  let minedAtMs = 0
  let savedAtMs = 0
  while (true) {
    yield* Effect.sleep(blockMs)
    const nowMs = yield* Clock.currentTimeMillis
    const pool = yield* anvil.call("txpool_status")
    const waits = Predicate.hasProperty(pool, "pending") && Number(pool.pending) > 0
    const isIdle = !waits && quietBlocks >= settlingBlocks
    if (isIdle && nowMs - minedAtMs < idleMs) continue
    yield* anvil.call("evm_mine")
    quietBlocks = waits ? 0 : quietBlocks + 1
    minedAtMs = nowMs
    if (isIdle && nowMs - savedAtMs < idleSaveMs) continue
    yield* save
    savedAtMs = nowMs
  }
})

/** For as long as it runs; a chain that has died makes no more, which is said once. */
export const keep = (anvil: Anvil, blockMs: number, save: Effect.Effect<void>) =>
  mining(anvil, blockMs, save).pipe(
    Effect.catchDefect((defect) => Effect.logError("A local chain no longer makes blocks", defect))
  )
