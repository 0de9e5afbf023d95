/** A payment that an agent asks for under an idempotency key, and repeats under the same key until it has ended. */
import { setTimeout } from "node:timers/promises"
import type { Name } from "../../core/treasury/operations.ts"
import { until } from "../kill/scene.ts"
import { data, type Replica } from "../money/scene.ts"
import type { Said } from "../money/settings.ts"
import type { Scene } from "./scene.ts"

const pauseMs = 100

/** No other of a run has its amount, by which it is known on the chain. */
export interface Send {
  readonly key: string
  readonly amountUsdc: string
  /** How far it comes before the records are lost. */
  readonly stage: "proposed" | "confirmed" | "completed"
  /** How long its confirmation waits for the end. */
  readonly waitMs: number
}

export const callAs =
  ({ account }: Scene, replica: Replica) =>
  (name: Name, input: Readonly<Record<string, unknown>>, key?: string): Promise<Said> =>
    replica.call("REST", account.agentKeys[0], name, input, key)

export const paymentOf = ({ account }: Scene, amountUsdc: string) => ({
  recipientId: account.recipientIds[0],
  fromWalletId: account.walletId,
  amountUsdc
})

/** Whether a confirmation is refused for now, as the records may lack the newest payments. */
export const isHeld = async (scene: Scene, replica: Replica, proposalId: string) => {
  const said = await callAs(scene, replica)("confirm_proposal", { proposalId })
  return !said.ok && said.code === "SENDING_HELD"
}

/** The same call whenever it is made. */
const confirm = (scene: Scene, replica: Replica, { key, waitMs }: Send, proposalId: string) =>
  callAs(scene, replica)("confirm_proposal", { proposalId, waitMs }, `${key}-confirm`)

/** Proposes under the send's key and goes on as far as its stage. */
export const carry = async (scene: Scene, replica: Replica, send: Send) => {
  const { proposalId } = data(
    await callAs(scene, replica)("propose_transfer", paymentOf(scene, send.amountUsdc), send.key)
  )
  if (send.stage !== "proposed") data(await confirm(scene, replica, send, proposalId))
}

/** Repeats both calls until the send has ended, as an agent does that was told to. */
export const repeat = async (scene: Scene, replica: Replica, send: Send) => {
  const call = callAs(scene, replica)
  const proposed = await call("propose_transfer", paymentOf(scene, send.amountUsdc), send.key)
  if (!proposed.ok) return { status: proposed.code, recovered: false }
  const { proposalId } = proposed.data
  let last = "nothing was answered"
  const ended = until(`${send.key} has ended`, async () => {
    const said = await confirm(scene, replica, send, proposalId)
    // The process that is asked reads the chains meanwhile, so that asking at every moment only holds it up.
    await setTimeout(pauseMs)
    if (!said.ok && said.code !== "SENDING_HELD") return { status: said.code, recovered: false }
    const now = data(await call("get_proposal", { proposalId }))
    last = `it was ${now.status} (${said.ok ? now.message : said.code})`
    return ["completed", "failed"].includes(now.status)
      ? { status: now.status as string, recovered: now.recovered === true }
      : undefined
  })
  return ended.catch((cause: unknown) => {
    throw new Error(`${String(cause)}: ${last}`, { cause })
  })
}

export const microOf = (amountUsdc: string) => BigInt(amountUsdc.replace(".", ""))
