/**
 * Port Allowances over the JSON-RPC nodes of EVM chains. Logs are sought in a bounded stretch of the
 * newest blocks, and whatever contract answers, it is believed only about itself.
 */
import { Effect, Layer } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { Allowances, type GrantedAllowance, type Permission } from "../../core/ports/holdings.ts"
import * as Approval from "./approval.ts"
import * as Block from "./block.ts"
import { address } from "./contract.ts"
import * as Node from "./node.ts"
import type { Call, RpcFailed } from "./rpc.ts"
import * as SoughtLogs from "./sought-logs.ts"

const abi = parseAbi(["function allowance(address owner, address spender) view returns (uint256)"])

const maxCallsPerBatch = 100
/** How far back logs are sought: what is older is found by asking the tokens and spenders that are known. */
export const recentBlocks = 10_000
/** Nodes refuse more than a thousand values of one topic. */
const maxOwnersPerFilter = 500
/** Anybody may write logs in the name of a wallet; so many of one owner are looked into. */
const maxPerOwner = 50

const askAllowance = ({ owner, spender, token }: Permission): Call => {
  const args = [address(owner), address(spender)] as const
  const data = encodeFunctionData({ abi, functionName: "allowance", args })
  return { method: "eth_call", params: [{ to: token, data }, "latest"] }
}

/** The contract itself failed, not the node. */
const reverted = /revert|invalid opcode|out of gas|stack (?:under|over)flow/iu

const amountOf = (answer: unknown): bigint | undefined =>
  typeof answer === "string" && /^0x[0-9a-f]{64}$/iu.test(answer) ? BigInt(answer) : undefined

/** A contract that reverts spoils its batch; then each is asked alone, and the one that reverts is no token. */
const current = (
  node: Node.Node,
  permissions: ReadonlyArray<Permission>
): Effect.Effect<ReadonlyArray<bigint | undefined>, RpcFailed | ChainUnavailable> =>
  node.ask(permissions.map(askAllowance)).pipe(
    Effect.map((answers) => answers.map(amountOf)),
    Effect.catchTag("RpcFailed", (failed) => {
      if (!reverted.test(failed.detail)) return Effect.fail(failed)
      if (permissions.length === 1) return Effect.succeed([undefined])
      return Effect.map(
        Effect.forEach(permissions, (each) => current(node, [each])),
        (answers) => answers.flat()
      )
    })
  )

const trio = ({ owner, spender, token }: Permission): string => `${owner} ${spender} ${token}`

/** The last log of each permission, at most so many of an owner, the newest. */
const lastOnes = (logs: ReadonlyArray<unknown>): ReadonlyArray<Approval.Logged> => {
  const lastByTrio = new Map<string, Approval.Logged>()
  const countByOwner = new Map<string, number>()
  for (const logged of logs.toReversed().flatMap((log) => Approval.decode(log) ?? [])) {
    const count = countByOwner.get(logged.owner) ?? 0
    if (lastByTrio.has(trio(logged)) || count === maxPerOwner) continue
    lastByTrio.set(trio(logged), logged)
    countByOwner.set(logged.owner, count + 1)
  }
  return [...lastByTrio.values()].reverse()
}

const recent = Effect.fnUntraced(function* (node: Node.Node, owners: ReadonlyArray<string>) {
  const [answer] = yield* node.ask([Block.ask("latest")])
  const head = Block.decode(answer)?.block.number
  if (head === undefined) {
    return yield* Node.unavailable(node, "inconsistent", "the node knows no latest block")
  }
  const range = { first: Math.max(0, head - recentBlocks + 1), last: head }
  const given: Array<GrantedAllowance> = []
  for (let start = 0; start < owners.length; start += maxOwnersPerFilter) {
    const some = owners.slice(start, start + maxOwnersPerFilter)
    const ask = (first: number, last: number) => Approval.ask(some, first, last)
    const logged = lastOnes(yield* SoughtLogs.all(node, ask, range))
    const numbers = [...new Set(logged.map(({ blockNumber }) => blockNumber))]
    const headers = numbers.length === 0 ? [] : yield* Node.headers(node, numbers)
    const blockByHash = new Map(headers.map((header) => [header?.block.hash, header?.block]))
    for (const { token, owner, spender, txHash, blockHash } of logged) {
      const block = blockByHash.get(blockHash)
      if (block === undefined) {
        return yield* Node.unavailable(node, "inconsistent", "a log stands in another block")
      }
      given.push({ token, owner, spender, txHash, at: block.timestamp })
    }
  }
  return given
})

const inBatches = Effect.fnUntraced(function* (
  node: Node.Node,
  permissions: ReadonlyArray<Permission>
) {
  const amounts: Array<bigint | undefined> = []
  for (let start = 0; start < permissions.length; start += maxCallsPerBatch) {
    amounts.push(...(yield* current(node, permissions.slice(start, start + maxCallsPerBatch))))
  }
  return amounts
})

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<Allowances> =>
  Layer.sync(Allowances, () => {
    const nodes = connections.map(Node.make)
    const on = <A>(
      chainId: string,
      read: (node: Node.Node) => Effect.Effect<A, RpcFailed | ChainUnavailable>
    ) => {
      const node = nodes.find(({ connection }) => connection.chain.id === chainId)
      return node === undefined
        ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
        : Effect.mapError(read(node), (failed) => Node.translate(node, failed))
    }
    return {
      current: (chainId, permissions) => on(chainId, (node) => inBatches(node, permissions)),
      recent: (chainId, owners) => on(chainId, (node) => recent(node, owners))
    }
  })
