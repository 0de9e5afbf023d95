/** `bursar relayers`: the addresses that pay network fees, what they hold, and which of them to fund. */
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { Address } from "../../../core/chains/address.ts"
import type { Chain } from "../../../core/chains/chain.ts"
import { outlay } from "../../server/chains.ts"
import { Shell } from "../shell.ts"
import { inOfficeToRead, settings } from "./office.ts"
import { chainsOf } from "./own-chains.ts"
import { form, show } from "./show.ts"

const relayerFields = {
  chainId: Schema.String,
  address: Schema.String,
  balance: Schema.NullOr(Schema.String),
  status: Schema.Literals(["ok", "low", "empty", "unknown"])
}

/** Who relays, by family, null before their keys are made; and what they hold. The doctor reads it of a running service. */
export const Answer = Schema.Struct({
  addresses: Schema.NullOr(Schema.Struct({ evm: Address, solana: Address })),
  relayers: Schema.Array(Schema.Struct(relayerFields))
})

/** The connected chains by the settings, and what may be laid out on them. */
const known = Effect.gen(function* () {
  const configuration = yield* settings
  const { environment } = yield* Shell
  const { connected } = yield* chainsOf(configuration, environment)
  const chains: ReadonlyArray<Chain> = [...connected.chains, ...(connected.solana ?? [])].map(
    ({ chain }) => chain
  )
  return { connected, chains, caps: outlay(configuration, environment) }
})

export const relayers = Command.make(
  "relayers",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const { relayerAddresses } = yield* Effect.promise(() => import("../../server/wiring.ts"))
    const addresses = yield* inOfficeToRead(relayerAddresses)
    const { caps, chains, connected } = yield* known
    const { coins, look, statusOf } = yield* Effect.promise(
      () => import("../../doctor/relayers.ts")
    )
    const { holdings } = yield* Effect.promise(() => import("../../doctor/wiring.ts"))
    const all =
      addresses === null
        ? []
        : yield* Effect.provide(look(chains, addresses, caps), holdings(connected))
    const rows = all.map((each) => ({
      chainId: each.chain.id,
      address: each.address,
      balance: each.units === undefined ? null : coins(each.chain, each.units),
      status: statusOf(each)
    }))
    yield* show(Answer.fields, { addresses, relayers: rows }, form)
    if (addresses === null) {
      yield* Console.error("There are no relayers yet; bursar serve makes their keys.")
    } else if (rows.length === 0) {
      yield* Console.error("No chain is connected. Set BURSAR_CHAINS to see what they hold.")
    }
  })
).pipe(
  Command.withDescription(
    "Shows the relayers: one address for all EVM chains and one for Solana. They pay the network fees of every wallet, in the chain's own coin. One is low when it holds less than one account's fees may come to in a day (BURSAR_OUTLAY_<CHAIN>). Fund it by sending it the coin."
  ),
  Command.withShortDescription("Shows what the payers of network fees hold, and which to fund."),
  Command.withExamples([{ command: "bursar relayers" }])
)
