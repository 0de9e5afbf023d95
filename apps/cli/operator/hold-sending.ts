/** `bursar hold-sending`: has records that an operator has put back catch up with the chains before anything is sent. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { disown } from "../../server/timeline.ts"
import { inOffice } from "./office.ts"
import { form, say } from "./show.ts"

const leavesKeyStore = Flag.Boolean("new-key-store").pipe(
  Flag.withDescription(
    "The folder of BURSAR_TIMELINE_DIR is lost or is another one now. End all processes on other servers before: the new folder does not fence them."
  )
)

export const holdSending = Command.make(
  "hold-sending",
  { leavesKeyStore, form },
  Effect.fnUntraced(function* ({ form, leavesKeyStore }) {
    yield* inOffice(disown(leavesKeyStore))
    yield* say(
      "Nothing is sent until what was signed before has run out and the chains have been read. A running service does this by itself and prints when it is done.",
      { result: "held" },
      form
    )
  })
).pipe(
  Command.withDescription(
    "Stops sending until the service has read the chains and charged what the records do not explain to the caps. It does so by itself after a standby was promoted or the records were put on another server; run this after you restored the records in any other way, and to take over again from other records."
  ),
  Command.withShortDescription("Holds sending until the chains have been read."),
  Command.withExamples([
    { command: "bursar hold-sending" },
    { command: "bursar hold-sending --new-key-store" }
  ])
)
