/**
 * How everything here is measured: the contenders stay up together and take turns in short slices, the
 * first round is dropped, and what is quoted is the median of the rest with the least and the most.
 */
import { fork, spawnSync } from "node:child_process"
import { once } from "node:events"

/** Rounds whose first only warms up, and how long one slice of load lasts. */
export const rounds = Math.max(2, Number(process.env.BENCH_ROUNDS ?? 5))
export const sliceSeconds = Number(process.env.BENCH_SECONDS ?? 2)

export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export const spreadOf = (values: ReadonlyArray<number>): Spread => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const at = (index: number) => sorted[index] ?? Number.NaN
  const median =
    sorted.length % 2 === 0 ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle))
  return { median, least: at(0), most: at(sorted.length - 1) }
}

export const quantile = (values: ReadonlyArray<number>, fraction: number): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}

/** One value per contender and round, measured in turns. */
export const interleaved = async <Name extends string, Sample>(
  contenders: Readonly<Record<Name, () => Promise<Sample>>>,
  count = rounds
): Promise<Readonly<Record<Name, ReadonlyArray<Sample>>>> => {
  // An object's own keys are the names its type gives it.
  const names = Object.keys(contenders) as ReadonlyArray<string> as ReadonlyArray<Name>
  const taken = Object.fromEntries(
    names.map((name): [string, Array<Sample>] => [name, []])
  ) as Readonly<Record<Name, Array<Sample>>>
  for (let round = 0; round < count; round++) {
    // Every other round goes backwards, so that nobody always runs after the same one.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await contenders[name]()
      if (round > 0) taken[name].push(sample)
    }
  }
  return taken
}

/** The ratio within each round. */
export const ratio = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>): Spread =>
  spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))

/** One line of the table. */
export interface Figure {
  readonly what: string
  /** What was compared with what. */
  readonly against: string
  readonly ours: string
  readonly theirs: string
  readonly ratio: Spread
  /** Undefined where it is told for comparison only. */
  readonly target?: { readonly said: string; readonly met: boolean }
}

/** A measurement that a file makes: its lines, and the file that makes them alone. */
export interface Measurement {
  readonly file: string
  readonly figures: ReadonlyArray<Figure>
}

const digits = (value: number) => (value >= 100 ? 0 : value >= 10 ? 1 : 2)

export const number = (value: number): string =>
  value.toLocaleString("en", {
    minimumFractionDigits: digits(value),
    maximumFractionDigits: digits(value)
  })

export const spread = ({ least, median, most }: Spread): string =>
  `${number(median)} (${number(least)}–${number(most)})`

/** Median and spread of a value with its unit. */
export const quoted = (values: ReadonlyArray<number>, unit: string): string =>
  `${spread(spreadOf(values))} ${unit}`

export const atLeast = (least: number, found: Spread) => ({
  said: `≥ ${least}`,
  met: found.median >= least
})

export const atMost = (most: number, found: Spread) => ({
  said: `≤ ${most}`,
  met: found.median <= most
})

const verdict = ({ target }: Figure) =>
  target === undefined ? "" : `${target.said}: ${target.met ? "met" : "**missed**"}`

export const table = (measurements: ReadonlyArray<Measurement>): string =>
  [
    "| figure | ours | theirs | ratio | target | compared with | alone |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...measurements.flatMap(({ figures, file }) =>
      figures.map((figure) =>
        [
          "",
          figure.what,
          figure.ours,
          figure.theirs,
          spread(figure.ratio),
          verdict(figure),
          figure.against,
          `\`node bench/${file}\``,
          ""
        ]
          .join(" | ")
          .trim()
      )
    )
  ].join("\n")

/** Where a file is run to be told of, it tells its figures; where it is run by hand, it prints them. */
export const runAlone = async (isMain: boolean, measure: () => Promise<Measurement>) => {
  if (!isMain) return
  const measurement = await measure()
  if (process.send === undefined) console.log(table([measurement]))
  else process.send(measurement)
}

/**
 * A file's figures, by a process that measures nothing else: what it compares shares a heap and compiled code, and inherits
 * neither from files before it. What those have written is on the disk first, as a commit waits for that as well.
 */
export const apart = async (file: string): Promise<Measurement> => {
  spawnSync("sync")
  const child = fork(file, { execArgv: [], serialization: "advanced" })
  let told: Measurement | undefined
  child.once("message", (message) => {
    told = message as Measurement
    child.disconnect()
  })
  const [code] = await once(child, "exit")
  if (told === undefined) throw new Error(`${file} ended with ${code} and told nothing.`)
  return told
}
