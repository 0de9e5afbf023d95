/**
 * `bursar pay`: pays a payment link as its payer, and waits until the money is final. Only a sandbox's link is paid
 * without being told how much at most: behind any other stands real money.
 */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Usdc from "../../../core/money/usdc.ts"
import { readFacts, type SandboxFacts } from "../../sandbox/facts.ts"
import { misused, refused, unknown } from "../exit.ts"
import { formatOf, outputFlags, rendered } from "../output.ts"
import { progress } from "../progress.ts"
import { Shell } from "../shell.ts"
import { printable } from "../table.ts"
import { type Due, dueOf, type LocalUsdc } from "./due.ts"
import { followed, type Link, linkOf, readLink, type Shown } from "./link.ts"
import { keyPayer, sandboxPayer } from "./wiring.ts"

interface Means {
  readonly keyFile: string | undefined
  readonly rpcUrl: string | undefined
  readonly upTo: string | undefined
}

/** The sandbox of this directory, if the link is one of its own. */
const sandboxOf = Effect.fnUntraced(function* ({ siteUrl }: Link) {
  const { environment } = yield* Shell
  const { BURSAR_DATA_DIR: named } = environment
  const facts = readFacts(named === undefined || named === "" ? ".bursar" : named)
  return facts !== undefined && URL.parse(facts.siteUrl)?.origin === siteUrl ? facts : undefined
})

const localUsdc = (facts: SandboxFacts | undefined): LocalUsdc =>
  facts === undefined
    ? {}
    : {
        [facts.chain.chainId]: facts.chain.usdc,
        ...(facts.solana ? { [facts.solana.chainId]: facts.solana.usdc } : {})
      }

const withinBound = Effect.fnUntraced(function* ({ amountMicro }: Due, upTo: string | undefined) {
  const most = Usdc.parse(upTo ?? "")
  if (most === undefined) {
    return yield* misused(
      "Say with --up-to how much the link may ask for at most, in USDC: --up-to 49.00"
    )
  }
  if (amountMicro > most) {
    return yield* refused(
      `The link asks for ${Usdc.format(amountMicro)} USDC, more than --up-to ${Usdc.format(most)}. Nothing was sent.`
    )
  }
})

const payerOf = Effect.fnUntraced(function* (
  { keyFile, rpcUrl }: Means,
  facts: SandboxFacts | undefined,
  due: Due
) {
  if (keyFile === undefined) {
    if (facts !== undefined && rpcUrl !== undefined) {
      return yield* misused("The sandbox's payer has a node of its own; leave --rpc-url out.")
    }
    if (facts !== undefined) return yield* sandboxPayer(facts, due)
    return yield* misused(
      "This is no link of the sandbox in this directory; pay it with --key-file, --rpc-url and --up-to."
    )
  }
  if (rpcUrl === undefined) {
    return yield* misused(`Name a node of ${due.chain.name} with --rpc-url.`)
  }
  return yield* keyPayer(keyFile, rpcUrl, due)
})

const nothingDue = ({ status }: Shown) =>
  refused(
    status === "paid"
      ? "This request is paid already. Nothing was sent."
      : `This request is ${status.replaceAll("_", " ")}, and nothing is due. Nothing was sent.`
  )

const stateOf = ({ confirmations, status }: Shown): string =>
  confirmations === null
    ? `The request is ${status.replaceAll("_", " ")}`
    : `The request is ${status}: ${confirmations.seen} of ${confirmations.needed} confirmations`

/** Money is seen within seconds of its block, on most chains. */
const patience = "30 seconds"

const stillOpen = (sent: string) =>
  Console.error(
    printable(
      `The request is still open, though ${sent} was sent. A slow chain takes its time; where another open request of the same vault asks for the same amount, the merchant decides which of them is paid, and list-deposits shows it. Nothing is sent again; Ctrl-C ends the waiting.`
    )
  )

/** From the moment it was sent until the request is paid, or ended otherwise. */
export const untilPaid = Effect.fnUntraced(function* (link: Link, sent: string) {
  const { end, show } = yield* progress
  let last: Shown | undefined
  const following = followed(link, (shown) =>
    Effect.gen(function* () {
      last = shown
      yield* show(stateOf(shown))
      return ["paid", "expired", "cancelled"].includes(shown.status)
    })
  )
  const isOpen = () => last?.status === "open" && last.confirmations === null
  const explaining = Effect.gen(function* () {
    yield* Effect.sleep(patience)
    if (isOpen()) yield* stillOpen(sent)
    return yield* Effect.never
  })
  yield* Effect.raceFirst(following, explaining).pipe(Effect.ensuring(end))
  return last as unknown as Shown
})

/** By its name: what pays is loaded only when something is paid. */
const isNotPaid = (error: unknown) => (error as Error).name === "NotPaid"

const shortly = (error: unknown) => String((error as Error).message ?? error).split("\n")[0] ?? ""

const paid = Effect.fnUntraced(function* (text: string, means: Means) {
  const link = yield* linkOf(text)
  const facts = yield* sandboxOf(link)
  const shown = yield* readLink(link)
  if (shown.payable === null) return yield* nothingDue(shown)
  const due = dueOf(link.pid, shown.payable.uri, localUsdc(facts))
  if (due === undefined) {
    return yield* refused("The link asks for something else than USDC. Nothing was sent.")
  }
  if (means.upTo !== undefined || means.keyFile !== undefined) yield* withinBound(due, means.upTo)
  const pay = yield* payerOf(means, facts, due)
  const amount = `${Usdc.format(due.amountMicro)} USDC`
  yield* Console.error(
    printable(`Paying ${amount} on ${due.chain.name} to ${shown.merchant}, ${due.to}`)
  )
  const sent = yield* Effect.tryPromise({
    try: pay,
    catch: (error) =>
      isNotPaid(error)
        ? refused(`${printable(shortly(error))} Nothing was paid; run the command again to pay.`)
        : unknown(
            `It may have been sent, or not: ${printable(shortly(error))}`,
            `Look at ${link.url} before you pay again.`
          )
  })
  const last = yield* Effect.mapError(untilPaid(link, sent), ({ message }) =>
    unknown(`It was sent as ${sent}, and followed no further: ${message}`, `Look at ${link.url}`)
  )
  const { pid, url: paymentUrl } = link
  const { status } = last
  const { chain, amountMicro } = due
  const amountUsd = Usdc.format(amountMicro)
  const data = { pid, status, amountUsd, chainId: chain.id, txHash: sent, paymentUrl }
  return { data, isPaid: status === "paid" }
})

const optionally = (flag: Flag.Flag<string>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

export const pay = Command.make(
  "pay",
  {
    link: Argument.String("link").pipe(
      Argument.withDescription("The paymentUrl or checkoutUrl of a request.")
    ),
    means: {
      keyFile: optionally(
        Flag.String("key-file").pipe(Flag.withMetavar("<file>")),
        "A file with the payer's private key, readable by you alone. Default: the sandbox's payer."
      ),
      rpcUrl: optionally(
        Flag.String("rpc-url").pipe(Flag.withMetavar("<url>")),
        "A node of the link's chain to send through; needed with --key-file."
      ),
      upTo: optionally(
        Flag.String("up-to").pipe(Flag.withMetavar("<USDC>")),
        "The most that may be paid, in USDC; needed with --key-file, and kept to in a sandbox too."
      )
    },
    ...outputFlags()
  },
  Effect.fnUntraced(function* ({ json, link, means, output }) {
    const format = yield* formatOf(Option.getOrUndefined(output), json)
    const { data, isPaid } = yield* paid(link, means)
    yield* Console.log(yield* rendered(JSON.stringify(data), format))
    if (!isPaid) {
      return yield* refused(
        `The request is ${data.status}, though ${data.txHash} was sent. Ask the merchant, who sees it as a deposit.`
      )
    }
  })
).pipe(
  Command.withDescription(
    "Pays a payment link in USDC, on EVM chains and on Solana, and waits until it is paid. In a sandbox its payer pays; elsewhere a key from a file, with the chain's coin for the fee. Pays nothing but USDC, and never more than --up-to."
  ),
  Command.withShortDescription("Pays a payment link, and waits until it is paid."),
  Command.withExamples([
    { command: "bursar pay http://localhost:4000/pay/pr_4fzQx0aB7cDeFgHiJkLmNo" },
    {
      command:
        "bursar pay https://pay.example.com/pay/pr_4fzQx0aB7cDeFgHiJkLmNo --key-file payer.key --rpc-url https://sepolia.base.org --up-to 49"
    }
  ])
)
