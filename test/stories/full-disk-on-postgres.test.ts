/** A send that is in hand while the disk of its records fills and is freed again, on a real PostgreSQL and a real chain. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as FreshDatabase from "../support/fresh-database.ts"
import { realWorld } from "./real-world.ts"
import * as Scene from "./scenes.ts"

const usdc = 1_000_000n

/** Each write to any table finds the disk full, as a server says it. */
const full = `create function disk_is_full() returns trigger language plpgsql as $$
  begin raise exception using errcode = 'disk_full', message = 'No space left on device'; end $$`
const fill = `do $$ declare each text; begin
    for each in select tablename from pg_tables where schemaname = 'public' loop
      execute format('create trigger full_disk before insert or update or delete on %I
        for each statement execute function disk_is_full()', each);
    end loop; end $$`

const free = "drop function disk_is_full cascade"

it.live(
  "a send is paid once though the disk fills at each of its steps, and its caps count it once",
  () =>
    Effect.gen(function* () {
      const engine = yield* Layer.build(FreshDatabase.engine)
      const sql = yield* Effect.provide(SqlClient.SqlClient, engine)
      const world = yield* realWorld(Layer.succeedContext(engine), "REST")
      const { agent } = world
      const wallet = (yield* agent.list_wallets({})).wallets.find(({ kind }) => kind === "standard")
      const recipient = (yield* agent.list_recipients({})).recipients.find(
        ({ status }) => status === "approved"
      )
      const to = String(recipient?.address)
      yield* world.pay(String(wallet?.address), 100n * usdc)
      const before = yield* world.balanceOf(to)
      // Each send meets the full disk a little later than the one before it: unsigned, signed, submitted, in a block.
      const afterMs = [0, 40, 120, 300]
      for (const [at, ms] of afterMs.entries()) {
        const propose = agent.propose_transfer({
          recipientId: String(recipient?.id),
          fromWalletId: String(wallet?.id),
          amountUsdc: "2.50"
        })
        const { proposalId } = yield* propose
        yield* agent.confirm_proposal({ proposalId, waitMs: 0 })
        yield* Effect.sleep(ms)
        yield* sql.unsafe(full)
        // It takes a lock on every table, which workers may hold in another order.
        yield* Effect.retry(sql.unsafe(fill), { times: 20 })
        const refused = yield* Scene.refusal(propose)
        assert.strictEqual(refused.code, "DATABASE_READ_ONLY")
        yield* world.mine(world.confirmations + 1)
        yield* Effect.sleep(1_500)
        yield* world.mine(world.confirmations + 1)
        yield* Effect.retry(sql.unsafe(free), { times: 20 })
        const done = yield* Scene.proposalBecomes(world, proposalId, "completed")
        assert.lengthOf(done.txHashes, 1)
        const paid = (yield* world.balanceOf(to)) - before
        assert.strictEqual(paid, BigInt(at + 1) * 2_500_000n, `Filled after ${ms} ms.`)
      }
      assert.strictEqual((yield* agent.get_policy_limits({})).dailyUsedUsd, "10.00")
    }).pipe(Effect.scoped),
  180_000
)
