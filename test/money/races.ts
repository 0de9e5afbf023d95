/**
 * I1: caps hold. Sixty-four confirmations at once over every surface, with two agents' keys and three
 * processes whose clocks differ, while midnight or the month's end passes under them; then the sums anew.
 */
import type { Figure, Part, Run } from "./part.ts"
import {
  boundless,
  data,
  drained,
  inScene,
  type Replica,
  type Scene,
  type Surface,
  surfaces
} from "./scene.ts"
import type { Bug, Limits, Said } from "./settings.ts"
import { holds, told, verdict } from "./verdict.ts"

const usdc = 1_000_000
const micro = (units: number) => BigInt(Math.round(units * usdc))

/** Low enough that a race passes each of them many times over. */
const caps = {
  perTransferMicro: micro(120),
  dailyMicro: micro(600),
  monthlyMicro: micro(1000),
  hardCapMicro: micro(110)
}
const limits: Limits = {
  perTransferMicro: String(caps.perTransferMicro),
  dailyMicro: String(caps.dailyMicro),
  monthlyMicro: String(caps.monthlyMicro),
  hardCapMicro: String(caps.hardCapMicro)
}

const confirms = 64
/** Of them, so many confirm what another one confirms too. */
const twice = 12
/** How far a process's clock may be from another's. */
const skewMs = 60

interface Tally {
  races: number
  confirms: number
  accepted: number
  refused: number
  /** Answers that are neither: none may be. */
  odd: Array<string>
  /** Races in which both sides of a midnight took reservations. */
  crossed: number
  over: Array<string>
}

const tally = (): Tally => ({
  races: 0,
  confirms: 0,
  accepted: 0,
  refused: 0,
  odd: [],
  crossed: 0,
  over: []
})

/** A midnight for each race: at the end of a month, or in the middle of the next, months no other race has. */
const midnightOf = (race: number): number =>
  race % 2 === 0 ? Date.UTC(2031, race, 1) : Date.UTC(2031, race, 16)

const amounts = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, () => (5 + Math.random() * 120).toFixed(6))

const setLimits = (services: ReadonlyArray<Replica>, to: Limits) =>
  Promise.all(services.map((service) => service.ask({ ask: "limits", limits: to })))

/** Puts each clock a little before the midnight, none exactly where another is. */
const setClocks = (services: ReadonlyArray<Replica>, midnight: number, leadMs: number) =>
  Promise.all(
    services.map((service) => {
      const skew = (Math.random() - 0.5) * 2 * skewMs
      const offsetMs = Math.round(midnight - Date.now() - leadMs + skew)
      return service.ask({ ask: "clock", offsetMs })
    })
  )

const propose = async (scene: Scene, services: ReadonlyArray<Replica>) => {
  const { agentKeys, recipientIds, walletId } = scene.account
  return Promise.all(
    amounts(confirms - twice).map(async (amountUsdc, at) => {
      const service = services[at % services.length] as Replica
      const recipientId = recipientIds[at % recipientIds.length] as string
      const input = { recipientId, fromWalletId: walletId, amountUsdc }
      const key = agentKeys[at % 2] as string
      return data(await service.call("functions", key, "propose_transfer", input))
        .proposalId as string
    })
  )
}

/** All confirmations at once, dealt over processes, surfaces and keys. */
const confirmAll = (
  { account }: Scene,
  services: ReadonlyArray<Replica>,
  proposals: ReadonlyArray<string>
): Promise<ReadonlyArray<Said>> =>
  Promise.all(
    [...proposals, ...proposals.slice(0, twice)].map((proposalId, at) => {
      const service = services[at % services.length] as Replica
      const surface = surfaces[Math.floor(at / 3) % 3] as Surface
      const key = account.agentKeys[Math.floor(at / 9) % 2] as string
      return service.call(surface, key, "confirm_proposal", { proposalId })
    })
  )

const capOf = (window: string) => (window.length === 7 ? caps.monthlyMicro : caps.dailyMicro)

/** Every window whose sum is over its cap, by the ledger and by the proposals that hold money. */
const overCaps = async ({ database }: Scene): Promise<ReadonlyArray<string>> => {
  const live = await database.live()
  const sums = new Map<string, bigint>()
  const add = (name: string, amount: bigint) => sums.set(name, (sums.get(name) ?? 0n) + amount)
  for (const { account, amount, day, month } of live) {
    add(`proposals of ${account} in ${day}`, BigInt(amount))
    add(`proposals of ${account} in ${month}`, BigInt(amount))
  }
  for (const { account, micro: sum, window } of await database.windows()) {
    add(`ledger of ${account} in ${window}`, BigInt(sum))
  }
  const alone = live.filter(
    ({ amount }) => BigInt(amount) > caps.perTransferMicro || BigInt(amount) > caps.hardCapMicro
  )
  return [
    ...[...sums]
      .filter(([name, sum]) => sum > capOf(name.split(" in ")[1] ?? ""))
      .map(([name, sum]) => `${name}: ${sum}`),
    ...alone.map(({ amount, id }) => `${id} alone: ${amount}`)
  ]
}

/** One race; how long the confirmations took together. */
const race = async (
  scene: Scene,
  services: ReadonlyArray<Replica>,
  number: number,
  leadMs: number,
  all: Tally
): Promise<number> => {
  const midnight = midnightOf(number)
  await setClocks(services, midnight, 60_000)
  // What is proposed under wide limits is judged anew under narrow ones when it is confirmed.
  await setLimits(services, boundless)
  const proposals = await propose(scene, services)
  await setLimits(services, limits)
  await setClocks(services, midnight, leadMs)
  const startedAt = performance.now()
  const said = await confirmAll(scene, services, proposals)
  const tookMs = performance.now() - startedAt
  all.races += 1
  all.confirms += said.length
  for (const each of said) {
    if (each.ok) all.accepted += 1
    else if (each.code === "POLICY_LIMIT_EXCEEDED") all.refused += 1
    else all.odd.push(`${each.code}: ${each.message}`)
  }
  const days = new Set(
    (await scene.database.live()).filter(({ id }) => proposals.includes(id)).map(({ day }) => day)
  )
  if (days.size > 1) all.crossed += 1
  all.over.push(...(await overCaps(scene)))
  return tookMs
}

const raceAll = async (
  scene: Scene,
  races: number,
  works: boolean,
  say: Run["say"]
): Promise<Tally> => {
  const services = [
    await scene.start({ limits, works }),
    await scene.start({ limits, works }),
    await scene.start({ limits, works: false })
  ]
  const all = tally()
  let defaultMs = 600
  for (let number = 0; number < races; number++) {
    const leadMs = defaultMs * (0.2 + Math.random() * 0.6)
    defaultMs = (defaultMs + (await race(scene, services, number, leadMs, all))) / 2
    if (works) await drained(scene)
    if ((number + 1) % 25 === 0) {
      say(`  ${number + 1} races, ${all.accepted} accepted, ${all.over.length} over`)
    }
  }
  return all
}

/** How many of each code, so that what went wrong once is known wherever the figures are. */
const oddIn = ({ odd }: Tally): string => {
  const codes = Map.groupBy(odd, (each) => each.split(":", 1)[0])
  const counted = [...codes].map(([code, of]) => `${of.length} ${code}`)
  return counted.length === 0 ? "" : `, and neither: ${counted.join(", ")}`
}

const clean = (run: Run, races: number): Promise<ReadonlyArray<Figure>> =>
  inScene(run.bundle, { limits }, async (scene) => {
    const all = await raceAll(scene, races, true, run.say)
    const over = [...all.over, ...(await overCaps(scene))]
    for (const each of [...over, ...all.odd].slice(0, 20)) run.say(`  ${each}`)
    const ended = await verdict(scene)
    return [
      {
        invariant: "I1",
        what: "caps under 64 confirmations at once, 3 processes, 3 surfaces, 2 keys",
        seen:
          `${all.races} races, ${all.confirms} confirms, ${all.accepted} accepted, ` +
          `${all.refused} refused${oddIn(all)}, ${all.crossed} races across midnight, ${over.length} over`,
        holds: over.length === 0 && all.odd.length === 0 && all.accepted > 0 && all.refused > 0
      },
      {
        invariant: "I1, I2",
        what: "the same races on the chain, two processes carrying",
        seen: told(ended),
        holds: holds(ended)
      }
    ]
  })

const planted = (run: Run, bug: Bug, races: number): Promise<Figure> =>
  inScene(run.bundle, { limits, bug }, async (scene) => {
    const { over } = await raceAll(scene, races, false, run.say)
    return {
      invariant: "I1",
      what: `a planted mistake is caught: ${bug}`,
      seen: `${races} races, ${over.length} windows or transfers over`,
      holds: over.length > 0
    }
  })

export const part: Part = {
  name: "races",
  promise: "no number of confirmations at once passes a cap, on either side of midnight",
  run: async (run) => [
    ...(await clean(run, run.times(200, 3))),
    await planted(run, "judged outside of the lock", run.times(5, 1))
  ]
}
