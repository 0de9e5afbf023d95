/** Port TokenHistory over scripted chains, whose blocks hold every transfer of USDC; other tokens there never move. */
import { Effect, Layer, Stream } from "effect"
import * as Address from "../../core/chains/address.ts"
import {
  type Asked,
  beforeAll,
  NotFinal,
  TokenHistory,
  type TokenMovement
} from "../../core/ports/token-history.ts"
import * as Mempool from "./mempool.ts"
import * as ScriptedChain from "./scripted-chain.ts"

const blocksPerPassage = 100

const finalOf = (chain: ScriptedChain.Scripted): ScriptedChain.Mined =>
  chain.blocks[Mempool.finalizedNumber(chain)] ?? ScriptedChain.tip(chain)

/** What one block did to the owners. */
const movedIn = (
  chain: ScriptedChain.Scripted,
  { number, payments, timestamp }: ScriptedChain.Mined,
  { owners, tokens }: Asked
): ReadonlyArray<TokenMovement> => {
  const { chain: named, usdc: token } = chain.connected
  if (!tokens.includes(token)) return []
  const keys: ReadonlySet<string> = new Set(owners.map((owner) => Address.keyOf(named.id, owner)))
  return payments.flatMap(({ amountMicro, from, to, txHash }, logIndex) => {
    const log = { txHash, logIndex, blockNumber: number, at: timestamp, token }
    const gave = { ...log, owner: from, units: -amountMicro, counterparty: to }
    const got = { ...log, owner: to, units: BigInt(amountMicro), counterparty: from }
    return [gave, got].filter(({ owner, units }) => keys.has(owner) && units !== 0n)
  })
}

const heldAt = (
  chain: ScriptedChain.Scripted,
  blockNumber: number,
  owner: Address.AddressKey,
  token: Address.AddressKey
): bigint => {
  if (token !== chain.connected.usdc) return chain.others.get(token)?.balances.get(owner) ?? 0n
  const payments = chain.blocks.slice(0, blockNumber + 1).flatMap((block) => block.payments)
  return payments.reduce(
    (held, { amountMicro, from, to }) =>
      held + (to === owner ? amountMicro : 0n) - (from === owner ? amountMicro : 0n),
    0n
  )
}

export const layer = (state: ScriptedChain.State): Layer.Layer<TokenHistory> =>
  Layer.sync(TokenHistory, () => {
    const present = (chainId: string) => ScriptedChain.present(state, chainId)
    return {
      lastBefore: Effect.fnUntraced(function* (chainId, time) {
        const chain = yield* present(chainId)
        const final = finalOf(chain)
        if (final.timestamp.epochMilliseconds < time.epochMilliseconds) {
          return yield* new NotFinal({ chainId, finalAt: final.timestamp })
        }
        const last = chain.blocks.findLast(
          ({ timestamp }) => timestamp.epochMilliseconds < time.epochMilliseconds
        )
        return { number: last?.number ?? beforeAll, at: last?.timestamp ?? time }
      }),
      newest: (chainId) =>
        Effect.map(present(chainId), (chain) => {
          const { number, timestamp } = finalOf(chain)
          return { number, at: timestamp }
        }),
      balances: (chainId, blockNumber, { owners, tokens }) =>
        Effect.map(present(chainId), (chain) =>
          owners.map((owner) =>
            tokens.map((token) => heldAt(chain, blockNumber, Address.keyOf(chainId, owner), token))
          )
        ),
      movements: (chainId, { after, through }, asked) =>
        Stream.unwrap(
          Effect.map(present(chainId), (chain) => {
            const blocks = chain.blocks.slice(after + 1, through + 1)
            const starts = Array.from(
              { length: Math.ceil(blocks.length / blocksPerPassage) },
              (_, at) => at * blocksPerPassage
            )
            return Stream.map(Stream.fromIterable(starts), (start) => {
              const some = blocks.slice(start, start + blocksPerPassage)
              return {
                throughBlock: some.at(-1)?.number ?? after,
                movements: some.flatMap((block) => movedIn(chain, block, asked))
              }
            })
          })
        ),
      placeOf: (chainId, txHash) =>
        Effect.map(
          present(chainId),
          (chain) =>
            chain.blocks
              .slice(0, finalOf(chain).number + 1)
              .find(({ payments }) => payments.some((each) => each.txHash === txHash))?.number
        )
    }
  })
