/** `bursar pause` and `bursar resume`: stop everything of an account that moves money, and let it go on. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { pauseAccount, resumeAccount } from "../../../core/accounts/pause.ts"
import { shown } from "./accounts.ts"
import { inOffice } from "./office.ts"
import { json, show } from "./show.ts"

const account = Argument.String("account").pipe(
  Argument.withDescription("The account's id, from bursar accounts list.")
)

export const pause = Command.make(
  "pause",
  { account, json },
  Effect.fnUntraced(function* ({ account, json }) {
    yield* show(shown, yield* inOffice(pauseAccount(account)), json)
    yield* Console.error("It is paused: bursar resume lets it go on.")
  })
).pipe(
  Command.withDescription(
    "Pauses an account at once: nothing of it that moves money is proposed, confirmed, approved or signed. It goes on being paid; what is on its way to the chain already is carried to its end."
  ),
  Command.withShortDescription("Stops everything of an account that moves money."),
  Command.withExamples([{ command: "bursar pause <account>" }])
)

export const resume = Command.make(
  "resume",
  { account, json },
  Effect.fnUntraced(function* ({ account, json }) {
    yield* show(shown, yield* inOffice(resumeAccount(account)), json)
  })
).pipe(
  Command.withDescription("Ends an account's pause; sends that waited for it go on by themselves."),
  Command.withShortDescription("Ends an account's pause."),
  Command.withExamples([{ command: "bursar resume <account>" }])
)
