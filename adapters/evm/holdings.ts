/**
 * Port Holdings over the JSON-RPC nodes of EVM chains: what we list is read in one call where the chain
 * allows it. USDC and the coin must have a number; any other contract may fail alone.
 */
import { Effect, Layer } from "effect"
import { Holdings, type KnownToken } from "../../core/ports/holdings.ts"
import { behind } from "./behind.ts"
import { type Claims, contradicts, questionsOf } from "./claims.ts"
import * as Described from "./described.ts"
import * as Multicall from "./multicall.ts"
import * as Node from "./node.ts"
import { type Reach, received } from "./received.ts"

/** An answer to a question of ours is far smaller; what strangers make larger is not read. */
const maxBytes = 8 * 1024 * 1024
const maxCoinsPerBatch = 100

interface Chain {
  readonly node: Node.Node
  readonly reach: Reach
  /** Learnt from the first answer, and kept. */
  hasMulticall: boolean | undefined
}

/** The chain's coin of each holder, from a chain without Multicall3. */
const coins = Effect.fnUntraced(function* (node: Node.Node, holders: ReadonlyArray<string>) {
  const held: Array<unknown> = []
  for (let start = 0; start < holders.length; start += maxCoinsPerBatch) {
    const some = holders.slice(start, start + maxCoinsPerBatch)
    const calls = some.map((holder) => ({
      method: "eth_getBalance",
      params: [holder.toLowerCase(), "latest"]
    }))
    held.push(...(yield* node.ask(calls)))
  }
  return held.map((answer) =>
    typeof answer === "string" && /^0x[0-9a-f]{1,64}$/iu.test(answer) ? BigInt(answer) : undefined
  )
})

const together = Effect.fnUntraced(function* (chain: Chain) {
  chain.hasMulticall ??= yield* Multicall.isDeployed(chain.node)
  return chain.hasMulticall
})

/** Tokens of strangers' making, whose claims are held against ours. */
const isDoubted = (node: Node.Node, { address }: KnownToken): boolean =>
  address !== null && address.toLowerCase() !== node.connection.usdc

const balances = Effect.fnUntraced(function* (
  chain: Chain,
  holders: ReadonlyArray<string>,
  tokens: ReadonlyArray<KnownToken>
) {
  const { node } = chain
  const atOnce = yield* together(chain)
  const doubted = tokens.filter((token) => isDoubted(node, token))
  const questions = questionsOf(doubted)
  const held = holders.flatMap((holder) =>
    tokens.flatMap(({ address }) =>
      address === null
        ? atOnce
          ? Multicall.coinsOf(holder)
          : []
        : Multicall.balanceOf(address, holder)
    )
  )
  const asksCoins = !atOnce && tokens.some(({ address }) => address === null)
  const [answers, coinsHeld, codes, proxied] = yield* Effect.all(
    [
      Multicall.readAll(node, [...questions.reads, ...held], atOnce),
      asksCoins ? coins(node, holders) : Effect.succeed([]),
      questions.codes.length === 0 ? Effect.succeed([]) : node.ask(questions.codes),
      questions.proxies.length === 0 ? Effect.succeed([]) : behind(node, questions.proxies)
    ],
    { concurrency: "unbounded" }
  )
  const claims: Claims = questions.claimsOf(answers, codes, proxied)
  const numbers = answers.map(Described.number)
  let at = questions.reads.length
  const rows = holders.map((_, row) =>
    tokens.map((token) => {
      if (token.address === null && !atOnce) return coinsHeld[row]
      const number = numbers[at++]
      return isDoubted(node, token) && contradicts(token, claims) ? undefined : number
    })
  )
  const isOurs = tokens.map((token) => !isDoubted(node, token))
  if (rows.some((row) => row.some((balance, column) => balance === undefined && isOurs[column]))) {
    return yield* Node.unavailable(node, "inconsistent", "a balance is not a number")
  }
  return rows
})

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<Holdings> =>
  Layer.sync(Holdings, () => {
    const chains = connections.map(
      (connection): Chain => ({
        node: Node.make({ ...connection, maxBytes: connection.maxBytes ?? maxBytes }),
        reach: { at: 0 },
        hasMulticall: undefined
      })
    )
    const on = <A>(
      chainId: string,
      read: (chain: Chain) => Effect.Effect<A, Parameters<typeof Node.translate>[1]>
    ) => {
      const chain = chains.find(({ node }) => node.connection.chain.id === chainId)
      return chain === undefined
        ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
        : Effect.mapError(read(chain), (failed) => Node.translate(chain.node, failed))
    }
    return {
      balances: (chainId, holders, tokens) =>
        on(chainId, (chain) => balances(chain, holders, tokens)),
      received: (chainId, holders, except) =>
        on(chainId, ({ node, reach }) => received(node, reach, holders, except))
    }
  })
