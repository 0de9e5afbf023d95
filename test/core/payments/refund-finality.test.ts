/** Money is sent back once the chain itself calls the block final in which it came, and not by a count of blocks. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { Refunds } from "../../../core/payments/refund-ledger.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Chains, ChainUnavailable, type Finality } from "../../../core/ports/chains.ts"
import { admitRefund } from "../../../core/transfers/refund-finality.ts"
import { world } from "../../support/memory-sending-chain.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const base = Layer.suspend(() => Layer.mergeAll(world, Memory.layer()))

/** A refund of what came in two transfers. */
const aRefund = Effect.gen(function* () {
  const account = yield* Stored.account()
  const vault = yield* Stored.wallet(account.id)
  const final = { state: "final", finalAt: Rows.at(1) } as const
  const transfers = [Rows.aTransfer(vault, final), Rows.aTransfer(vault, final)]
  for (const transfer of transfers) yield* (yield* Transfers).record(transfer)
  const proposal = yield* Stored.proposal({ accountId: account.id, status: "executing" })
  const outcome = yield* (yield* Refunds).claim({
    proposalId: proposal.id,
    accountId: account.id,
    amountMicro: Usdc.sum(transfers.map(({ amountMicro }) => amountMicro)),
    transferIds: transfers.map(({ id }) => id),
    at: Rows.at(1)
  })
  assert.strictEqual(outcome._tag, "claimed")
  return { transfers, submission: SendingRows.aSubmission(proposal, vault) }
})

type Asked = Parameters<Chains["Service"]["finality"]>[1]

const admitted = Effect.fnUntraced(function* (
  submission: Parameters<typeof admitRefund>[0],
  finality: (block: Asked) => Effect.Effect<Finality, ChainUnavailable>
) {
  const chains = yield* Chains
  return yield* Effect.provideService(admitRefund(submission), Chains, {
    ...chains,
    finality: (_, block) => finality(block)
  })
})

it.effect("it waits for the last of the blocks, and for a chain that does not answer", () =>
  Effect.gen(function* () {
    const { submission, transfers } = yield* aRefund
    const final = new Set<string>()
    const asked: Array<Asked> = []
    const now = admitted(submission, (block) =>
      Effect.sync(() => {
        asked.push(block)
        return final.has(block.hash) ? "finalized" : "pending"
      })
    )
    assert.strictEqual((yield* now)._tag, "wait")
    assert.sameDeepMembers(
      asked,
      transfers.map(({ blockHash: hash, blockNumber: number }) => ({ hash, number }))
    )
    final.add(transfers[0]?.blockHash ?? "")
    if (transfers[0]?.blockHash !== transfers[1]?.blockHash) {
      assert.strictEqual((yield* now)._tag, "wait")
    }
    final.add(transfers[1]?.blockHash ?? "")
    assert.strictEqual((yield* now)._tag, "go")
    const chainId = submission.chainId
    const away = new ChainUnavailable({ chainId, reason: "unreachable", detail: "away" })
    assert.strictEqual((yield* admitted(submission, () => Effect.fail(away)))._tag, "wait")
    // Another block in its place: the watcher is yet to see where the money is now.
    assert.strictEqual((yield* admitted(submission, () => Effect.succeed("dropped")))._tag, "wait")
  }).pipe(Effect.provide(base))
)

it.effect("what is no longer on the chain is not sent back", () =>
  Effect.gen(function* () {
    const { submission, transfers } = yield* aRefund
    const [first] = transfers
    if (first === undefined) return assert.fail("two came")
    const store = yield* Transfers
    const now = yield* Effect.provideService(
      admitted(submission, () => Effect.succeed("finalized")),
      Transfers,
      {
        ...store,
        find: (accountId, id) =>
          Effect.map(store.find(accountId, id), (found) =>
            found?.id === first.id ? { ...found, state: "reorged" as const } : found
          )
      }
    )
    assert.strictEqual(now._tag, "fail")
  }).pipe(Effect.provide(base))
)
