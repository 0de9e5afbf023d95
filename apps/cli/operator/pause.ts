/** `bursar pause` and `bursar resume`: stop everything of an account that moves money, and let it go on. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { pauseAccount, resumeAccount } from "../../../core/accounts/pause.ts"
import { account, accountFields } from "./accounts.ts"
import { inOffice, inOfficeDurably } from "./office.ts"
import { form, show, showTaken } from "./show.ts"

export const pause = Command.make(
  "pause",
  { account, form },
  Effect.fnUntraced(function* ({ account, form }) {
    const { done, ...kept } = yield* inOfficeDurably(pauseAccount(account))
    yield* showTaken(accountFields, done, kept, form)
    yield* Console.error("The account is paused. Resume it with bursar resume.")
  })
).pipe(
  Command.withDescription(
    "Pauses an account at once: it cannot propose, confirm, approve or sign payments. Incoming payments continue; transfers that are already submitted are completed."
  ),
  Command.withShortDescription("Stops an account's payments."),
  Command.withExamples([{ command: "bursar pause <account>" }])
)

export const resume = Command.make(
  "resume",
  { account, form },
  Effect.fnUntraced(function* ({ account, form }) {
    yield* show(accountFields, yield* inOffice(resumeAccount(account)), form)
  })
).pipe(
  Command.withDescription("Ends an account's pause; waiting sends continue."),
  Command.withShortDescription("Ends an account's pause."),
  Command.withExamples([{ command: "bursar resume <account>" }])
)
