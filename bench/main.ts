/**
 * `npm run bench`: every file in turn, each in a process of its own, printed as a table and written to `results.md` with
 * the machine and the day. A figure that cannot be measured is named, and the rest are measured all the same. With
 * `scale`, only how cost grows with the data.
 */
import { writeFile } from "node:fs/promises"
import { cpus, loadavg, release, totalmem, type } from "node:os"
import { join } from "node:path"
import { apart, type Measurement, rounds, sliceSeconds, table } from "./measure.ts"
import * as Scale from "./scale.ts"

const files = [
  "list-wallets.ts",
  "list-wallets-postgres.ts",
  "create-payment-request.ts",
  "place-entries.ts",
  "call-tool.ts",
  "deliver.ts",
  "throughput.ts",
  "isolation.ts",
  "strangers.ts",
  "watch.ts",
  "portfolio.ts",
  "policy.ts",
  "send.ts",
  "solana.ts",
  "cold-start.ts"
]

const machine = () => {
  const [cpu] = cpus()
  const gib = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${cpu?.model.trim() ?? "an unknown processor"}, ${gib} GiB, ${type()} ${release()}`
}

if (process.argv[2] === "scale") {
  await Scale.main()
  process.exit()
}

const loadBefore = loadavg()[0] ?? 0
const startedAt = new Date()
const measurements: Array<Measurement> = []
const failures: Array<string> = []

for (const file of files) {
  try {
    const measurement = await apart(join(import.meta.dirname, file))
    measurements.push(measurement)
    console.log(`${table([measurement])}\n`)
  } catch (error) {
    failures.push(String(error))
    console.error(error)
  }
}

const minutes = ((Date.now() - startedAt.getTime()) / 60_000).toFixed(1)
const page = `# Results

- Machine: ${machine()}
- Node: ${process.version}
- Day: ${startedAt.toISOString().slice(0, 16).replace("T", " ")} UTC
- Other work on the machine when it began: a load of ${loadBefore.toFixed(2)}
- ${rounds} rounds, the first dropped; slices of ${sliceSeconds} s; ${minutes} minutes in all
${failures.map((failure) => `- **Not measured:** ${failure}\n`).join("")}
A value is the median of the rounds with the least and the most; a ratio is taken within each round.

${table(measurements)}
`

await writeFile(join(import.meta.dirname, "results.md"), page)
console.log(page)
if (failures.length > 0) process.exitCode = 1
