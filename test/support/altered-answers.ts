/** A chain with tokens on it whose node answers strangely where a test says so, and plain questions to it. */
import { Effect, Layer } from "effect"
import * as Evm from "../../adapters/evm/holdings.ts"
import * as Address from "../../core/chains/address.ts"
import { Holdings, type KnownToken } from "../../core/ports/holdings.ts"
import * as Anvil from "./anvil.ts"
import * as Value from "./chain-values.ts"
import { HoldingWorld, onAnvil } from "./holdings-chain.ts"
import type { Answered, Asked, Tampering } from "./json-rpc-proxy.ts"

export const world = Layer.merge(
  onAnvil,
  Layer.unwrap(Effect.map(Anvil.AnvilChain, (chain) => Evm.layer([Anvil.connectionTo(chain)])))
).pipe(Layer.provideMerge(Anvil.layer))

export const holderOf = (digits: string) => Address.shown("local", `0x${digits.repeat(20)}`)

export const coin: KnownToken = { address: null, decimals: 18 }
export const tokenAt = (address: string, decimals: number): KnownToken => ({
  address: Value.key(address),
  decimals
})

/** What the tokens given away here say of themselves. */
export const facts = { name: "Odd", symbol: "ODD", decimals: 18, amount: 5n }

export const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`

/** Which contract is called with what; empty when it is no call. */
export const calling = ({
  method,
  params
}: Asked): { readonly to: string; readonly data: string } => {
  const [call] = params as ReadonlyArray<{ readonly to?: string; readonly data?: string }>
  return method === "eth_call"
    ? { to: call?.to ?? "", data: call?.data ?? "" }
    : { to: "", data: "" }
}

export type Alter = (asked: Asked, answered: Answered) => Answered

/** Lets everything pass but these answers. */
export const altering =
  (alter: Alter): Tampering =>
  async (asked, pass) => {
    const answers = await pass(asked)
    return answers.map((answered) => {
      const question = asked.find(({ id }) => id === answered.id)
      return question === undefined ? answered : alter(question, answered)
    })
  }

export const receivedBy = (holder: Address.Address) =>
  Effect.gen(function* () {
    const { usdc } = yield* HoldingWorld
    return yield* (yield* Holdings).received("local", [holder], [usdc])
  })
