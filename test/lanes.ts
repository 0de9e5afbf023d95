/**
 * Which test runs where: every `*.test.ts` is in exactly one lane. `npm test` runs the lanes that are not
 * heavy, in three minutes on two cores; `.ci/run` runs all of them. Lanes name folders, so that files may move.
 */

export interface Lane {
  readonly name: string
  /** What it runs; what a heavy lane runs, no other does. */
  readonly include: ReadonlyArray<string>
  /** Whether each file has a process of its own, which costs a second and a half of a processor for each. */
  readonly isolate: boolean
  /** Whether it has the machine to itself, after the others: it judges how long an answer takes. */
  readonly isTimed: boolean
}

export const isHeavy = ({ name }: Pick<Lane, "name">): boolean => name.startsWith("heavy/")

/** Whose files were seen to leave nothing in their process that the next one would find. */
const together: ReadonlySet<string> = new Set([
  "fast",
  "heavy/again",
  "heavy/browser",
  "heavy/money",
  "heavy/races"
])

const lane = (name: string, ...include: ReadonlyArray<string>): Lane => ({
  name,
  include: include.map((place) => `test/${place}`),
  isolate: !together.has(name),
  isTimed: name === "heavy/timed"
})

const fast: ReadonlyArray<Lane> = [
  lane(
    "fast",
    "*.test.ts",
    "core/**/*.test.ts",
    // The contracts, the constraints and the migrations on PGlite and PostgreSQL, and a real chain, are among these.
    "adapters/**/*.test.ts",
    "apps/server/*.test.ts",
    "apps/cli/print.test.ts",
    "apps/sandbox/local-{gas,market,solana}.test.ts",
    "stories/!(*-on-*|one-key-*|paying-*).test.ts",
    // What the function, REST and tools make of hostile input.
    "surfaces/**/*.test.ts"
  )
]

/** They start, kill and restart processes, open browsers, fill tables, or wait on real clocks. */
const heavy: ReadonlyArray<Lane> = [
  // What a fast lane tries in memory or in small, once more: on a database, on a chain, among thousands of rows.
  lane(
    "heavy/again",
    "adapters/evm/*crashes.test.ts",
    "adapters/postgres/{backup,batches,bounded-statements,crowded-vault,embedded,execution,narrowed*,pooler,replicas,revoked-while-acting,timeline,together-faults}.test.ts",
    "families.test.ts",
    "surfaces/*-on-sql.test.ts"
  ),
  lane("heavy/browser", "browser/**/*.test.ts"),
  lane(
    "heavy/commands",
    "apps/*.test.ts",
    "apps/cli/!(print).test.ts",
    "apps/sandbox/!(local-gas|local-market|local-solana).test.ts",
    "hooks.test.ts"
  ),
  lane("heavy/delivery", "delivery/**/*.test.ts"),
  lane("heavy/edge", "edge/!(crowd).test.ts"),
  lane("heavy/failover", "failover/**/*.test.ts"),
  lane(
    "heavy/installed",
    "{container,examples,installed-command,package,packed,receivers}.test.ts"
  ),
  lane("heavy/interop", "interop/**/*.test.ts"),
  lane("heavy/kill", "kill/**/*.test.ts"),
  lane("heavy/money", "money/**/*.test.ts"),
  lane("heavy/races", "adapters/postgres/*-races.test.ts"),
  // Lives drawn at random, judged by an oracle.
  lane("heavy/simulation", "core/cosigners/quorum/**/*.test.ts", "simulation/**/*.test.ts"),
  lane("heavy/stories", "stories/{*-on-*,one-key-*,paying-*}.test.ts"),
  lane("heavy/timed", "edge/crowd.test.ts"),
  lane("heavy/wires", "wires/**/*.test.ts")
]

/** One process runs files of a lane that follow one another, and imports once what they share. */
export const lanes: ReadonlyArray<Lane> = [...fast, ...heavy]

/** What other lanes run of what a lane includes. */
export const excludeOf = (lane: Lane): ReadonlyArray<string> =>
  isHeavy(lane) ? [] : heavy.flatMap(({ include }) => include)

/** What takes longest begins first, so that no worker is left alone with it when the others are done. */
export const longest: ReadonlyArray<string> = [
  "kill/kill",
  "kill/archive-audit",
  "browser/console-pages",
  "apps/sandbox/sandbox",
  "money/solana-relayer",
  "money/solana",
  "packed",
  "simulation/simulation",
  "money/kills",
  "money/swaps",
  "delivery/delivery",
  "money/solana-swap",
  "stories/tools-on-postgres",
  "stories/rest-on-postgres",
  "stories/rest-on-pglite",
  "stories/bridging-on-solana",
  "package",
  "money/bridges",
  "simulation/trades/trades",
  "browser/console",
  "browser/checkout",
  "edge/alone",
  "money/bridge-solana",
  "apps/cli/doctor"
].map((name) => `test/${name}.test.ts`)
