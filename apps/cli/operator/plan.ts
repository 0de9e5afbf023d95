/** `bursar plan`: gives an agent's account a plan without a payment. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { setPlan } from "../../../core/policy/set-plan.ts"
import * as Instant from "../../../core/time/timestamp.ts"
import { account, shown } from "./accounts.ts"
import { inOffice } from "./office.ts"
import { json, show } from "./show.ts"

const set = Command.make(
  "set",
  {
    account,
    plan: Flag.Literals("plan", ["personal", "startup"]).pipe(
      Flag.withDescription("What it has from now on."),
      Flag.withMetavar("<plan>")
    ),
    until: Flag.String("until").pipe(
      Flag.withDescription("ISO 8601 with its zone; for good when left out."),
      Flag.withSchema(Instant.FromCaller),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ account, json, plan, until }) {
    yield* show(shown, yield* inOffice(setPlan(account, plan, Option.getOrNull(until))), json)
  })
).pipe(
  Command.withDescription(
    "Gives an agent's account a plan until an instant, or for good, without a payment. Once it has run out the account is held to personal's caps and wallets; nothing is locked."
  ),
  Command.withShortDescription("Gives an agent's account a plan without a payment."),
  Command.withExamples([
    { command: "bursar plan set --account <id> --plan startup --until 2027-01-01T00:00:00Z" }
  ])
)

export const plans = Command.make("plan").pipe(
  Command.withDescription("Sets the plans of agents' accounts."),
  Command.withSubcommands([set])
)
