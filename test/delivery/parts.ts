/** All parts of the verification, in the order they run. */
import type { Part } from "../money/part.ts"
import * as Addresses from "./addresses.ts"
import * as Isolation from "./isolation.ts"
import * as Kills from "./kills.ts"
import * as Mistakes from "./mistakes.ts"
import * as Restarts from "./restarts.ts"
import * as Schedule from "./schedule.ts"
import * as Slow from "./slow.ts"

/** What the processes of a part run. */
export const program = "test/delivery/replica.ts"

export const parts: ReadonlyArray<Part> = [
  Schedule.part,
  Addresses.part,
  Kills.part,
  Restarts.part,
  Isolation.part,
  Slow.part,
  Mistakes.part
]
