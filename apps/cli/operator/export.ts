/** `bursar export`: the books of a period on standard output, for spreadsheets and bookkeepers' programs. */
import { Console, DateTime, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Account } from "../../../core/accounts/account.ts"
import { noSuchAccount } from "../../../core/accounts/account.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { type BooksFailure, closeBooks } from "../../../core/books/close.ts"
import { formatNames } from "../../../core/books/formats.ts"
import type { Period } from "../../../core/books/statement.ts"
import { writeBooks } from "../../../core/books/write.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import * as Exit from "../exit.ts"
import { progress } from "../progress.ts"
import { Drained, Shell } from "../shell.ts"
import { account } from "./accounts.ts"
import { aside } from "./aside.ts"
import { atomic, Office, plainly, settings, surviving } from "./office.ts"
import { chainsOf } from "./own-chains.ts"

const time = (name: string, meaning: string) =>
  Flag.String(name).pipe(Flag.withDescription(meaning), Flag.withMetavar("<day or time>"))

const from = time("from", "The first day (UTC), such as 2030-01-01, or a time in ISO 8601.")
const to = time(
  "to",
  "The last day (UTC), which is included, such as 2030-01-31, or a time in ISO 8601 before which it ends."
)

const format = Flag.Literals("format", formatNames).pipe(
  Flag.withDescription("csv, hledger, beancount or ofx."),
  Flag.withMetavar("<format>"),
  Flag.withDefault("csv" as const)
)

const day = /^\d{4}-\d\d-\d\d$/u
const readTime = Schema.decodeUnknownOption(Timestamp.Input)

const instant = (name: string, text: string) => {
  const found = readTime(day.test(text) ? `${text}T00:00:00Z` : text)
  return Option.isSome(found)
    ? Effect.succeed(found.value)
    : Effect.fail(
        Exit.misused(
          `--${name} must be a day such as 2030-01-31, or a time in ISO 8601 with its zone.`
        )
      )
}

const periodOf = Effect.fnUntraced(function* (first: string, last: string) {
  const from = yield* instant("from", first)
  const named = yield* instant("to", last)
  const to = day.test(last) ? DateTime.add(named, { days: 1 }) : named
  if (DateTime.isLessThan(from, to)) return { from, to } satisfies Period as Period
  return yield* Exit.misused("--to must be later than --from.")
})

/** The one that is named, or the only one there is. */
const accountOf = Effect.fnUntraced(function* (named: Option.Option<string>) {
  const accounts = yield* Accounts
  if (Option.isSome(named)) {
    const found = yield* accounts.find(named.value)
    return found ?? (yield* noSuchAccount())
  }
  const { rows } = yield* accounts.list({ limit: 2 })
  const [only, other] = rows
  if (only !== undefined && other === undefined) return only
  return yield* Exit.misused(
    only === undefined
      ? "There is no account yet; open one with bursar accounts open."
      : "There are several accounts; name one by its id, from bursar accounts list: bursar export <account>."
  )
})

/** A chain that does not answer is no mistake of the caller; everything else is told as it is. */
const stopped = (failure: BooksFailure | Exit.Stopped): Exit.Stopped => {
  if (failure instanceof Exit.Stopped) return failure
  return failure._tag === "ChainUnavailable"
    ? Exit.unavailable(`${failure.message} Nothing was written that is whole; run it again later.`)
    : Exit.refused(failure.message)
}

/** Pieces gathered to so many characters, so that small ones cost little. */
const pieceCharacters = 65_536

const printing = Effect.gen(function* () {
  const drained = yield* Drained
  let gathered = ""
  const flush = Effect.suspend(() => {
    if (gathered === "") return Effect.void
    const text = gathered.endsWith("\n") ? gathered.slice(0, -1) : gathered
    gathered = ""
    return Effect.andThen(Console.log(text), drained)
  })
  const write = (text: string) =>
    Effect.suspend(() => {
      gathered += text
      // A piece ends with a line, as each that is printed does.
      return gathered.length >= pieceCharacters && gathered.endsWith("\n") ? flush : Effect.void
    })
  return { write, flush }
})

const tenths = 10

const exported = Effect.fnUntraced(function* (
  owner: Account,
  period: Period,
  name: (typeof formatNames)[number]
) {
  const { end, show } = yield* progress
  yield* show("Reading balances from the chains")
  const closing = yield* closeBooks(owner, period)
  const { flush, write } = yield* printing
  const count = yield* writeBooks(closing, name, {
    write,
    aside: yield* aside,
    progress: ({ chainId, share }) =>
      show(`Reading ${chainId}: ${Math.floor(share * tenths) * (100 / tenths)} %`)
  })
  yield* flush
  yield* end
  for (const chainId of closing.unread) {
    yield* Console.error(`${chainId} is not connected, so its wallets are not in the file.`)
  }
  if (name === "ofx") yield* Console.error("OFX has dollars only: other tokens are left out.")
  yield* Console.error(
    `Wrote ${count} ${count === 1 ? "movement" : "movements"}. Opening and movements come to what the chains hold.`
  )
})

export const exportBooks = Command.make(
  "export",
  { from, to, format, account: account.pipe(Argument.optional) },
  Effect.fnUntraced(function* ({ account: named, format: name, from: first, to: last }) {
    const period = yield* periodOf(first, last)
    const { environment } = yield* Shell
    const configuration = yield* settings
    const { books } = yield* Effect.promise(() => import("./wiring.ts"))
    const chains = books(yield* chainsOf(configuration, environment))
    const records = yield* (yield* Office).open
    const owner = yield* plainly(Effect.provide(atomic(accountOf(named)), records))
    const work = Effect.mapError(exported(owner, period, name), stopped)
    yield* surviving(work.pipe(Effect.provide(chains), Effect.provide(records)))
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Writes the books of a period to standard output: what every wallet of an account had of USDC and of every listed token before it, every movement in it, and what was left, each read from the chains. Opening and movements come to the closing to the last unit, or it ends with 1. Money that came or went without the treasury is named unrecorded; what is between two chains has an account of its own; what the relayer laid out stands apart."
  ),
  Command.withShortDescription("Writes the books of a period: CSV, hledger, beancount or OFX."),
  Command.withExamples([
    {
      command: "bursar export --from 2030-01-01 --to 2030-01-31 --format hledger > january.journal"
    }
  ])
)
