/** `bursar stuck-trades`: the trades that take far longer than they should, and what each waits for. */
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { StepKind } from "../../../core/waits/wait.ts"
import { WaitStore } from "../../../core/waits/wait-store.ts"
import { most } from "../../doctor/trades.ts"
import { inOfficeToRead } from "./office.ts"
import { form, show } from "./show.ts"

const fields = {
  proposalId: Schema.String,
  kind: StepKind,
  chainId: Schema.String,
  reason: Schema.NullOr(Schema.String)
}

/** The oldest first. The doctor reads it of a running service. */
export const Answer = Schema.Struct({ stuck: Schema.Array(Schema.Struct(fields)) })

export const stuckTrades = Command.make(
  "stuck-trades",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const waits = yield* inOfficeToRead(WaitStore.use(({ stuck }) => stuck(most)))
    const stuck = waits.map(({ chainId, kind, proposalId, reason }) => ({
      proposalId,
      kind,
      chainId,
      reason
    }))
    yield* show(Answer.fields, { stuck }, form)
    if (stuck.length === 0) yield* Console.error("None is stuck.")
  })
).pipe(
  Command.withDescription(
    `Shows the trades that take far longer than they should, the oldest first and ${most} at most: the step that each is at, on which chain, and what it waits for. They are looked at for ever, and what they may cost stays reserved.`
  ),
  Command.withShortDescription("Shows the trades that are stuck, and what each waits for."),
  Command.withExamples([{ command: "bursar stuck-trades" }])
)
