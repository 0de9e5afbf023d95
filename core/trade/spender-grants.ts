/**
 * The list of who may take what from the account's wallets. It is read from the chains at every call; a
 * chain that is away is named, so that a grant that is not listed is never taken for one that is not there.
 */

import { Effect, Schema } from "effect"
import * as Address from "../chains/address.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { Chains } from "../ports/chains.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as Grant from "./grant.ts"

/** Wallets asked about at once, and at most for one page: vaults may be many and have allowed nothing. */
const walletsAtOnce = 100
const maxWalletsAllowed = 200
const approvalsRemembered = 100

const permissionIn = ({ terms }: Proposal) => ({
  owner: Address.keyOf(String(terms.chainId), String(terms.fromAddress)),
  token: Address.keyOf(String(terms.chainId), String(terms.tokenAddress)),
  spender: Address.keyOf(String(terms.chainId), String(terms.spender))
})

/** When our own approvals were given, the newest of each; older logs than the newest blocks are not sought. */
const remembered = Effect.fnUntraced(function* (accountId: string) {
  const filter = { kind: "token_approve", status: "completed" } as const
  const { rows } = yield* (yield* Proposals).list(accountId, filter, { limit: approvalsRemembered })
  return new Map(
    rows.toReversed().map((proposal): readonly [string, Grant.Origin] => {
      const last = proposal.txHashes.at(-1)
      const chainId = String(proposal.terms.chainId)
      const txHash = last === undefined ? null : Address.transactionKeyOf(chainId, last)
      return [Grant.keyOf(permissionIn(proposal)), { at: proposal.updatedAt, txHash }]
    })
  )
})

/** The grants of some wallets, in the order of the list, and the chains that did not tell all of theirs. */
const grantsOf = Effect.fnUntraced(function* (
  wallets: ReadonlyArray<Wallet>,
  origins: ReadonlyMap<string, Grant.Origin>
) {
  const { connected } = yield* Chains
  const withGrants = wallets.filter(({ chainId }) => Address.familyOf(chainId).takesApprovals)
  const told = yield* Effect.forEach(
    Map.groupBy(withGrants, ({ chainId }) => chainId),
    Effect.fnUntraced(function* ([chainId, some]) {
      const connection = connected.find(({ chain }) => chain.id === chainId)
      return connection === undefined
        ? { chainId, rows: [], isWhole: false }
        : { chainId, ...(yield* Grant.on(connection, some, origins)) }
    }),
    { concurrency: "unbounded" }
  )
  return {
    rows: told.flatMap(({ rows }) => rows).sort(Page.newestFirst),
    away: told.filter(({ isWhole }) => !isWhole).map(({ chainId }) => chainId)
  }
})

/** Asks wallet after wallet until the page is full, the wallets end or enough of them were asked about. */
const page = Effect.fnUntraced(function* (accountId: string, { after, limit }: Page.Request) {
  const wallets = yield* Wallets
  const origins = yield* remembered(accountId)
  const rows: Array<Grant.Row> = []
  const away = new Set<string>()
  let place = after
  for (let asked = 0; asked < maxWalletsAllowed; asked += walletsAtOnce) {
    const request = { limit: walletsAtOnce, ...(place === undefined ? {} : { after: place }) }
    // A grant's place stands before its wallet's, so the wallet of the last one is asked about again.
    const some = yield* wallets.list(accountId, {}, request)
    const told = yield* grantsOf(some.rows, origins)
    for (const chainId of told.away) away.add(chainId)
    rows.push(...told.rows.filter((row) => after === undefined || Page.isAfter(row, after)))
    place = some.next
    if (place === undefined || rows.length > limit) break
  }
  const cut = Page.cut(rows, limit)
  const next = cut.next ?? place
  return { rows: cut.rows, away, ...(next === undefined ? {} : { next }) }
})

export const listTokenSpenderGrants = Operation.make("list_token_spender_grants", {
  summary: "Lists the active ERC-20 approvals: wallet, token, spender and amount.",
  next: 'Check spenders without a label and unlimited approvals. propose_token_approve changes what a flow\'s spender may take of a listed token; amountSmallestUnit "0" revokes it. unavailableChainIds lists chains that are missing.',
  scope: "balances:read",
  input: Page.input,
  output: {
    token_spender_grants: Schema.Array(Schema.Struct(Grant.fields)),
    unavailableChainIds: Schema.Array(Schema.String).annotate({
      description: "Chains that did not respond; their grants may be missing from this page."
    }),
    ...Page.output
  },
  handle: Effect.fnUntraced(function* (input) {
    const { accountId } = yield* Caller
    const found = yield* page(accountId, yield* Page.request(input))
    return {
      token_spender_grants: found.rows.map(({ grant }) => grant),
      unavailableChainIds: [...found.away].sort(),
      ...Page.answer(found)
    }
  })
})
