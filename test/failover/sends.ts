/**
 * A standby that lacks the newest commits is promoted while agents send: they repeat each call under its idempotency
 * key. The token's own logs say what was paid, and the answers which addresses were given out.
 */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Name } from "../../core/treasury/operations.ts"
import type * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import type { Figure, Part, Run } from "../money/part.ts"
import { data, type Replica } from "../money/scene.ts"
import type { Bug, Said } from "../money/settings.ts"
import { dailyMicro, open, type Scene } from "./scene.ts"
import type { Pair } from "./servers.ts"
import * as Takings from "./takings.ts"
import { fenced } from "./trades.ts"

/** Longer than anything that was signed lives. */
const lifeSeconds = 1300
const daySeconds = 24 * 3600
const vaultsLost = 40

interface Send {
  readonly key: string
  readonly amountUsdc: string
  readonly stage: "proposed" | "confirmed" | "completed"
}

/** What a round, or all of them, came to. */
export interface Tally {
  rounds: number
  forgotten: number
  twice: number
  unpaid: number
  overMicro: bigint
  /** Forgotten sends that were paid before the promotion, and those of them whose fees are in no cap of fees after it. */
  carried: number
  feesForgotten: number
  addressesTwice: number
  addressesChanged: number
  /** What a process on the old records answered when it was to send: that it is fenced, or anything else. */
  fenced: number
  unfenced: number
  recovered: number
  readonly taken: Takings.Tally
  heldMinutes: number
}

const empty = (): Tally => ({
  rounds: 0,
  forgotten: 0,
  twice: 0,
  unpaid: 0,
  overMicro: 0n,
  carried: 0,
  feesForgotten: 0,
  addressesTwice: 0,
  addressesChanged: 0,
  fenced: 0,
  unfenced: 0,
  recovered: 0,
  taken: Takings.empty(),
  heldMinutes: 0
})

const callAs =
  ({ account }: Scene, replica: Replica) =>
  (name: Name, input: Readonly<Record<string, unknown>>, key?: string): Promise<Said> =>
    replica.call("REST", account.agentKeys[0], name, input, key)

const paymentOf = ({ account }: Scene, amountUsdc: string) => ({
  recipientId: account.recipientIds[0],
  fromWalletId: account.walletId,
  amountUsdc
})

/** Proposes under the send's key and goes on as far as its stage; the proposal's id. */
const carry = async (scene: Scene, replica: Replica, send: Send) => {
  const call = callAs(scene, replica)
  const { proposalId } = data(
    await call("propose_transfer", paymentOf(scene, send.amountUsdc), send.key)
  )
  if (send.stage === "proposed") return
  const waitMs = send.stage === "completed" ? 20_000 : 0
  data(await call("confirm_proposal", { proposalId, waitMs }, `${send.key}-confirm`))
}

/** Repeats both calls until the send has ended, as an agent does that was told to. */
const repeat = async (scene: Scene, replica: Replica, { amountUsdc, key }: Send) => {
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

/** The addresses of customers' vaults, which are opened if need be. */
const vaultsOf = async (scene: Scene, replica: Replica, ids: ReadonlyArray<string>) => {
  const call = callAs(scene, replica)
  const customers = ids.map((externalId) => ({ externalId }))
  const { jobId } = data(
    await call("create_provisioning_job", { chainId: "local", customers }, `vaults-${ids[0]}`)
  )
  return until("the vaults are there", async () => {
    const job = data(await call("get_provisioning_job", { jobId, limit: 100 }))
    if (!String(job.status).startsWith("completed")) return undefined
    return new Map<string, string>(
      job.results.map((each: { externalId: string; address: string }) => [
        each.externalId,
        each.address
      ])
    )
  })
}

const stages = ["proposed", "confirmed", "completed"] as const

const sendsOf = (round: number): ReadonlyArray<Send> =>
  [0, 1, 2, 3].map((at) => ({
    key: `round-${round}-send-${at}`,
    amountUsdc: `500.${String(round * 10 + at + 100_000)}`,
    stage: stages[(round + at) % stages.length] as Send["stage"]
  }))

/** A process that does not know yet that others have taken its place sends what it can. */
/** Whether it says that it is fenced: nothing else keeps it from sending. */
const isFenced = async (scene: Scene, old: Replica, proposalId: string) => {
  const said = await callAs(scene, old)("confirm_proposal", { proposalId, waitMs: 1000 })
  return !said.ok && fenced.test(`${said.code}: ${said.message}`)
}

const sumOf = (paid: ReadonlyArray<{ readonly amountMicro: bigint }>) =>
  paid.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)

const microOf = (amountUsdc: string) => BigInt(amountUsdc.replace(".", ""))

/** Gives what is left of the cap out, and more. */
const sendMore = async (scene: Scene, replica: Replica, round: number) => {
  for (const at of [0, 1, 2, 3, 4, 5]) {
    const amountUsdc = `150.${String(round * 10 + at + 100_000)}`
    await repeat(scene, replica, {
      key: `round-${round}-more-${at}`,
      amountUsdc,
      stage: "completed"
    })
  }
}

/** How many forgotten payments' fees the promoted server has charged on its newest day. */
const feesCharged = async ({ onStandby }: Pair): Promise<number> => {
  const [row] = await onStandby<{ charged: number }>(
    `select count(*)::integer as charged from outlay
      where key like 'forgotten %' and units > 0 and day = (select max(day) from outlay)`
  )
  return row?.charged ?? 0
}

const round = async (scene: Scene, number: number, tally: Tally, random: Takings.Drawn) => {
  const { account, chain } = scene
  await scene.timePasses(daySeconds - ((await scene.now()) % daySeconds) + 3600)
  const before = (await chain.paidFrom(account.address)).length
  const pair = scene.pair()
  const old = await scene.start(pair.primaryUrl)
  const known: Send = {
    key: `round-${number}-known`,
    amountUsdc: `250.${number + 100_000}`,
    stage: "completed"
  }
  await carry(scene, old, known)
  const stray = data(
    await callAs(scene, old)("propose_transfer", paymentOf(scene, "90"), `round-${number}-stray`)
  )
  const takings = await Takings.prepare(scene, old, random, tally.taken)
  await pair.caughtUp()
  await takings.whileFollowed()
  const taking = takings.aroundCut()
  await setTimeout(random.fraction() * 300)
  await pair.cut()
  await taking
  const sends = sendsOf(number)
  await Promise.all([takings.afterCut(), ...sends.map((send) => carry(scene, old, send))])
  const lostIds = Array.from({ length: vaultsLost }, (_, at) => `lost-${number}-${at}`)
  const lost = await vaultsOf(scene, old, lostIds)
  tally.forgotten += sends.length
  // Half of the time the machine is lost; the other half both are there and think that they are the one.
  const isSplit = number % 2 === 0
  if (!isSplit) {
    await old.child.stop()
    await pair.crash()
  }
  const keptBefore = await scene.kept()
  await pair.promote()
  const heldFrom = await scene.now()
  const next = await scene.start(pair.standbyUrl)
  if (scene.isGuarded) {
    await until("the new line is in the key store", async () =>
      (await scene.kept()) > keptBefore ? true : undefined
    )
  }
  if (isSplit) {
    tally[(await isFenced(scene, old, stray.proposalId)) ? "fenced" : "unfenced"] += 1
  }
  await takings.judge(next)
  const others = await vaultsOf(
    scene,
    next,
    Array.from({ length: 20 }, (_, at) => `other-${number}-${at}`)
  )
  const again = await vaultsOf(scene, next, lostIds)
  // Of what was paid, nobody says anything until the rest of the cap was asked for.
  const isLate = ({ stage }: Send) => stage === "completed"
  const unpaidFor = sends.filter((send) => !isLate(send))
  const repeating = Promise.all(unpaidFor.map((send) => repeat(scene, next, send)))
  await scene.timePasses(lifeSeconds)
  const ended = [...(await scene.whileMining(repeating))]
  if (scene.isGuarded) tally.heldMinutes += ((await scene.now()) - heldFrom) / 60
  await sendMore(scene, next, number)
  const carried = sends.filter(isLate).length
  tally.carried += carried
  tally.feesForgotten += Math.max(0, carried - (await feesCharged(pair)))
  for (const send of sends.filter(isLate)) ended.push(await repeat(scene, next, send))
  const paid = (await chain.paidFrom(account.address)).slice(before)
  for (const { amountUsdc } of sends) {
    const times = paid.filter(({ amountMicro }) => amountMicro === microOf(amountUsdc)).length
    if (times > 1) tally.twice += 1
    if (times === 0) tally.unpaid += 1
  }
  tally.recovered += ended.filter(({ recovered }) => recovered).length
  const over = sumOf(paid) - dailyMicro
  if (over > 0n) tally.overMicro += over
  const taken = new Set([...lost.values()])
  tally.addressesTwice += [...others.values()].filter((each) => taken.has(each)).length
  tally.addressesChanged += lostIds.filter((id) => again.get(id) !== lost.get(id)).length
  tally.rounds += 1
  await scene.renew()
}

export const rounds = async (
  bundle: Child.Bundle,
  count: number,
  say: Run["say"],
  bug?: Bug
): Promise<Tally> => {
  const scene = await open(bundle, bug)
  const tally = empty()
  const seed = process.env.FAILOVER_SEED ?? randomUUID()
  say(`  FAILOVER_SEED=${seed}`)
  const random = Takings.drawnFrom(seed)
  try {
    for (let number = 0; number < count; number++) {
      await round(scene, number, tally, random)
      say(`  round ${number}: ${told(tally)}`)
    }
  } finally {
    await scene.close()
  }
  return tally
}

export const told = (tally: Tally): string =>
  `${tally.rounds} failovers, ${tally.forgotten} sends forgotten: ${tally.twice} paid twice, ${tally.unpaid} not paid, ${tally.recovered} found on the chain, ${tally.overMicro} micro over the cap, ${tally.feesForgotten} of ${tally.carried} that were paid with fees in no cap, ${tally.addressesTwice} addresses given out twice, ${tally.addressesChanged} changed, ${tally.fenced} old processes that said that they were fenced and ${tally.unfenced} that did not, ${Takings.told(tally.taken)}; ${(tally.heldMinutes / Math.max(1, tally.rounds)).toFixed(0)} minutes without sending each`

export const holds = (tally: Tally): boolean =>
  tally.rounds > 0 &&
  Takings.holds(tally.taken) &&
  // A round in which nothing was forgotten proves nothing, nor does one in which no old process was asked.
  tally.recovered >= tally.rounds &&
  tally.fenced >= tally.rounds / 2 &&
  tally.twice +
    tally.unpaid +
    tally.feesForgotten +
    tally.addressesTwice +
    tally.addressesChanged +
    tally.unfenced ===
    0 &&
  tally.overMicro === 0n

export const part: Part = {
  name: "sends",
  promise: "a promoted standby that lacks the newest commits pays nothing twice and passes no cap",
  run: async ({ bundle, say, times }): Promise<ReadonlyArray<Figure>> => {
    const tally = await rounds(bundle, times(50, 1), say)
    return [
      {
        invariant: "failover",
        what: "a standby without the newest commits was promoted, agents repeated their calls",
        seen: told(tally),
        holds: holds(tally)
      }
    ]
  }
}

/** What a round comes to where each write is said to be on a standby: the judge must see it. */
export const boastful: Part = {
  name: "boastful",
  promise:
    "where nobody asks a standby, authority that was taken away for sure comes back, and the judge sees it",
  run: async ({ bundle, say }): Promise<ReadonlyArray<Figure>> => {
    const { taken } = await rounds(bundle, 1, say, "says that a standby has it")
    return [
      {
        invariant: "failover",
        what: "the same with no standby asked",
        seen: Takings.told(taken),
        holds: Takings.sees(taken)
      }
    ]
  }
}

/** What the same rounds come to where nothing fences and nothing waits: the judge must see it. */
export const unguarded: Part = {
  name: "unguarded",
  promise: "without the fence and the wait a cap is passed, and the judge sees it",
  run: async ({ bundle, say }): Promise<ReadonlyArray<Figure>> => {
    const tally = await rounds(bundle, 2, say, "signs at once")
    return [
      {
        invariant: "failover",
        what: "the same with neither fence nor wait",
        seen: told(tally),
        holds: !holds(tally)
      }
    ]
  }
}
