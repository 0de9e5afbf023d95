/** `bursar plan`: gives an agent's account a plan without a payment. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { setPlan } from "../../../core/proposals/set-plan.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { account, accountFields } from "./accounts.ts"
import { inOfficeDurably } from "./office.ts"
import { form, showTaken } from "./show.ts"

const set = Command.make(
  "set",
  {
    account,
    plan: Flag.Literals("plan", ["personal", "startup"]).pipe(
      Flag.withDescription("The new plan."),
      Flag.withMetavar("<plan>")
    ),
    until: Flag.String("until").pipe(
      Flag.withDescription("End of the plan, ISO 8601 with a time zone. Default: no end."),
      Flag.withSchema(Timestamp.Input),
      Flag.optional
    ),
    form
  },
  Effect.fnUntraced(function* ({ account, form, plan, until }) {
    const { done, ...kept } = yield* inOfficeDurably(
      setPlan(account, plan, Option.getOrNull(until))
    )
    yield* showTaken(accountFields, done.account, kept, form)
    for (const id of done.superseded) yield* Console.error(`Superseded proposal ${id}.`)
  })
).pipe(
  Command.withDescription(
    "Gives an agent's account a plan without a payment, until a date or for good. Waiting proposals above its cap per transfer are superseded. When the plan ends, the account falls back to the caps and wallets of personal; nothing is locked."
  ),
  Command.withShortDescription("Gives an agent's account a plan without a payment."),
  Command.withExamples([
    { command: "bursar plan set <account> --plan startup --until 2027-01-01T00:00:00Z" }
  ])
)

export const plans = Command.make("plan").pipe(
  Command.withDescription("Sets the plans of agents' accounts."),
  Command.withSubcommands([set])
)
