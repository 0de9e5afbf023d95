/**
 * I17: thirty-two calls at once under one idempotency key, over two processes, every surface and two keys
 * of one account: each gets the same answer, it is done once, and another input under the key is refused.
 */
import { randomUUID } from "node:crypto"
import type { Name } from "../../core/treasury/operations.ts"
import { until } from "../kill/scene.ts"
import type { Part } from "./part.ts"
import { drained, inScene, type Replica, type Scene, type Surface, surfaces } from "./scene.ts"
import type { Said } from "./settings.ts"
import { holds, told, verdict } from "./verdict.ts"

const callers = 32

interface Tally {
  calls: number
  /** Answers that the call is still running, after which it was repeated. */
  inProgress: number
  readonly wrong: Array<string>
}

const place = (services: ReadonlyArray<Replica>, at: number) =>
  [services[at % services.length] as Replica, surfaces[Math.floor(at / 2) % 3] as Surface] as const

/** The same call by everybody at once, each repeated until it is answered. */
const together = (
  { account }: Scene,
  services: ReadonlyArray<Replica>,
  tally: Tally,
  name: Name,
  input: Readonly<Record<string, unknown>>,
  key: string
): Promise<ReadonlyArray<Said>> =>
  Promise.all(
    Array.from({ length: callers }, (_, at) => {
      const [service, surface] = place(services, at)
      const apiKey = account.agentKeys[Math.floor(at / 6) % 2] as string
      return until(`${name} is answered`, async () => {
        tally.calls += 1
        const said = await service.call(surface, apiKey, name, input, key)
        if (said.ok || said.code !== "IDEMPOTENCY_IN_PROGRESS") return said
        tally.inProgress += 1
        return undefined
      })
    })
  )

/** The one proposal they all speak of. */
const agreed = (said: ReadonlyArray<Said>, tally: Tally): string => {
  const ids = new Set(said.map((each) => (each.ok ? each.data.proposalId : each.code)))
  if (ids.size !== 1 || !said.every(({ ok }) => ok)) tally.wrong.push([...ids].join(" "))
  return [...ids][0]
}

const round = async (scene: Scene, services: ReadonlyArray<Replica>, tally: Tally) => {
  const { agentKeys, recipientIds, walletId } = scene.account
  const input = { recipientId: recipientIds[0], fromWalletId: walletId, amountUsdc: "1.75" }
  const [proposing, confirming] = [randomUUID(), randomUUID()]
  const proposed = await together(scene, services, tally, "propose_transfer", input, proposing)
  const proposalId = agreed(proposed, tally)
  const intent = { proposalId }
  agreed(await together(scene, services, tally, "confirm_proposal", intent, confirming), tally)
  const reused: ReadonlyArray<readonly [Name, object, string]> = [
    ["propose_transfer", { ...input, amountUsdc: "1.76" }, proposing],
    ["confirm_proposal", { proposalId, waitMs: 1 }, confirming]
  ]
  for (const [name, other, key] of reused) {
    for (const at of [0, 1, 2, 3, 4, 5]) {
      const [service, surface] = place(services, at)
      const said = await service.call(surface, agentKeys[0], name, { ...other }, key)
      tally.calls += 1
      const code = said.ok ? "accepted" : said.code
      if (code !== "IDEMPOTENCY_KEY_REUSED") tally.wrong.push(`${name}, another input: ${code}`)
    }
  }
}

export const part: Part = {
  name: "retries",
  promise: "calls at once under one idempotency key are done once",
  run: ({ bundle, say, times }) =>
    inScene(bundle, {}, async (scene) => {
      const services = [await scene.start(), await scene.start()]
      const rounds = times(50, 2)
      const tally: Tally = { calls: 0, inProgress: 0, wrong: [] }
      for (let number = 0; number < rounds; number++) await round(scene, services, tally)
      await drained(scene)
      const ended = await verdict(scene)
      for (const each of tally.wrong.slice(0, 10)) say(`  ${each}`)
      return [
        {
          invariant: "I17",
          what: "32 proposals and 32 confirmations at once under one key each",
          seen:
            `${rounds} rounds, ${tally.calls} calls, ${tally.inProgress} told to wait, ` +
            `${tally.wrong.length} wrong; ${told(ended)}`,
          holds: tally.wrong.length === 0 && holds(ended) && ended.sends === rounds
        }
      ]
    })
}
