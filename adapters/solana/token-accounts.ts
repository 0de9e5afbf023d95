/** Port TokenAccounts on Solana: the relayer opens an owner's associated account for USDC, and lends nothing but its rent. */
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { Effect, Layer, Schema } from "effect"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { TokenAccounts } from "../../core/ports/token-accounts.ts"
import { tokenIn } from "./account.ts"
import * as Node from "./node.ts"
import type { RelayerKey } from "./relayer-key.ts"
import type { RpcFailed } from "./rpc.ts"
import { associated } from "./token-address.ts"
import { compiled, opening, signed } from "./transaction.ts"

export interface Options {
  readonly relayer: RelayerKey
  readonly connections: ReadonlyArray<Node.Connection>
}

const tokenBytes = 165
/** For one signature; what opening an account takes of the network beside it is nothing. */
const feeLamports = 5_000n
const units = 60_000

const isOpen = Effect.fnUntraced(function* (node: Node.Node, tokenAccount: string) {
  const asked = { commitment: "confirmed" } as const
  const [account] = (yield* Node.accounts(node, [tokenAccount], asked)).accounts
  return account !== undefined && tokenIn(account) !== undefined
})

const cost = Effect.fnUntraced(function* (node: Node.Node) {
  const answer = yield* node.call("getMinimumBalanceForRentExemption", [tokenBytes])
  const rent = yield* Node.decoded(node, Schema.Int, answer, "the rent of an account")
  return BigInt(rent) + feeLamports
})

const open = Effect.fnUntraced(function* (node: Node.Node, relayer: RelayerKey, owner: string) {
  const newest = yield* Node.newestBlock(node)
  const payer = yield* relayer.address
  const { instruction } = opening(payer, owner, node.connection.usdc)
  const whole = compiled(payer, newest, [getSetComputeUnitLimitInstruction({ units }), instruction])
  const signature = yield* relayer.sign(Uint8Array.from(whole.messageBytes))
  const { wire } = signed(whole, { [payer]: signature })
  yield* node.call("sendTransaction", [wire, { encoding: "base64", skipPreflight: true }])
})

export const layer = ({ connections, relayer }: Options): Layer.Layer<TokenAccounts> =>
  Layer.sync(TokenAccounts, () => {
    const all = connections.map((connection) => ({
      node: Node.make(connection),
      find: associated(connection.usdc)
    }))
    const on = <A>(
      chainId: string,
      owner: string,
      use: (node: Node.Node, tokenAccount: string) => Effect.Effect<A, RpcFailed | ChainUnavailable>
    ) => {
      const found = all.find(({ node }) => node.connection.chain.id === chainId)
      if (found === undefined) return Effect.die(new Error(`Chain ${chainId} is not connected.`))
      const { find, node } = found
      return Effect.flatMap(find(owner), (tokenAccount) =>
        Effect.mapError(use(node, tokenAccount), (failed) => Node.translate(node, failed))
      )
    }
    return {
      isOpen: (chainId, owner) => on(chainId, owner, isOpen),
      cost: (chainId) =>
        Effect.flatMap(relayer.address, (owner) => on(chainId, owner, (node) => cost(node))),
      open: (chainId, owner) => on(chainId, owner, (node) => open(node, relayer, owner))
    }
  })
