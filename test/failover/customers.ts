/**
 * Customers who pay while sending is held. Their requests must become paid, their deposits be listed and the merchant's
 * own server hear of it, all before sending goes on.
 */
import { until } from "../kill/scene.ts"
import { data, type Replica } from "../money/scene.ts"
import type { Scene } from "./scene.ts"
import { callAs, isHeld } from "./send.ts"
import { opened } from "./vaults.ts"

/** What customers paid while sending was held, by whether all that follows from it came meanwhile. */
export interface Tally {
  settled: number
  unsettled: number
}

export const empty = (): Tally => ({ settled: 0, unsettled: 0 })

/** What a customer is asked for. */
interface Asked {
  readonly pid: string
  readonly address: string
}

const amountSmallestUnit = "7000001"

/** Opens a vault with a payment request on it. */
export const ask = async (scene: Scene, replica: Replica, customer: string): Promise<Asked> => {
  const [vault] = await opened(scene, replica, [customer])
  const { address = "", walletMappingId } = vault ?? {}
  const input = { walletMappingId, amountSmallestUnit }
  const { pid } = data(await callAs(scene, replica)("create_payment_request", input, customer))
  return { pid, address }
}

/** Waits for something that is to come; whether it did. */
const comes = (sentence: string, isSo: () => Promise<boolean>) =>
  until(sentence, async () => ((await isSo()) ? true : undefined)).catch(() => false)

/** A request is paid as soon as a read says so and the merchant has verified the webhook about it. */
const isSettled = (scene: Scene, replica: Replica, { pid }: Asked) =>
  comes(`${pid} is paid and told of`, async () => {
    const { status } = data(await callAs(scene, replica)("get_payment_request", { idOrPid: pid }))
    const isTold = scene.merchant.arrivals.some(
      (each) => each.pid === pid && each.type === "payment_request.paid"
    )
    return status === "paid" && isTold
  })

/** Pays what was asked for before the records were lost, what is asked for now, and what nobody asked for. */
export const pay = async (
  scene: Scene,
  replica: Replica,
  asked: Asked,
  {
    round,
    strayId,
    tally
  }: { readonly round: number; readonly strayId: string; readonly tally: Tally }
) => {
  const other = await ask(scene, replica, `round-${round}-asked-while-held`)
  const [vault] = await opened(scene, replica, [`round-${round}-unasked`])
  const { address = "", walletMappingId: vaultId } = vault ?? {}
  for (const to of [asked.address, other.address, address]) {
    await scene.chain.pay(to, BigInt(amountSmallestUnit))
  }
  const isListed = comes("the deposit is listed", async () => {
    const { deposits } = data(await callAs(scene, replica)("list_deposits", { vaultId }))
    return deposits.length === 1
  })
  const all = [isSettled(scene, replica, asked), isSettled(scene, replica, other), isListed]
  const came = await scene.whileMining(Promise.all(all))
  const isMeanwhile = await isHeld(scene, replica, strayId)
  for (const has of came) tally[has && isMeanwhile ? "settled" : "unsettled"] += 1
}

export const told = ({ settled, unsettled }: Tally): string =>
  `${settled} payments of customers settled and told while sending was held and ${unsettled} not`

/** Three in a round. */
export const holds = ({ settled, unsettled }: Tally, rounds: number): boolean =>
  settled === 3 * rounds && unsettled === 0
