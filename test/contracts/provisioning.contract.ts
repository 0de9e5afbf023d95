/** What every store of provisioning jobs must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Item, Job } from "../../core/payments/provisioning-job.ts"
import { Provisioning } from "../../core/payments/provisioning-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const queued = Effect.fnUntraced(function* (count: number) {
  const account = yield* Stored.account()
  const job = Rows.aJob(account.id, { total: count })
  const items = Array.from({ length: count }, (_, position) => Rows.anItem(position))
  yield* (yield* Provisioning).queue(job, items)
  return { job, items }
})

export const suite = (
  name: string,
  stores: Layer.Layer<Provisioning | Wallets | Accounts | Atomically>
) =>
  layer(stores)(`${name}: provisioning`, (it) => {
    it.effect("a queued job is read back as it was, by its account only", () =>
      Effect.gen(function* () {
        const provisioning = yield* Provisioning
        const { job } = yield* queued(3)
        const stranger = yield* Stored.account()
        assert.deepStrictEqual(yield* provisioning.find(job.accountId, job.id), job)
        assert.isUndefined(yield* provisioning.find(stranger.id, job.id))
        const { run } = yield* Atomically
        assert.deepStrictEqual(yield* run(provisioning.lock(job.id)), job)
        assert.isUndefined(yield* run(provisioning.lock(Rows.anId())))
      })
    )

    it.effect("items are read in the order of the request, from any place on", () =>
      Effect.gen(function* () {
        const provisioning = yield* Provisioning
        const { job, items } = yield* queued(12)
        yield* queued(2)
        assert.deepStrictEqual(yield* provisioning.items(job.id, 0, 100), items)
        assert.deepStrictEqual(yield* provisioning.items(job.id, 9, 2), items.slice(9, 11))
        assert.deepStrictEqual(yield* provisioning.items(job.id, 12, 5), [])
        assert.deepStrictEqual(yield* provisioning.pending(job.id, 4), items.slice(0, 4))
      })
    )

    it.effect("takes a thousand customers with ids and namespaces of the greatest length", () =>
      Effect.gen(function* () {
        const provisioning = yield* Provisioning
        const account = yield* Stored.account()
        const job = Rows.aJob(account.id, { total: 1000 })
        const items = Array.from({ length: 1000 }, (_, position) => ({
          ...Rows.anItem(position),
          externalId: String(position).padStart(128, "語"),
          namespace: "語".repeat(64)
        }))
        yield* provisioning.queue(job, items)
        assert.deepStrictEqual(yield* provisioning.items(job.id, 0, 1000), items)
      })
    )

    it.effect("progress finishes items, and the rest stays pending", () =>
      Effect.gen(function* () {
        const provisioning = yield* Provisioning
        const { job, items } = yield* queued(4)
        const vault = yield* Stored.vault({ accountId: job.accountId })
        const [first, second, third, fourth] = items
        assert.isDefined(fourth)
        if (!first || !second || !third || !fourth) return
        const done: ReadonlyArray<Item> = [
          { ...first, status: "succeeded", walletId: vault.id, address: vault.address },
          { ...third, status: "failed", error: "no such chain" }
        ]
        const running = { ...job, status: "running" as const, succeeded: 1, failed: 1 }
        yield* provisioning.progress(running, done)
        assert.deepStrictEqual(yield* provisioning.find(job.accountId, job.id), running)
        assert.deepStrictEqual(yield* provisioning.pending(job.id, 10), [second, fourth])
        const all = yield* provisioning.items(job.id, 0, 10)
        assert.deepStrictEqual(
          all.filter(({ status }) => status !== "pending"),
          done
        )
        assert.deepStrictEqual(
          all.map(({ position }) => position),
          [0, 1, 2, 3]
        )
      })
    )

    it.effect("workers at one job take turns, so that its counts add up", () =>
      Effect.gen(function* () {
        const provisioning = yield* Provisioning
        const { run } = yield* Atomically
        const { job } = yield* queued(8)
        const finishOne = run(
          Effect.gen(function* () {
            const locked = yield* provisioning.lock(job.id)
            const [item] = yield* provisioning.pending(job.id, 1)
            yield* Effect.yieldNow
            if (locked === undefined || item === undefined) return
            yield* provisioning.progress({ ...locked, failed: locked.failed + 1 }, [
              { ...item, status: "failed", error: "full" }
            ])
          })
        )
        yield* Effect.all(
          Array.from({ length: 8 }, () => finishOne),
          { concurrency: "unbounded", discard: true }
        )
        assert.strictEqual((yield* provisioning.find(job.accountId, job.id))?.failed, 8)
        assert.deepStrictEqual(yield* provisioning.pending(job.id, 10), [])
      })
    )

    it.effect("jobs that ended before an instant go with their items, the oldest first", () =>
      Effect.gen(function* () {
        const provisioning = yield* Provisioning
        const longAgo = (seconds: number) => Rows.at(seconds - 100_000_000)
        const made = Effect.fnUntraced(function* (seconds: number, over: Partial<Job>) {
          const account = yield* Stored.account()
          const createdAt = longAgo(seconds)
          const job = Rows.aJob(account.id, { total: 2, status: "completed", createdAt, ...over })
          yield* provisioning.queue(job, [Rows.anItem(0), Rows.anItem(1)])
          return job
        })
        const jobs = yield* Effect.all([
          made(3, {}),
          made(1, { status: "failed" }),
          made(2, { status: "completed_with_errors" }),
          made(0, { status: "running" }),
          made(0, { status: "queued" }),
          made(1000, {})
        ])
        const left = Effect.forEach(jobs, ({ accountId, id }) =>
          Effect.map(provisioning.find(accountId, id), (job) => job !== undefined)
        )
        assert.isAtLeast(yield* provisioning.forget(longAgo(1000), 4), 3)
        assert.deepStrictEqual(yield* left, [true, false, true, true, true, true])
        assert.deepStrictEqual(yield* provisioning.items(jobs[1].id, 0, 5), [])
        assert.isAtLeast(yield* provisioning.forget(longAgo(1000), 1), 1)
        assert.deepStrictEqual(yield* left, [true, false, false, true, true, true])
        assert.strictEqual(yield* provisioning.forget(longAgo(1000), 100), 3)
        assert.deepStrictEqual(yield* left, [false, false, false, true, true, true])
        assert.strictEqual(yield* provisioning.forget(longAgo(1000), 100), 0)
      })
    )
  })
