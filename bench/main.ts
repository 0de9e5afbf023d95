/**
 * `npm run bench`: every figure in turn, printed as a table and written to `results.md` with the machine and
 * the day. A figure that cannot be measured is named, and the rest are measured all the same. With `scale`, only how
 * cost grows with the data.
 */
import { writeFile } from "node:fs/promises"
import { cpus, loadavg, release, totalmem, type } from "node:os"
import { join } from "node:path"
import * as CallTool from "./call-tool.ts"
import * as ColdStart from "./cold-start.ts"
import * as CreatePaymentRequest from "./create-payment-request.ts"
import * as Deliver from "./deliver.ts"
import * as Isolation from "./isolation.ts"
import * as ListWallets from "./list-wallets.ts"
import * as ListWalletsPostgres from "./list-wallets-postgres.ts"
import { type Measurement, rounds, sliceSeconds, table } from "./measure.ts"
import * as PlaceEntries from "./place-entries.ts"
import * as Policy from "./policy.ts"
import * as Portfolio from "./portfolio.ts"
import * as Scale from "./scale.ts"
import * as Send from "./send.ts"
import * as Solana from "./solana.ts"
import * as Strangers from "./strangers.ts"
import * as Throughput from "./throughput.ts"
import * as Watch from "./watch.ts"

const files = [
  ListWallets,
  ListWalletsPostgres,
  CreatePaymentRequest,
  PlaceEntries,
  CallTool,
  Deliver,
  Throughput,
  Isolation,
  Strangers,
  Watch,
  Portfolio,
  Policy,
  Send,
  Solana,
  ColdStart
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

for (const { measure } of files) {
  try {
    const measurement = await measure()
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
