/**
 * One run: the service dies at a point and is started again, and then what must hold is asked over REST
 * and of the merchant. What does not hold is told in sentences; a run without one has held.
 */
import { randomUUID } from "node:crypto"
import { labelOf, type PaymentPoint, type Point } from "./points.ts"
import { type Scene, until, type Vault } from "./scene.ts"

export interface Outcome {
  readonly violations: ReadonlyArray<string>
  /** The request the run was about. */
  readonly pid: string
  /** Deliveries beyond the first; or, for a write, whether the retry was answered from the store. */
  readonly repeats: number
}

/** Longer than a worker may hold a delivery. */
const leaseMs = 31_000

const broken = (checks: Readonly<Record<string, boolean>>): ReadonlyArray<string> =>
  Object.entries(checks).flatMap(([sentence, holds]) => (holds ? [] : [`not so: ${sentence}`]))

const becomes = (scene: Scene, pid: string, status: string) =>
  until(`${pid} becomes ${status}`, async () => {
    const request = await scene.ask("GET", `/api/v1/payment-requests/${pid}`)
    return request.status === status ? request : undefined
  })

const eventsOf = async (scene: Scene, pid: string): Promise<ReadonlyArray<{ id: string }>> => {
  const query = `paymentRequestPid=${pid}&type=payment_request.paid`
  return (await scene.ask("GET", `/api/v1/events?${query}`)).events
}

/** What the merchant was told of a request, over all of the scene's time. */
const arrivalsOf = ({ receiver }: Scene, pid: string) =>
  receiver.arrivals.filter((arrival) => arrival.pid === pid)

const delivered = (scene: Scene, pid: string) =>
  until(`the event of ${pid} is delivered`, async () => {
    const [event] = await eventsOf(scene, pid)
    if (event === undefined) return undefined
    const query = `eventId=${event.id}`
    const answer = await scene.ask("GET", `/api/merchant-webhooks/deliveries?${query}`)
    const deliveries: ReadonlyArray<{ status: string }> = answer.webhook_deliveries
    return deliveries.every(({ status }) => status === "delivered") ? deliveries : undefined
  })

let nextAmountMicro = 1_000_000n

/** Gets a request paid, with one death on the way; `waits` lets the dead process's lease really run out. */
export const payment = async (
  scene: Scene,
  point: PaymentPoint,
  { waits = false }: { readonly waits?: boolean } = {}
): Promise<Outcome> => {
  const vault = await scene.takeVault()
  const amountMicro = nextAmountMicro++
  const amount = amountMicro.toString()
  const { pid } = await scene.ask("POST", "/api/v1/payment-requests", {
    walletMappingId: vault.walletMappingId,
    amountSmallestUnit: amount
  })
  await scene.send(vault.address, amountMicro)
  if (point.turn === "settling") {
    await scene.mine()
    await becomes(scene, pid, "processing")
  }
  await scene.arm(point)
  await scene.mine()
  await scene.dies()
  await scene.restart(point.leavesLease === true && !waits ? leaseMs : 0)
  if (point.turn === "arriving") await scene.mine()
  const { arrivals, violations } = await told(scene, pid, vault, amountMicro)
  return { pid, repeats: arrivals - 1, violations }
}

/** Waits until a request is paid and its merchant has heard of it, and looks at all of it. */
export const told = async (scene: Scene, pid: string, vault: Vault, amountMicro: bigint) => {
  const amount = amountMicro.toString()
  const paid = await becomes(scene, pid, "paid")
  const deliveries = await delivered(scene, pid)
  const events = await eventsOf(scene, pid)
  const arrivals = arrivalsOf(scene, pid)
  const vaultQuery = `vaultId=${vault.walletMappingId}`
  const { deposits } = await scene.ask("GET", `/api/v1/deposits?${vaultQuery}`)
  return {
    paid,
    arrivals: arrivals.length,
    violations: broken({
      "what was received is the amount": paid.amountReceivedSmallestUnit === amount,
      "one transfer paid it": paid.attempts.length === 1 && paid.attempts[0].status === "final",
      "no money of it lies elsewhere": deposits.length === 0,
      "there is one event of it": events.length === 1,
      "there is one delivery of the event": deliveries.length === 1,
      "the merchant heard of it": arrivals.length > 0,
      "the merchant heard one event id": arrivals.every(({ eventId }) => eventId === events[0]?.id),
      "every delivery verified": scene.receiver.rejected() === 0
    })
  }
}

/** Opens a request under an idempotency key, dies in the middle, and asks again until answered. */
export const write = async (scene: Scene, point: Point): Promise<Outcome> => {
  const { walletMappingId } = await scene.takeVault()
  const body = { walletMappingId, amountSmallestUnit: "5000000" }
  const key = randomUUID()
  const post = () => scene.call("POST", "/api/v1/payment-requests", body, key)
  await scene.arm(point)
  const first = post().then(
    ({ status }) => `was answered ${status}`,
    () => "was lost"
  )
  await scene.dies()
  const fate = await first
  await scene.restart()
  const refusals = new Set<string>()
  const answer = await until("the retry is answered", async () => {
    const reply = await post()
    if (reply.status < 300) return reply
    refusals.add(reply.body.error.code)
    return undefined
  })
  const again = await post()
  const query = `walletMappingId=${walletMappingId}`
  const listed = await scene.ask("GET", `/api/v1/payment-requests?${query}`)
  const requests: ReadonlyArray<{ pid: string }> = listed.payment_requests
  const committed = labelOf(point) === "after Atomically.run"
  const { pid } = answer.body.data
  return {
    pid,
    repeats: answer.replayed ? 1 : 0,
    violations: broken({
      "the first call was lost": fate === "was lost",
      "there is one request": requests.length === 1 && requests[0]?.pid === pid,
      "a third call gets the same answer": again.replayed && again.body.data.pid === pid,
      "only what was committed is replayed": answer.replayed === committed,
      "a retry was refused as in progress at most": [...refusals].every(
        (code) => code === "IDEMPOTENCY_IN_PROGRESS"
      )
    })
  }
}
