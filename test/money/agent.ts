/** An agent of the service under test: an account with a key that may do everything, and what it calls with it. */
import { Effect } from "effect"
import { familyOf } from "../../core/chains/address.ts"
import { agentKey, developerAccount, type NamedCall } from "./process.ts"
import type { Said } from "./settings.ts"

export interface Account {
  readonly walletId: string
  readonly address: string
  readonly agentKey: string
}

/** Opens an account with a wallet on a chain, and issues the key. */
export const openAccount = Effect.fnUntraced(function* (chainId: string) {
  const { account, wallet } = yield* developerAccount(familyOf(chainId).exampleAddress, chainId)
  const opened: Account = {
    walletId: wallet.id,
    address: wallet.address,
    agentKey: yield* agentKey(account.id, "Agent")
  }
  return opened
})

/** Calls an operation with the agent's key; what it refuses is thrown. */
export const calledBy = async (
  { agentKey: apiKey }: Account,
  ask: (
    question: { readonly ask: "call" } & Omit<NamedCall, "input"> & {
        readonly input: Readonly<Record<string, unknown>>
      }
  ) => Promise<unknown>,
  name: string,
  input: Readonly<Record<string, unknown>>,
  idempotencyKey?: string
) => {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  const said = (await ask({ ask: "call", name, input, apiKey, ...key })) as Said
  if (!said.ok) throw new Error(`${said.code}: ${said.message}`)
  return said.data
}
