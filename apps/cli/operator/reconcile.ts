/** `bursar reconcile`: holds what wallets have paid on their chains against the records, and says what these do not know. */
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { recordedOn, Unrecorded, unrecordedAmong } from "../../../core/wallets/reconcile.ts"
import { refused } from "../exit.ts"
import { Shell } from "../shell.ts"
import { printable } from "../table.ts"
import type { madeBy } from "./made-payments.ts"
import { inOffice, settings } from "./office.ts"
import { json } from "./show.ts"

const Report = Schema.Struct({
  chains: Schema.Array(
    Schema.Struct({
      chainId: Schema.String,
      /** Null while it does not answer. */
      wallets: Schema.NullOr(Schema.Int),
      payments: Schema.NullOr(Schema.Int)
    })
  ),
  unrecorded: Schema.Array(Unrecorded)
})
type Report = typeof Report.Type

type MadeBy = ReturnType<typeof madeBy>

const heldAgainst = Effect.fnUntraced(function* (chainId: string, asked: MadeBy) {
  const recorded = yield* inOffice(recordedOn(chainId))
  const made = yield* Effect.option(asked(chainId, recorded))
  return made._tag === "None"
    ? { chain: { chainId, wallets: null, payments: null }, unrecorded: [] }
    : {
        chain: { chainId, wallets: recorded.length, payments: made.value.length },
        unrecorded: unrecordedAmong(recorded, made.value)
      }
})

const chainLine = ({ chainId, payments, wallets }: Report["chains"][number]) =>
  payments === null
    ? `${chainId}: the chain does not answer; try again.`
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
  { json },
  Effect.fnUntraced(function* ({ json }) {
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
    yield* Console.log(
      json
        ? JSON.stringify(Schema.encodeSync(Report)(report))
        : lines.map((each) => printable(each)).join("\n")
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
      return yield* refused("A chain did not answer, so not everything was looked at.")
    }
  })
).pipe(
  Command.withDescription(
    "Holds every payment that wallets have made, by the final blocks of each connected chain, against the records, and lists those the records do not know or call failed. It changes nothing, except that records from before marks were taken back may sign on Solana again. Run it after a restore, before anybody is let in. Exits with 1 if there is one."
  ),
  Command.withShortDescription("Lists payments on the chains that the records do not know."),
  Command.withExamples([{ command: "bursar reconcile" }])
)
