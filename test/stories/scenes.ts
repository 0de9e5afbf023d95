/** Scenes stories have in common: a customer with a vault, a request on it, a merchant who listens. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Receiver, Refused, World } from "./world.ts"

let customers = 0

/** A new customer's vault, provisioned as a merchant would. */
export const vault = Effect.fnUntraced(function* (world: World) {
  customers += 1
  const externalId = `customer_${customers}`
  const job = yield* world.calls.create_provisioning_job({
    chainId: "local",
    customers: [{ externalId }]
  })
  const done = yield* world.until(
    "the provisioning job completes",
    Effect.map(world.calls.get_provisioning_job({ jobId: job.jobId }), (now) =>
      now.status === "completed" ? now : undefined
    )
  )
  const result = done.results[0]
  assert.isDefined(result)
  return {
    externalId,
    walletMappingId: result?.walletMappingId as string,
    address: result?.address as string
  }
})

export const request = Effect.fnUntraced(function* (
  world: World,
  walletMappingId: string,
  amountUsd: number,
  more: { readonly expiryDays?: number } = {}
) {
  return yield* world.calls.create_payment_request({ walletMappingId, amountUsd, ...more })
})

/** Waits until the request has the status, and gives it back as it then is. */
export const becomes = Effect.fnUntraced(function* (world: World, pid: string, status: string) {
  return yield* world.until(
    `payment request ${pid} becomes ${status}`,
    Effect.map(world.calls.get_payment_request({ idOrPid: pid }), (now) =>
      now.status === status ? now : undefined
    )
  )
})

/** The request's status once the watcher has taken everything there is. */
export const staysSo = Effect.fnUntraced(function* (world: World, pid: string, status: string) {
  yield* world.watched
  const now = yield* world.calls.get_payment_request({ idOrPid: pid })
  assert.strictEqual(now.status, status)
  return now
})

export const final = (world: World) => world.mine(world.confirmations)

/** A merchant's endpoint for all payment events. */
export const merchant = Effect.fnUntraced(function* (world: World, maxAttempts = 10) {
  const receiver = yield* world.receiver
  const endpoint = yield* world.calls.create_merchant_webhook({
    url: receiver.url,
    events: [
      "payment_request.created",
      "payment_request.paid",
      "payment_request.payment_failed",
      "payment_request.expired"
    ],
    maxAttempts
  })
  assert.match(endpoint.secret ?? "", /^whsec_/u)
  yield* receiver.trust(endpoint.secret as string)
  return { receiver, endpoint }
})

/** Waits for an event of a type about a request. */
export const hears = Effect.fnUntraced(function* (
  world: World,
  receiver: Receiver,
  type: string,
  pid: string
) {
  return yield* world.until(
    `the merchant hears ${type} of ${pid}`,
    Effect.map(receiver.arrived, (events) =>
      events.find(
        (event) =>
          event.type === type &&
          "paymentRequestPid" in event.data.object &&
          event.data.object.paymentRequestPid === pid
      )
    )
  )
})

/** How a call was refused; one that was not is a defect. */
export const refusal = <A>(call: Effect.Effect<A, Refused>): Effect.Effect<Refused> =>
  Effect.matchEffect(call, {
    onSuccess: () => Effect.die(new Error("The call was not refused.")),
    onFailure: Effect.succeed
  })

/** The deposits of a vault. */
export const depositsOn = Effect.fnUntraced(function* (world: World, vaultId: string) {
  return (yield* world.calls.list_deposits({ vaultId })).deposits
})

/** Waits until the agent's proposal has the status, mining as time goes on. */
export const proposalBecomes = (world: World, proposalId: string, status: string) =>
  world.until(
    `proposal ${proposalId} becomes ${status}`,
    Effect.gen(function* () {
      yield* world.mine(1)
      const now = yield* world.agent.get_proposal({ proposalId })
      return now.status === status ? now : undefined
    })
  )
