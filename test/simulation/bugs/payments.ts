/** Mistakes with money: expiry, reorganisations, matching, and transfers taken twice or not at all. */
import { DateTime, Effect, Layer } from "effect"
import type { Transfer } from "../../../core/payments/transfer.ts"
import { type Cursor, Cursors, Transfers } from "../../../core/payments/transfer-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { type Bug, over } from "./bug.ts"

export const expiryByWallClock: Bug = {
  name: "expiry judged by the wall clock, racing settlement",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Cursors,
        Effect.map(Cursors, (cursors) => {
          const hasPassed = (cursor: Cursor) =>
            Effect.map(DateTime.now, (finalTime) => ({ ...cursor, finalTime }))
          return {
            ...cursors,
            all: Effect.flatMap(cursors.all, (all) => Effect.forEach(all, hasPassed)),
            find: (chainId) =>
              Effect.flatMap(cursors.find(chainId), (cursor) =>
                cursor === undefined ? Effect.succeed(cursor) : hasPassed(cursor)
              )
          }
        })
      )
    )
}

/** Neither the cursor is compared nor the log of a transfer unique. */
export const noDedupe: Bug = {
  name: "no dedupe of transfers",
  plant: (wired) => {
    const recording = Layer.effect(
      Transfers,
      Effect.map(Transfers, (transfers) => {
        const record = (transfer: Transfer): ReturnType<typeof transfers.record> =>
          Effect.flatMap(transfers.record(transfer), (recorded) =>
            recorded.outcome === "known"
              ? record({ ...transfer, logIndex: transfer.logIndex + 1000 })
              : Effect.succeed(recorded)
          )
        return { ...transfers, record }
      })
    )
    const moving = Layer.effect(
      Cursors,
      Effect.map(Cursors, (cursors) => ({
        ...cursors,
        move: (_, to) =>
          Effect.flatMap(cursors.find(to.chainId), (cursor) =>
            cursors.move(cursor?.blocks.at(-1)?.hash ?? "", to)
          )
      }))
    )
    return over(over(wired, recording), moving)
  }
}

export const cursorBeforeTransfers: Bug = {
  name: "cursor moved before its transfers, in a transaction of its own",
  plant: (wired, world) => {
    // What was moved in a transaction that is then undone stays moved, as if it had committed before.
    const moved = new Map<object, Cursor>()
    let running: object | undefined
    const moving = Layer.effect(
      Cursors,
      Effect.map(Cursors, (cursors) => ({
        ...cursors,
        move: (from, to) =>
          Effect.tap(cursors.move(from, to), (isMoved) =>
            Effect.sync(() => {
              if (isMoved && running !== undefined) moved.set(running, to)
            })
          )
      }))
    )
    const atomically = Layer.effect(
      Atomically,
      Effect.map(Atomically, (each) => ({
        ...each,
        run: (work) =>
          Effect.suspend(() => {
            const mine = {}
            const marked = Effect.suspend(() => {
              running = mine
              return work
            })
            return Effect.onExit(each.run(marked), (exit) => {
              const to = moved.get(mine)
              return exit._tag === "Failure" && to !== undefined
                ? world.stores.replace("cursors", to)
                : Effect.void
            })
          })
      }))
    )
    return over(over(wired, moving), atomically)
  }
}

export const forgetfulReorganisation: Bug = {
  name: "a reorganisation forgets to recompute",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Transfers,
        Effect.map(Transfers, (transfers) => ({
          ...transfers,
          markReorged: (...asked) => Effect.as(transfers.markReorged(...asked), [])
        }))
      )
    )
}

export const guessing: Bug = {
  name: "of equal requests the first is taken",
  plant: (wired, world) =>
    over(
      wired,
      Layer.effect(
        Transfers,
        Effect.map(Transfers, (transfers) => ({
          ...transfers,
          record: (transfer) => {
            const [pid] = transfer.candidatePids
            const meant = world.stores.all("payment requests").find((each) => each.pid === pid)
            return transfers.record(
              transfer.settlementIssue === "ambiguous" && meant !== undefined
                ? { ...transfer, requestId: meant.id, settlementIssue: "none", candidatePids: [] }
                : transfer
            )
          }
        }))
      )
    )
}
