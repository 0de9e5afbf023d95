/**
 * Port Holdings over the nodes of Solana chains. A balance that is asked for is that of the owner's associated account
 * under the classic token program; tokens of the later program come up only as what nobody vouches for.
 */
import { Effect, Layer } from "effect"
import type { Address } from "../../core/chains/address.ts"
import * as AddressKeys from "../../core/chains/address.ts"
import { type Foreign, Holdings, type KnownToken } from "../../core/ports/holdings.ts"
import { maxDecimals } from "../../core/tokens/token.ts"
import {
  type Account,
  keyedAccountsIn,
  mintIn,
  tokenIn,
  tokenProgram,
  tokenPrograms
} from "./account.ts"
import * as Node from "./node.ts"
import { associated } from "./token-address.ts"

/** Owners whose tokens are listed at once: each costs two calls. */
const maxListed = 50
const listedAtOnce = 4

const allAccounts = Effect.fnUntraced(function* (
  node: Node.Node,
  addresses: ReadonlyArray<string>
) {
  const all: Array<Account | undefined> = []
  for (let at = 0; at < addresses.length; at += Node.maxAccounts) {
    const asked = addresses.slice(at, at + Node.maxAccounts)
    all.push(...(yield* Node.accounts(node, asked, { commitment: "confirmed" })).accounts)
  }
  return all
})

type Find = (mint: string, owner: string) => Effect.Effect<string>

const amountIn = (account: Account | undefined, mint: string, owner: string): bigint => {
  const token = account?.owner === tokenProgram ? tokenIn(account) : undefined
  return token?.mint === mint && token.owner === owner ? token.amount : 0n
}

const balances = Effect.fnUntraced(function* (
  node: Node.Node,
  find: Find,
  owners: ReadonlyArray<Address>,
  tokens: ReadonlyArray<KnownToken>
) {
  const mints = tokens.flatMap(({ address }) => address ?? [])
  const places = yield* Effect.forEach(owners, (owner) =>
    Effect.forEach(tokens, ({ address }) =>
      address === null ? Effect.succeed<string>(owner) : find(address, owner)
    )
  )
  const told = yield* allAccounts(node, [...mints, ...places.flat()])
  const decimals = new Map(
    mints.map((mint, at) => {
      const account = told[at]
      return [mint, account?.owner === tokenProgram ? mintIn(account)?.decimals : undefined]
    })
  )
  return owners.map((owner, row) =>
    tokens.map((token, column) => {
      const account = told[mints.length + row * tokens.length + column]
      if (token.address === null) return account?.lamports ?? 0n
      if (decimals.get(token.address) !== token.decimals) return undefined
      return amountIn(account, token.address, owner)
    })
  )
})

/** What an owner has of each mint, under either program. */
const listed = Effect.fnUntraced(function* (node: Node.Node, owner: Address) {
  const byMint = new Map<string, bigint>()
  for (const programId of tokenPrograms) {
    const answer = yield* node.call("getTokenAccountsByOwner", [
      owner,
      { programId },
      { commitment: "confirmed", encoding: "base64" }
    ])
    const accounts = keyedAccountsIn(answer)
    if (accounts === undefined) {
      return yield* Node.unavailable(
        node,
        "inconsistent",
        "the node does not list an owner's tokens"
      )
    }
    for (const account of accounts) {
      const { amount = 0n, mint = "" } = tokenIn(account) ?? {}
      if (amount > 0n) byMint.set(mint, (byMint.get(mint) ?? 0n) + amount)
    }
  }
  return [...byMint].map(([mint, balance]) => ({ owner, mint, balance }))
})

/** A mint of this chain does not say what it is called; whoever lists it does. */
const received = Effect.fnUntraced(function* (
  node: Node.Node,
  owners: ReadonlyArray<Address>,
  except: ReadonlyArray<string>
) {
  const { id } = node.connection.chain
  const found = yield* Effect.forEach(owners.slice(0, maxListed), (owner) => listed(node, owner), {
    concurrency: listedAtOnce
  })
  const foreign = found.flat().filter(({ mint }) => !except.includes(mint))
  const mints = [...new Set(foreign.map(({ mint }) => mint))]
  const accounts = yield* allAccounts(node, mints)
  return foreign.flatMap(({ balance, mint, owner }): ReadonlyArray<Foreign> => {
    const account = accounts[mints.indexOf(mint)]
    const decimals = account === undefined ? undefined : mintIn(account)?.decimals
    if (decimals === undefined || decimals > maxDecimals) return []
    const tokenAddress = AddressKeys.keyOf(id, mint)
    return [{ holder: owner, tokenAddress, symbol: "", name: "", decimals, balance }]
  })
})

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<Holdings> =>
  Layer.sync(Holdings, () => {
    const nodes = connections.map(Node.make)
    const finders = new Map<string, (owner: string) => Effect.Effect<string>>()
    const find: Find = (mint, owner) => {
      const known = finders.get(mint) ?? associated(mint)
      finders.set(mint, known)
      return known(owner)
    }
    const on = <A>(
      chainId: string,
      read: (node: Node.Node) => Effect.Effect<A, Parameters<typeof Node.translate>[1]>
    ) => {
      const node = nodes.find(({ connection }) => connection.chain.id === chainId)
      return node === undefined
        ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
        : Effect.mapError(read(node), (failed) => Node.translate(node, failed))
    }
    return {
      balances: (chainId, owners, tokens) =>
        on(chainId, (node) => balances(node, find, owners, tokens)),
      received: (chainId, owners, except) => on(chainId, (node) => received(node, owners, except))
    }
  })
