/** `bursar reclaim-marks`: gives the rent of old marks on Solana back to the relayer that lent it. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { form } from "./show.ts"

const before = Flag.String("before").pipe(
  Flag.withDescription(
    "An ISO 8601 time with its zone, at least a day ago: that of the oldest backup you would still restore."
  )
)

export const reclaimMarks = Command.make(
  "reclaim-marks",
  { before, form },
  Effect.fnUntraced(function* ({ before, form }) {
    const { takeBack } = yield* Effect.promise(() => import("./marks.ts"))
    yield* takeBack(before, form)
  })
).pipe(
  Command.withDescription(
    "Takes back the rent of marks on Solana and gives it to the relayer: of payments that the records call final, whose marks final blocks made before the time given. Write that time down as your oldest backup: records restored from before it sign nothing on Solana until bursar reconcile has held them against the chains. It may be stopped and run again at any time."
  ),
  Command.withShortDescription("Takes the rent of old marks on Solana back."),
  Command.withExamples([{ command: "bursar reclaim-marks --before 2030-01-31T12:00:00Z" }])
)
