/** `bursar reconcile`: holds what wallets have paid on their chains against the records, and says what these do not know. */
import { Effect, Result, Schema } from "effect"
import { Command } from "effect/cli"
import { recordedOn, Unrecorded, unrecordedAmong } from "../../../core/wallets/reconcile.ts"
import { refused } from "../exit.ts"
import { Shell } from "../shell.ts"
import { printable } from "../table.ts"
import type { madeBy } from "./made-payments.ts"
import { inOfficeToRead, settings } from "./office.ts"
import { form, tell } from "./show.ts"

const Report = Schema.Struct({
  chains: Schema.Array(
    Schema.Struct({
      chainId: Schema.String,
      /** Null while it does not answer, or not with all that was paid. */
      wallets: Schema.NullOr(Schema.Int),
      payments: Schema.NullOr(Schema.Int),
      /** Why it does not. */
      problem: Schema.NullOr(Schema.String)
    })
  ),
  unrecorded: Schema.Array(Unrecorded)
})
type Report = typeof Report.Type

type MadeBy = ReturnType<typeof madeBy>

const heldAgainst = Effect.fnUntraced(function* (chainId: string, asked: MadeBy) {
  const recorded = yield* inOfficeToRead(recordedOn(chainId))
  const made = yield* Effect.result(asked(chainId, recorded))
  return Result.isFailure(made)
    ? {
        chain: { chainId, wallets: null, payments: null, problem: made.failure.detail },
        unrecorded: []
      }
    : {
        chain: {
          chainId,
          wallets: recorded.length,
          payments: made.success.length,
          problem: null
        },
        unrecorded: unrecordedAmong(recorded, made.success)
      }
})

const chainLine = ({ chainId, payments, problem, wallets }: Report["chains"][number]) =>
  payments === null
    ? `${chainId}: not read (${problem}); mend that and try again.`
    : `${chainId}: ${payments} payments of ${wallets} wallets in final blocks.`

const line = ({ chainId, records, toAddress, txId, walletId, ...paid }: Unrecorded) => {
  const what =
    toAddress === null
      ? "used up a payment"
      : `paid ${paid.amountSmallestUnit} units of ${paid.tokenAddress} to ${toAddress}`
  const say =
    records === "unknown" ? "the records do not know it" : "the records say that it failed"
  return `${chainId}: wallet ${walletId} ${what} in ${txId}, and ${say}. Repeat its call with the same idempotency key, which finds it and pays nothing.`
}

export const reconcile = Command.make(
  "reconcile",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const { environment } = yield* Shell
    const configuration = yield* settings
    const { chainIdsOf, madeBy } = yield* Effect.promise(() => import("./made-payments.ts"))
    const ask = madeBy(configuration, environment)
    const held = yield* Effect.forEach(chainIdsOf(configuration, environment), (chainId) =>
      heldAgainst(chainId, ask)
    )
    const report: Report = {
      chains: held.map(({ chain }) => chain),
      unrecorded: held.flatMap(({ unrecorded }) => unrecorded)
    }
    const lines = [...report.chains.map(chainLine), ...report.unrecorded.map(line)]
    yield* tell(
      Schema.encodeSync(Report)(report),
      lines.map((each) => printable(each)).join("\n"),
      form
    )
    const isWhole = report.chains.every(({ payments }) => payments !== null)
    const { caughtUp } = yield* Effect.promise(() => import("./marks.ts"))
    yield* caughtUp(isWhole)
    const { length } = report.unrecorded
    if (length > 0) {
      return yield* refused(
        length === 1
          ? "The records do not explain 1 payment."
          : `The records do not explain ${length} payments.`
      )
    }
    if (!isWhole) {
      return yield* refused(
        "A chain did not answer with all that was paid, so not everything was looked at."
      )
    }
  })
).pipe(
  Command.withDescription(
    "Holds every payment that wallets have made, by the final blocks of each connected chain, against the records, and lists those the records do not know or call failed. It changes nothing, except that records from before marks were taken back may sign on Solana again. Run it after a restore, before anybody is let in. Exits with 1 if there is one."
  ),
  Command.withShortDescription("Lists payments on the chains that the records do not know."),
  Command.withExamples([{ command: "bursar reconcile" }])
)
