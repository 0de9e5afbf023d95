/** `bursar usdc acknowledge`: lets wallets sign again on a chain whose USDC has another contract behind it. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { acknowledge } from "../../../core/tokens/usdc-stop.ts"
import { inOffice } from "./office.ts"

const chain = Argument.String("chain").pipe(
  Argument.withDescription("The chain's id, as the log line USDC_IMPLEMENTATION_CHANGED names it.")
)

const acknowledging = Command.make(
  "acknowledge",
  { chain },
  Effect.fnUntraced(function* ({ chain }) {
    const { accepted, seen } = yield* inOffice(acknowledge(chain))
    yield* Console.log(
      accepted === seen
        ? `The contract behind USDC on ${chain} is the accepted ${seen}; nothing was stopped.`
        : `The contract ${seen} behind USDC on ${chain} is accepted, after ${accepted}. Wallets sign there again.`
    )
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
