/**
 * I10 of what trades cost: for random amounts, what the routing guide, a quote and a proposal say agrees with what real
 * chains take. Nothing that arrives is less than was approved, and a quote is off by no more than it says.
 */
import { Effect, Exit, Predicate, Scope } from "effect"
import * as Charged from "./charged-fees.ts"
import type { Figure, Part, Run } from "./part.ts"

const maxUsd = 500

interface Way {
  readonly name: string
  readonly open: Effect.Effect<Charged.Charging, unknown, Scope.Scope>
  /** How much more than was quoted may arrive, in its smallest units; less may not. */
  readonly maxAbove: (charge: Charged.Charge) => bigint
  /** What the guide's share means: the most that is taken, the least of it, or nothing. */
  readonly guide: "most" | "least" | "none"
}

const exactly = () => 0n

/** All that the quote took for fees, as whoever fills an order may leave it to the wallet. */
const withoutFees = ({ fees, quoted, units }: Charged.Charge) =>
  (quoted * fees) / (units - fees) + quoted / 1_000_000n

const ways: ReadonlyArray<Way> = [
  { name: "CCTP, fast", open: Charged.burnt("fast"), maxAbove: exactly, guide: "most" },
  { name: "CCTP, standard", open: Charged.burnt("standard"), maxAbove: exactly, guide: "most" },
  { name: "limit orders (DLN)", open: Charged.ordered, maxAbove: exactly, guide: "least" },
  {
    name: "swaps (CoW)",
    open: Effect.gen(function* () {
      const context = yield* Effect.orDie(Charged.builtSettling)
      const charging = yield* Effect.provideContext(Charged.settled, context)
      return (units: bigint) => Effect.provideContext(charging(units), context)
    }),
    maxAbove: withoutFees,
    guide: "none"
  }
]

/** What does not hold of one amount. */
const broken = ({ guide, maxAbove }: Way, charge: Charged.Charge): string | undefined => {
  const { arrived, fees, floor, guidePct, quoted, quotedFloor, units } = charge
  if (floor !== quotedFloor) return `the proposal's floor is ${floor}, the quote's ${quotedFloor}`
  if (arrived < floor) return `${arrived} arrived, less than ${floor}`
  const above = arrived - quoted
  if (above < 0n || above > maxAbove(charge)) return `${arrived} arrived of ${quoted}`
  if (guide !== "none" && fees !== units - arrived) return `fees of ${fees} were quoted`
  const takenPct = (Number(units - arrived) / Number(units)) * 100
  // Fees are rounded to whole units.
  const unitPct = 100 / Number(units)
  if (guide === "most" && takenPct > (guidePct ?? 0) + unitPct) return `${takenPct} % was taken`
  if (guide === "least" && takenPct < (guidePct ?? 100) - unitPct) return `${takenPct} % was taken`
  return undefined
}

const busy = ["VenueUnavailable", "VENUE_UNAVAILABLE", "BridgeUnavailable", "UPSTREAM_UNAVAILABLE"]

/** Services of this machine are asked within two seconds, which a busy machine may take; nothing was said then. */
const isBusy = (failed: unknown): boolean =>
  Predicate.hasProperty(failed, "_tag") && busy.includes(String(failed._tag))

const shareOf = ({ arrived, units }: Charged.Charge) =>
  (Number(units - arrived) / Number(units)) * 100

const figureOf = async (way: Way, count: number, { say }: Run): Promise<Figure> => {
  const scope = Scope.makeUnsafe()
  try {
    const charging = await Effect.runPromise(Scope.provide(way.open, scope))
    const charges: Array<Charged.Charge> = []
    const wrong: Array<string> = []
    for (let number = 0; number < count; number++) {
      const units = Charged.anAmount(maxUsd)
      const charge = await Effect.runPromise(
        Effect.retry(charging(units), { times: 5, while: isBusy })
      )
      const said = broken(way, charge)
      charges.push(charge)
      if (said === undefined) continue
      wrong.push(said)
      say(`  ${way.name}: of ${units}: ${said}`)
    }
    const shares = way.guide === "none" ? [] : charges.map(shareOf)
    const isMore = charges.some(({ arrived, quoted }) => arrived > quoted)
    const taken =
      shares.length === 0
        ? ""
        : `; ${Math.min(...shares).toFixed(4)} to ${Math.max(...shares).toFixed(4)} % were taken, and the guide says ${charges[0]?.guidePct} %`
    return {
      invariant: "I10",
      what: `fees of ${way.name}, as guide, quote and proposal have them and as the chain takes them`,
      seen: `${count} amounts, ${wrong.length} differ; ${isMore ? "what was not taken of the fees arrived" : "what was quoted arrived"}${taken}`,
      holds: wrong.length === 0 && charges.length === count
    }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export const part: Part = {
  name: "fees",
  promise: "what guide, quote and proposal say of fees is what the chains take",
  run: async (run) => {
    const figures: Array<Figure> = []
    for (const way of ways) figures.push(await figureOf(way, run.times(25, 2), run))
    return figures
  }
}
