/** Parts of the verification as tests, each thing seldom; often, and with the figures, is `npm run verify:delivery`. */
import { tried } from "../money/tried.ts"
import * as Addresses from "./addresses.ts"
import * as Kills from "./kills.ts"
import * as Mistakes from "./mistakes.ts"
import { program } from "./parts.ts"
import * as Restarts from "./restarts.ts"
import * as Schedule from "./schedule.ts"
import * as Slow from "./slow.ts"

tried({
  title: "webhooks on real processes",
  program,
  parts: [Schedule.part, Addresses.part, Kills.part, Restarts.part, Slow.part, Mistakes.part],
  patienceMs: 180_000
})
