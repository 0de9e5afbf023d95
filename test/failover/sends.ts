/**
 * A standby that lacks the newest commits is promoted while agents send: they repeat each call under its idempotency
 * key. The token's own logs say what was paid, and the answers which addresses were given out.
 */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type * as Child from "../kill/child.ts"
import type { Figure, Part, Run } from "../money/part.ts"
import { data, type Replica } from "../money/scene.ts"
import type { Bug } from "../money/settings.ts"
import * as Customers from "./customers.ts"
import * as Load from "./load.ts"
import * as Promotion from "./promotion.ts"
import { restart } from "./restart.ts"
import * as Route from "./route.ts"
import { dailyMicro, open, type Scene } from "./scene.ts"
import { callAs, carry, isHeld, microOf, paymentOf, repeat, type Send } from "./send.ts"
import { empty, holds, type Tally, told } from "./sends-tally.ts"
import type { Pair } from "./servers.ts"
import * as Takings from "./takings.ts"
import { fenced } from "./trade.ts"
import { vaultsOf } from "./vaults.ts"

/** Longer than anything that was signed lives. */
const lifeSeconds = 1300
const daySeconds = 24 * 3600
const vaultsLost = 40

/** Agents that call all the while, with amounts that no other send has: below a USDC each, so that no cap is used up. */
const agents = 3
const amountsOfAgent = 300

const stages = ["proposed", "confirmed", "completed"] as const

/** Waits for its end if it is to come that far. */
const sendOf = (key: string, amountUsdc: string, stage: Send["stage"] = "completed"): Send => ({
  key,
  amountUsdc,
  stage,
  waitMs: stage === "completed" ? 20_000 : 0
})

const sendsOf = (round: number): ReadonlyArray<Send> =>
  [0, 1, 2, 3].map((at) =>
    sendOf(
      `round-${round}-send-${at}`,
      `500.${String(round * 10 + at + 100_000)}`,
      stages[(round + at) % stages.length]
    )
  )

/** Whether it says that it is fenced: nothing else keeps it from sending. */
const isFenced = async (scene: Scene, old: Replica, proposalId: string) => {
  const said = await callAs(scene, old)("confirm_proposal", { proposalId, waitMs: 1000 })
  return !said.ok && fenced.test(`${said.code}: ${said.message}`)
}

const sumOf = (paid: ReadonlyArray<{ readonly amountMicro: bigint }>) =>
  paid.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)

/** Gives what is left of the cap out, and more. */
const sendMore = async (scene: Scene, replica: Replica, round: number) => {
  for (const at of [0, 1, 2, 3, 4, 5]) {
    const amountUsdc = `150.${String(round * 10 + at + 100_000)}`
    await repeat(scene, replica, sendOf(`round-${round}-more-${at}`, amountUsdc))
  }
}

/** The forgotten payments whose fees the promoted server has charged, by their transactions. */
const feesCharged = async ({ onStandby }: Pair) => {
  const rows = await onStandby<{ key: string }>(
    `select key from outlay
      where key like 'forgotten %' and units > 0 and day = (select max(day) from outlay)`
  )
  return new Set(rows.map(({ key }) => key.replace("forgotten ", "")))
}

/** What a round does to the servers, and to whom agents turn. */
interface Stage {
  readonly scene: Scene
  readonly number: number
  readonly tally: Tally
  readonly random: Takings.Drawn
  readonly deck: Takings.Deck
  readonly route: Route.Route
  /** On the first server, until that one or the process is lost. */
  readonly old: Replica
  /** Lives on, and finds the promoted server where the first one was. */
  readonly lasting: Replica
  readonly load: Load.Load<Replica, Send>
  /** How many payments there were before the round. */
  readonly before: number
}

/** What is there before a round. */
type Given = Pick<Stage, "scene" | "number" | "tally" | "random" | "deck" | "route">

interface Promoted {
  readonly next: Replica
  /** The chain's time from which nothing is sent. */
  readonly heldFrom: number
}

const namesOf = (what: string, number: number, count: number) =>
  Array.from({ length: count }, (_, at) => `${what}-${number}-${at}`)

/** Cuts the stream, and does what the standby will never hear of. */
const forget = async (
  { load, number, old, random, scene, tally }: Stage,
  takings: Takings.Takings
) => {
  await takings.whileFollowed()
  const taking = takings.aroundCut()
  await setTimeout(random.fraction() * 300)
  load.count("cut")
  await scene.pair().cut()
  await taking
  const sends = sendsOf(number)
  await Promise.all([takings.afterCut(), ...sends.map((send) => carry(scene, old, send))])
  const vaults = await vaultsOf(scene, old, namesOf("lost", number, vaultsLost))
  tally.forgotten += sends.length
  return { sends, vaults }
}

/** Promotes the standby; the process that begins there, and the time from which nothing is sent. */
const promote = async (stage: Stage, strayId: string): Promise<Promoted> => {
  const { lasting, load, number, old, route, scene, tally } = stage
  // Half of the time the machine is lost; the other half both are there and think that they are the one.
  const isSplit = number % 2 === 0
  const heldFrom = await scene.now()
  const next = await Promotion.promote({
    pair: scene.pair(),
    ...{ route, load, old, lasting, isSplit },
    start: scene.start,
    stop: ({ child }) => child.stop(),
    kept: scene.isGuarded ? scene.kept : undefined
  })
  if (isSplit) tally[(await isFenced(scene, old, strayId)) ? "fenced" : "unfenced"] += 1
  return { next, heldFrom }
}

/** Agents that send all the while; of every second send an agent waits for the end. */
const loadOf = ({ number, random, scene, tally }: Given, targets: ReadonlyArray<Replica>) =>
  Load.start<Replica, Send>({
    ...{ agents, random, targets },
    tally: tally.load,
    next: (agent, at) => {
      if (at >= amountsOfAgent) throw new Error(`An agent has ${amountsOfAgent} amounts a round.`)
      const amount = 100_000 + (number * agents + agent) * amountsOfAgent + at
      const isWaited = at % 2 === 0
      return {
        key: `round-${number}-load-${agent}-${at}`,
        amountUsdc: `0.${amount}`,
        stage: isWaited ? "completed" : "confirmed",
        waitMs: isWaited ? 2000 : 0
      }
    },
    attempt: (target, send) => carry(scene, target, send)
  })

const paidSince = async ({ before, scene: { account, chain } }: Stage) =>
  (await chain.paidFrom(account.address)).slice(before)

const judgeVaults = async (
  { number, scene, tally }: Stage,
  next: Replica,
  lost: ReadonlyMap<string, string>
) => {
  const others = await vaultsOf(scene, next, namesOf("other", number, 20))
  const again = await vaultsOf(scene, next, [...lost.keys()])
  const taken = new Set(lost.values())
  tally.addressesTwice += [...others.values()].filter((each) => taken.has(each)).length
  tally.addressesChanged += [...lost].filter(([id, each]) => again.get(id) !== each).length
}

// Of what was paid, nobody says anything until the rest of the cap was asked for.
const isLate = ({ stage }: Send) => stage === "completed"

const judgeFees = async (stage: Stage, sends: ReadonlyArray<Send>) => {
  const [charged, paid] = [await feesCharged(stage.scene.pair()), await paidSince(stage)]
  for (const { amountUsdc } of sends.filter(isLate)) {
    const { txHash = "" } =
      paid.find(({ amountMicro }) => amountMicro === microOf(amountUsdc)) ?? {}
    stage.tally.carried += 1
    if (!charged.has(txHash)) stage.tally.feesForgotten += 1
  }
}

/** In every third round nobody outlives the wait. */
const restarted = async (stage: Stage, promoted: Promoted, strayId: string): Promise<Promoted> => {
  const { lasting, number, scene, tally } = stage
  if (number % 3 !== 0 || !scene.isGuarded) return promoted
  const next = await restart(
    {
      pair: scene.pair(),
      chains: 1,
      passes: scene.timePasses,
      now: scene.now,
      whileMining: scene.whileMining,
      replace: async () => {
        await Promise.all([promoted.next, lasting].map(({ child }) => child.stop()))
        return scene.start(scene.pair().standbyUrl)
      },
      isHeld: (replica) => isHeld(scene, replica, strayId)
    },
    tally.restarted
  )
  return { ...promoted, next }
}

/** Repeats all calls through the wait and after it. */
const recover = async (
  stage: Stage,
  { heldFrom, next }: Promoted,
  sends: ReadonlyArray<Send>,
  loaded: ReadonlyArray<Send>
) => {
  const { number, scene, tally } = stage
  const early = [...sends.filter((send) => !isLate(send)), ...loaded]
  const repeating = Promise.all(early.map((send) => repeat(scene, next, send)))
  await scene.timePasses(lifeSeconds)
  const ended = [...(await scene.whileMining(repeating))]
  if (scene.isGuarded) tally.heldMinutes += ((await scene.now()) - heldFrom) / 60
  await sendMore(scene, next, number)
  await judgeFees(stage, sends)
  for (const send of sends.filter(isLate)) ended.push(await repeat(scene, next, send))
  tally.recovered += ended.filter(({ recovered }) => recovered).length
}

/** What was paid of each by the token's own logs, whatever was answered. */
const judgePayments = async (stage: Stage, sends: ReadonlyArray<Send>) => {
  const { tally } = stage
  const paid = await paidSince(stage)
  for (const { amountUsdc } of sends) {
    const times = paid.filter(({ amountMicro }) => amountMicro === microOf(amountUsdc)).length
    if (times > 1) tally.twice += 1
    if (times === 0) tally.unpaid += 1
  }
  const over = sumOf(paid) - dailyMicro
  if (over > 0n) tally.overMicro += over
}

const round = async (
  given: Pick<Stage, "scene" | "number" | "tally" | "random" | "deck" | "route">
) => {
  const { deck, number, random, route, scene, tally } = given
  await scene.timePasses(daySeconds - ((await scene.now()) % daySeconds) + 3600)
  const before = (await scene.chain.paidFrom(scene.account.address)).length
  const pair = scene.pair()
  route.lead(pair.primaryUrl)
  const [old, lasting] = await Promise.all([scene.start(pair.primaryUrl), scene.start(route.url)])
  await carry(scene, old, sendOf(`round-${number}-known`, `250.${number + 100_000}`))
  const { proposalId: strayId } = data(
    await callAs(scene, old)("propose_transfer", paymentOf(scene, "90"), `round-${number}-stray`)
  )
  const asked = await Customers.ask(scene, old, `round-${number}-asked-before`)
  const takings = await Takings.prepare(scene, old, {
    random,
    deck,
    isAllLate: scene.isBoasting,
    tally: tally.taken
  })
  await pair.caughtUp()
  const load = loadOf(given, [old, lasting])
  const stage: Stage = { ...given, old, lasting, load, before }
  const { sends, vaults } = await forget(stage, takings)
  const promoted = await promote(stage, strayId)
  await takings.judge(promoted.next)
  await judgeVaults(stage, promoted.next, vaults)
  const begun = await load.stop()
  const waiting = await restarted(stage, promoted, strayId)
  const paying = { round: number, strayId, tally: tally.customers }
  if (scene.isGuarded) await Customers.pay(scene, waiting.next, asked, paying)
  await recover(stage, waiting, sends, begun)
  await judgePayments(stage, [...sends, ...begun])
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
  const deck = Takings.deckOf(random)
  const route = await Route.open(scene.pair().primaryUrl)
  try {
    for (let number = 0; number < count; number++) {
      await round({ scene, number, tally, random, deck, route })
      say(`  round ${number}: ${told(tally)}`)
    }
  } finally {
    await scene.close()
    route.close()
  }
  return tally
}

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
        holds: tally.overMicro > 0n
      }
    ]
  }
}
