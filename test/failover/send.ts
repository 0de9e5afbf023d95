/** A payment that an agent asks for under an idempotency key, and repeats under the same key until it has ended. */
import type { Name } from "../../core/treasury/operations.ts"
import { until } from "../kill/scene.ts"
import { data, type Replica } from "../money/scene.ts"
import type { Said } from "../money/settings.ts"
import type { Scene } from "./scene.ts"

/** No other of a run has its amount, by which it is known on the chain. */
export interface Send {
  readonly key: string
  readonly amountUsdc: string
  /** How far it comes before the records are lost. */
  readonly stage: "proposed" | "confirmed" | "completed"
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

/** Proposes under the send's key and goes on as far as its stage. */
export const carry = async (scene: Scene, replica: Replica, send: Send, patienceMs = 20_000) => {
  const call = callAs(scene, replica)
  const { proposalId } = data(
    await call("propose_transfer", paymentOf(scene, send.amountUsdc), send.key)
  )
  if (send.stage === "proposed") return
  const waitMs = send.stage === "completed" ? patienceMs : 0
  data(await call("confirm_proposal", { proposalId, waitMs }, `${send.key}-confirm`))
}

/** Repeats both calls until the send has ended, as an agent does that was told to. */
export const repeat = async (scene: Scene, replica: Replica, { amountUsdc, key }: Send) => {
  const call = callAs(scene, replica)
  const proposed = await call("propose_transfer", paymentOf(scene, amountUsdc), key)
  if (!proposed.ok) return { status: proposed.code, recovered: false }
  const { proposalId } = proposed.data
  return until(`${key} has ended`, async () => {
    const said = await call("confirm_proposal", { proposalId, waitMs: 5000 }, `${key}-confirm`)
    if (!said.ok && said.code !== "SENDING_HELD") return { status: said.code, recovered: false }
    const now = data(await call("get_proposal", { proposalId }))
    return ["completed", "failed"].includes(now.status)
      ? { status: now.status as string, recovered: now.recovered === true }
      : undefined
  })
}

export const microOf = (amountUsdc: string) => BigInt(amountUsdc.replace(".", ""))
