/**
 * Three processes of the service on one PostgreSQL, paid and told to pay under load, one of them killed
 * with money in its hands: nothing is lost and nothing is done twice, by the chain's and the tables' word.
 */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Name } from "../../core/treasury/operations.ts"
import * as Child from "../kill/child.ts"
import * as Receiver from "../kill/receiver.ts"
import { until, within } from "../kill/scene.ts"
import { program } from "../money/part.ts"
import { data, inScene, type Replica, type Scene } from "../money/scene.ts"

const patienceMs = 120_000
const customers = 12
const sends = 16
/** Longer than a dead process holds what it had claimed. */
const laterMs = 61_000
/** Refusals after which the same call is simply made again. */
const again = ["IDEMPOTENCY_IN_PROGRESS", "INTERNAL", "UPSTREAM_UNAVAILABLE"]

let bundle: Child.Bundle
beforeAll(async () => {
  bundle = await Child.bundle(program)
}, patienceMs)
afterAll(() => bundle.remove())

type Input = Readonly<Record<string, unknown>>

/** Makes the call under its key until a replica that lives has answered it, each time another one. */
const insistently = async (
  replicas: ReadonlyArray<Replica>,
  at: number,
  apiKey: string,
  name: Name,
  input: Input
) => {
  const key = `${name}-${at}`
  let turn = at
  return until(`${name} is answered`, async () => {
    const surface = turn % 2 === 0 ? "REST" : "tools"
    const replica = replicas[turn % replicas.length] as Replica
    turn += 1
    // Whoever died answers nobody, and a call that it had begun is another's to finish.
    const said = await replica.call(surface, apiKey, name, input, key).catch(() => undefined)
    return said === undefined || (!said.ok && again.includes(said.code)) ? undefined : data(said)
  })
}

const each = <A>(count: number, make: (at: number) => Promise<A>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)))

/** A request for every customer, each of an amount of its own. */
const requested = async (
  { account }: Scene,
  replicas: ReadonlyArray<Replica>,
  merchant: Receiver.Receiver
) => {
  const [first] = replicas as readonly [Replica]
  const call = async (name: Name, input: Input) =>
    data(await first.call("functions", account.developerKey, name, input))
  const { secret } = await call("create_merchant_webhook", {
    url: merchant.url,
    events: ["payment_request.paid"]
  })
  merchant.trust(secret)
  const { jobId } = await call("create_provisioning_job", {
    chainId: "local",
    customers: Array.from({ length: customers }, (_, at) => ({ externalId: `customer ${at}` }))
  })
  const vaults = await until("the vaults are made", async () => {
    const job = await call("get_provisioning_job", { jobId, limit: customers })
    return job.status === "completed" ? job.results : undefined
  })
  return each(customers, async (at) => {
    const amountSmallestUnit = String(1_000_000 + at)
    const input = { walletMappingId: vaults[at].walletMappingId, amountSmallestUnit }
    const request = await insistently(
      replicas,
      at,
      account.developerKey,
      "create_payment_request",
      input
    )
    return { pid: request.pid as string, address: vaults[at].address, amountSmallestUnit }
  })
}

const sendAll = ({ account }: Scene, replicas: ReadonlyArray<Replica>) =>
  each(sends, async (at) => {
    const [apiKey] = account.agentKeys
    const recipientId = account.recipientIds[at % 8]
    const amountUsdc = (2 + at / 1e6).toFixed(6)
    const input = { recipientId, fromWalletId: account.walletId, amountUsdc }
    const { proposalId } = await insistently(replicas, at, apiKey, "propose_transfer", input)
    await insistently(replicas, at, apiKey, "confirm_proposal", { proposalId })
    return { proposalId: proposalId as string, amountMicro: BigInt(2_000_000 + at) }
  })

const inOrder = (amounts: ReadonlyArray<bigint>) =>
  amounts.toSorted((one, other) => Number(one - other))

it("three replicas under load lose nothing and double nothing when one is killed while it pays", {
  timeout: patienceMs
}, async () => {
  const merchant = await Receiver.open(Date.now)
  try {
    await inScene(bundle, { confirmations: 2 }, async (scene) => {
      const replicas = await Promise.all([scene.start(), scene.start(), scene.start()])
      const [one, two, doomed] = replicas as [Replica, Replica, Replica]
      const requests = await requested(scene, replicas, merchant)
      await doomed.ask({ ask: "arm", point: { call: "EvmRelay.broadcast", edge: "after" } })
      const sending = sendAll(scene, replicas)
      // Whoever mints has one account, whose transactions follow one another.
      for (const { address, amountSmallestUnit } of requests) {
        await scene.chain.mint(address, BigInt(amountSmallestUnit))
      }
      const sent = await sending
      const death = await within("the third replica dies while it pays", doomed.child.died)
      assert.strictEqual(death.signal, "SIGKILL")
      for (const survivor of [one, two]) await survivor.ask({ ask: "clock", offsetMs: laterMs })
      const { database, chain, account } = scene
      await until("all that was sent is final", async () => {
        await chain.mine()
        return (await database.underWay()) === 0 ? true : undefined
      })
      const paid = await chain.paidFrom(account.address)
      assert.deepStrictEqual(
        inOrder(paid.map(({ amountMicro }) => amountMicro)),
        inOrder(sent.map(({ amountMicro }) => amountMicro))
      )
      assert.isTrue([...(await chain.usesOf(account.address)).values()].every((uses) => uses === 1))
      assert.strictEqual(await database.countOf("completed"), sends)
      assert.deepStrictEqual(await database.contradictions(), [])
      assert.strictEqual(await database.driftMicro(), 0n)

      const count = async (of: string) => {
        const [row] = await database.rows<{ count: number }>(
          `select count(*)::integer as count from ${of}`
        )
        return row?.count
      }
      await until("every request is paid", async () =>
        (await count("payment_request where status = 'paid'")) === customers ? true : undefined
      )
      await until("every delivery has ended", async () =>
        (await count("delivery where status in ('pending', 'retrying')")) === 0 ? true : undefined
      )
      assert.strictEqual(await count("payment_request where received_micro <> amount_micro"), 0)
      assert.strictEqual(await count("transfer where request_id is not null"), customers)
      assert.strictEqual(await count("webhook_event"), customers)
      assert.strictEqual(await count("delivery where status = 'delivered'"), customers)
      assert.strictEqual(merchant.rejected(), 0)
      // A delivery may arrive twice around a death, but it is the same event.
      assert.sameMembers(
        [...new Set(merchant.arrivals.map(({ eventId, pid }) => `${eventId} ${pid}`))].map(
          (told) => told.split(" ")[1]
        ),
        requests.map(({ pid }) => pid)
      )
    })
  } finally {
    merchant.close()
  }
})
