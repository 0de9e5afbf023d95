/**
 * I3: what does not send gives its reservation back, once. Confirmations race cancellations, expiries and
 * revocations of the recipient on two processes, and the token refuses some; then the ledger is added up.
 */
import type { Figure, Part, Run } from "./part.ts"
import { data, drained, inScene, type Replica, refusedPayee, type Scene } from "./scene.ts"
import type { Bug } from "./settings.ts"
import { told, type Verdict, verdict } from "./verdict.ts"

const each = 4
const dayMs = 86_400_000

/** What else happens to a proposal while it is confirmed. */
const rivals = ["cancelled", "cancelled twice", "past its expiry", "refused by the token"] as const
type Rival = (typeof rivals)[number]

const propose = async ({ account }: Scene, service: Replica, rival: Rival): Promise<string> =>
  data(
    await service.call("functions", account.agentKeys[0], "propose_transfer", {
      recipientId: account.recipientIds[rival === "refused by the token" ? refusedPayee : 1],
      fromWalletId: account.walletId,
      amountUsdc: "3.5"
    })
  ).proposalId

const against = (
  { account }: Scene,
  [one, other]: readonly [Replica, Replica],
  rival: Rival,
  proposalId: string
) => {
  const [first, second] = account.agentKeys
  const confirm = (service: Replica) =>
    service.call("REST", first, "confirm_proposal", { proposalId })
  const cancel = (service: Replica) =>
    service.call("tools", second, "cancel_proposal", { proposalId })
  switch (rival) {
    case "cancelled":
      return [confirm(one), cancel(other)]
    case "cancelled twice":
      return [cancel(other), confirm(one), cancel(one)]
    default:
      return [confirm(one), confirm(other)]
  }
}

/** Answers of a race that nobody may get: neither done nor too late. */
const oddities = new Set(["INTERNAL", "NOT_FOUND", "POLICY_LIMIT_EXCEEDED"])

const round = async (
  scene: Scene,
  services: readonly [Replica, Replica],
  number: number
): Promise<ReadonlyArray<string>> => {
  const startMs = number * 2 * dayMs
  const setClocks = (offsetMs: number) =>
    Promise.all(services.map((service) => service.ask({ ask: "clock", offsetMs })))
  await setClocks(startMs)
  const proposedAt = performance.now()
  const all = rivals.flatMap((rival) => Array.from({ length: each }, () => rival))
  const proposed = await Promise.all(
    all.map(async (rival, at) => ({
      rival,
      proposalId: await propose(scene, services[at % 2] as Replica, rival)
    }))
  )
  const race = async (raced: typeof proposed) =>
    (
      await Promise.all(
        raced.flatMap(({ proposalId, rival }) => against(scene, services, rival, proposalId))
      )
    ).flatMap((said) => (said.ok || !oddities.has(said.code) ? [] : [said.code]))
  const odd = await race(proposed.filter(({ rival }) => rival !== "past its expiry"))
  // The day is over for one process a moment before it is for the other.
  for (const service of services) {
    const nearMs = Math.random() * 160
    const offsetMs = Math.round(startMs + dayMs - (performance.now() - proposedAt) + nearMs)
    await service.ask({ ask: "clock", offsetMs })
  }
  odd.push(...(await race(proposed.filter(({ rival }) => rival === "past its expiry"))))
  await setClocks(startMs + dayMs + 60_000)
  await drained(scene)
  return odd
}

const statuses = ["completed", "failed", "cancelled", "expired", "superseded"] as const

const counted = async ({ database }: Scene) => {
  const counts = await Promise.all(
    statuses.map(async (status) => `${await database.countOf(status)} ${status}`)
  )
  return counts.join(", ")
}

/** One recipient is revoked while sends to it are confirmed. */
const revoked = async (scene: Scene, services: readonly [Replica, Replica], place: number) => {
  const { account } = scene
  const recipientId = account.recipientIds[place] as string
  const proposals = await Promise.all(
    Array.from({ length: each }, async () =>
      data(
        await services[0].call("functions", account.agentKeys[0], "propose_transfer", {
          recipientId,
          fromWalletId: account.walletId,
          amountUsdc: "1.5"
        })
      )
    )
  )
  await Promise.all([
    ...proposals.map(({ proposalId }, at) =>
      (services[at % 2] as Replica).call("REST", account.agentKeys[0], "confirm_proposal", {
        proposalId
      })
    ),
    services[1].call("REST", account.developerKey, "revoke_recipient", { recipientId })
  ])
  await drained(scene)
}

const play = async (scene: Scene, rounds: number) => {
  const services = [await scene.start(), await scene.start()] as const
  const odd: Array<string> = []
  for (let number = 0; number < rounds; number++) {
    odd.push(...(await round(scene, services, number)))
    if (number < 10) await revoked(scene, services, 2 + number)
  }
  return odd
}

const isBalanced = ({ contradictions, denied, double, driftMicro, lost, stuck }: Verdict) =>
  contradictions + denied + double + lost + stuck === 0 && driftMicro === 0n

const clean = ({ bundle, times }: Run): Promise<Figure> =>
  inScene(bundle, {}, async (scene) => {
    const rounds = times(40, 2)
    const odd = await play(scene, rounds)
    const ended = await verdict(scene)
    return {
      invariant: "I3",
      what: "confirmations against cancellations, expiries, revocations and refusals",
      seen: `${rounds} rounds: ${await counted(scene)}; ${odd.length} odd answers; ${told(ended)}`,
      holds: isBalanced(ended) && odd.length === 0 && ended.sends > 0
    }
  })

const planted = ({ bundle }: Run, bug: Bug): Promise<Figure> =>
  inScene(bundle, { bug }, async (scene) => {
    await play(scene, 1)
    const ended = await verdict(scene)
    return {
      invariant: "I3",
      what: `a planted mistake is caught: ${bug}`,
      seen: `${ended.contradictions} reservations out of step, drift ${ended.driftMicro}`,
      holds: ended.contradictions > 0 && ended.driftMicro !== 0n
    }
  })

export const part: Part = {
  name: "endings",
  promise: "what does not send gives its reservation back once",
  run: async (run) => [await clean(run), await planted(run, "given back when spent")]
}
