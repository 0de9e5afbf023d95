/** On a server: trades and sends of an account begin at once, and together never pass its caps. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Usd from "../../../core/money/usd.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { revisionOf } from "../../../core/policy/revision.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import * as Rules from "../../../core/sales/rules.ts"
import { Sales } from "../../../core/sales/sale-store.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const treasury = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (address) =>
    Layer.merge(
      Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1),
      Layer.orDie(Layer.provide(Stores.layer, FreshDatabase.engineAt(address, 24)))
    )
  )
)

const usd = (whole: bigint) => Usd.make(whole * 1_000_000n)

const all = <A, E, R>(works: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.forEach(works, (work) => Effect.exit(work), { concurrency: "unbounded" })

const count = (exits: ReadonlyArray<{ readonly _tag: string }>) =>
  exits.filter(({ _tag }) => _tag === "Success").length

it.live(
  "of 64 swaps and sends that begin at once, as many do as the daily cap holds",
  () =>
    Effect.gen(function* () {
      const { run } = yield* Atomically
      const { reserve, used } = yield* Spending
      const { id: accountId } = yield* Stored.account()
      const limits = yield* revisionOf(accountId)
      const at = yield* DateTime.now
      const amountMicro = usd(2_000n)
      const works = yield* Effect.forEach(
        Array(64).fill(0),
        Effect.fnUntraced(function* (_: number, index: number) {
          const proposal = yield* Stored.proposal({ accountId })
          const { id: walletId } = yield* Stored.wallet(accountId)
          const selling = { walletId, amount: SendingRows.anAmount("base", 10n ** 20n) }
          const judged = { worthMicro: usd(4_000n), valueAtRiskMicro: amountMicro }
          const send = Effect.flatMap(
            reserve(SendingRows.aReservation(proposal, { at, amountMicro }), limits),
            ({ _tag }) => (_tag === "reserved" ? Effect.void : Effect.fail("over"))
          )
          return index % 2 === 0
            ? run<void, unknown, never>(send)
            : run(Rules.start(proposal, selling, judged))
        })
      )
      const exits = yield* all(works as ReadonlyArray<Effect.Effect<void, unknown, never>>)
      assert.strictEqual(count(exits), 25)
      assert.strictEqual((yield* used(accountId, windowsAt(at))).dayMicro, usd(50_000n))
      const sold = yield* (yield* Sales).used(accountId, windowsAt(at).day)
      const trades = count(exits.filter((_, index) => index % 2 === 1))
      // A sale that does not fit leaves nothing behind.
      assert.strictEqual(sold, usd(4_000n * BigInt(trades)))
    }).pipe(Effect.provide(treasury)),
  60_000
)

it.live(
  "of 24 sales of one token of a wallet that begin at once, one does",
  () =>
    Effect.gen(function* () {
      const { run } = yield* Atomically
      const { id: accountId } = yield* Stored.account()
      const { id: walletId } = yield* Stored.wallet(accountId)
      const amount = { token: { chainId: "base", address: Rows.anAddressKey() }, units: 5n }
      const judged = { worthMicro: usd(10n), valueAtRiskMicro: usd(1n) }
      const works = yield* Effect.forEach(Array(24).fill(0), () =>
        Effect.map(Stored.proposal({ accountId }), (proposal) =>
          run(Rules.start(proposal, { walletId, amount }, judged))
        )
      )
      assert.strictEqual(count(yield* all(works)), 1)
    }).pipe(Effect.provide(treasury)),
  60_000
)
