/** `bursar tier`: gives an account the tier its spending is judged by. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { setTier } from "../../../core/proposals/set-tier.ts"
import { account, accountFields, tier } from "./accounts.ts"
import { inOfficeDurably } from "./office.ts"
import { form, showTaken } from "./show.ts"

const set = Command.make(
  "set",
  { account, tier, form },
  Effect.fnUntraced(function* ({ account, form, tier }) {
    const { done, ...kept } = yield* inOfficeDurably(setTier(account, tier))
    yield* showTaken(accountFields, done.account, kept, form)
    for (const id of done.superseded) yield* Console.error(`Superseded proposal ${id}.`)
  })
).pipe(
  Command.withDescription(
    "Sets an account's tier. Waiting proposals above its cap per transfer are superseded; executing ones continue. Setting the same tier again checks waiting proposals against the caps configured now."
  ),
  Command.withShortDescription("Sets an account's tier."),
  Command.withExamples([{ command: "bursar tier set <account> --tier startup" }])
)

export const tiers = Command.make("tier").pipe(
  Command.withDescription("Sets an account's tier, which sets its spending caps."),
  Command.withSubcommands([set])
)
