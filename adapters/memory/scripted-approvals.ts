/**
 * Who may take what on a scripted chain, read from the approvals in its blocks: the last one counts, a
 * wallet's permits are counted, and a block that is dropped takes its approvals with it.
 */
import type { DateTime } from "effect"
import type { TransactionId } from "../../core/chains/address.ts"
import type { Permission } from "../../core/ports/holdings.ts"

/** An approval in a block; by a permit, or by the owner's own transaction. */
export interface Approval extends Permission {
  readonly txHash: TransactionId
  readonly amount: bigint
  readonly isPermit: boolean
}

/** An approval as a script makes it. */
export interface Approving {
  readonly owner: string
  readonly spender: string
  readonly amount: bigint
  /** Default: the chain's USDC; any other address is a token from its first approval on. */
  readonly token?: string
  readonly chainId?: string
}

/** As much of a scripted chain as approvals are read from. */
export interface Chain {
  readonly connected: { readonly usdc: string }
  readonly others?: ReadonlyMap<string, unknown>
  readonly blocks: ReadonlyArray<{
    readonly timestamp: DateTime.Utc
    readonly approvals: ReadonlyArray<Approval>
  }>
}

const isOf =
  ({ owner, spender, token }: Permission) =>
  (approval: Permission): boolean =>
    approval.owner === owner && approval.spender === spender && approval.token === token

const approvalsOf = (chain: Chain): ReadonlyArray<Approval> =>
  chain.blocks.flatMap((block) => block.approvals)

/** How many permits of the owner the token has taken up to a block. */
export const permitsOf = (chain: Chain, owner: string, upTo = chain.blocks.length - 1): number =>
  chain.blocks
    .slice(0, upTo + 1)
    .flatMap((block) => block.approvals)
    .filter((approval) => approval.isPermit && approval.owner === owner).length

/** What a permission amounts to; undefined for what was never a token. */
export const current = (chain: Chain, permission: Permission): bigint | undefined => {
  const approvals = approvalsOf(chain)
  const isToken =
    permission.token === chain.connected.usdc ||
    chain.others?.has(permission.token) === true ||
    approvals.some(({ token }) => token === permission.token)
  return isToken ? (approvals.findLast(isOf(permission))?.amount ?? 0n) : undefined
}

/** The last approval of each permission of an owner, with its block's time. */
export const lastOf = (
  chain: Chain,
  owner: string
): ReadonlyArray<Approval & { readonly at: DateTime.Utc }> => {
  const all = chain.blocks.flatMap((block) =>
    block.approvals.map((approval) => ({ ...approval, at: block.timestamp }))
  )
  return all.filter(
    (approval, index) => approval.owner === owner && all.findLastIndex(isOf(approval)) === index
  )
}
