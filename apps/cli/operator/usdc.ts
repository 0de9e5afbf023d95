/** `bursar usdc acknowledge`: lets wallets sign again on a chain whose USDC has another contract behind it. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { acknowledge, named } from "../../../core/tokens/usdc-stop.ts"
import { inOffice } from "./office.ts"
import { form, say } from "./show.ts"

const chain = Argument.String("chain").pipe(
  Argument.withDescription("The chain's id, as the log line USDC_IMPLEMENTATION_CHANGED names it.")
)

/** In the log of whoever has the records open, beside what the command prints. */
const inLog = (line: string) =>
  Effect.logWarning(line).pipe(
    Effect.provideService(Console.Console, {
      ...globalThis.console,
      log: globalThis.console.error
    })
  )

const acknowledging = Command.make(
  "acknowledge",
  { chain, form },
  Effect.fnUntraced(function* ({ chain, form }) {
    const { accepted, seen } = yield* inOffice(acknowledge(chain))
    const facts = { chainId: chain, accepted: seen, acceptedBefore: accepted }
    if (accepted === seen) {
      const message = `The contract behind USDC on ${chain} is the accepted ${named(seen)}; nothing was stopped.`
      return yield* say(message, facts, form)
    }
    const done = `The contract ${named(seen)} behind USDC on ${chain} is accepted, after ${named(accepted)}. Wallets sign there again.`
    yield* inLog(`USDC_IMPLEMENTATION_ACKNOWLEDGED: ${done}`)
    yield* say(done, facts, form)
  })
).pipe(
  Command.withDescription(
    "Accepts the contract that was last seen behind the USDC of a chain, so that wallets sign there again. Compare it first with what the issuer has announced."
  ),
  Command.withShortDescription("Accepts another contract behind the USDC of a chain."),
  Command.withExamples([{ command: "bursar usdc acknowledge base" }])
)

export const usdc = Command.make("usdc").pipe(
  Command.withDescription("Acknowledges another contract behind the USDC of a chain."),
  Command.withSubcommands([acknowledging])
)
