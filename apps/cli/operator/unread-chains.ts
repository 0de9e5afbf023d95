/** `bursar unread-chains`: the chains on which no wallet signs, as they were not read since the records were replaced. */
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { UnreadChain } from "../../../core/timeline/timeline.ts"
import { unreadChains as unread } from "../../server/timeline.ts"
import { inOfficeToRead } from "./office.ts"
import { form, show } from "./show.ts"

/** The doctor reads it of a running service. */
export const Answer = Schema.Struct({ unread: Schema.Array(UnreadChain) })

export const unreadChains = Command.make(
  "unread-chains",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const chains = yield* inOfficeToRead(unread)
    yield* show(Answer.fields, { unread: chains }, form)
    if (chains.length === 0) yield* Console.error("There is none.")
  })
).pipe(
  Command.withDescription(
    "Shows the chains that were connected after the records had been replaced by older ones and that were not read since, with the time when each was connected. No wallet signs there before what was paid there was read; all other chains go on. The log says what a chain's nodes answer."
  ),
  Command.withShortDescription("Shows the chains that have to be read before wallets sign there."),
  Command.withExamples([{ command: "bursar unread-chains" }])
)
