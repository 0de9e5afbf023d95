/**
 * One watched vault at one look: what the records say of it, what it holds, and whether the one explains the other.
 * Only a balance that is explained at a final block is settled.
 */
import { Effect } from "effect"
import type { AddressKey } from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type {
  ChainUnavailable,
  RecordedTransfer,
  SettledBalance,
  Watched
} from "../../core/ports/chains.ts"
import { tokenIn, tokenProgram } from "./account.ts"
import * as History from "./history.ts"
import type * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import type { Seen } from "./snapshot.ts"

/** What an account held at the end of a slot. */
export interface Held {
  readonly slot: number
  readonly micro: bigint
}

export interface Vault {
  readonly settled: SettledBalance
  readonly tokenAccount: string
  /** What is recorded of it since it was settled. */
  readonly recorded: ReadonlyArray<RecordedTransfer>
  readonly now: Held
}

/** Anything but USDC of this owner, under the classic program, is nothing. */
export const heldIn = ({ account, slot }: Seen, mint: string, owner: AddressKey): Held => {
  const token = account?.owner === tokenProgram ? tokenIn(account) : undefined
  const isOurs = token?.mint === mint && token.owner === owner
  return { slot, micro: isOurs ? token.amount : 0n }
}

export const vaultsOf = (
  { addresses, recorded }: Watched,
  tokenAccounts: ReadonlyArray<string>,
  heldAt: (at: number) => Held
): ReadonlyArray<Vault> => {
  const byVault = Map.groupBy(recorded, ({ to }) => to)
  return addresses.map((settled, at) => ({
    settled,
    tokenAccount: tokenAccounts[at] ?? "",
    recorded: (byVault.get(settled.address) ?? []).filter(
      ({ blockNumber }) => blockNumber > settled.number
    ),
    now: heldAt(at)
  }))
}

/** Whether there is anything to do for it. */
export const isActive = ({ now, recorded, settled }: Vault): boolean =>
  recorded.length > 0 || now.micro !== settled.heldMicro || settled.hasPaid === true

/** Whether what is recorded explains what it held. */
export const isExplained = ({ recorded, settled }: Vault, held: Held): boolean => {
  const received = recorded
    .filter(({ blockNumber }) => blockNumber <= held.slot)
    .reduce((sum, { amountMicro }) => sum + amountMicro, 0n)
  return settled.heldMicro + received === held.micro
}

/** A vault whose transactions were listed, as the records alone do not explain it. */
export interface Walked {
  readonly vault: Vault
  readonly history: History.History
}

const nothing: History.History = { movements: [], isWhole: false }

/** Lists its transactions since it was settled; a node that is behind tells none of them. */
export const walk = (
  node: Node.Node,
  kept: History.Kept,
  vault: Vault
): Effect.Effect<Walked, RpcFailed | ChainUnavailable> => {
  const span = { sinceSlot: vault.settled.number, fromSlot: vault.now.slot }
  return History.read(node, kept, vault.tokenAccount, span).pipe(
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "behind" ? Effect.succeed(nothing) : Effect.fail(failed)
    ),
    Effect.map((history) => ({ vault, history }))
  )
}

/** Whether its transactions explain what it held. */
export const isExplainedBy = ({ history, vault }: Walked, held: Held): boolean =>
  history.isWhole &&
  vault.settled.heldMicro + History.sumTo(history.movements, held.slot) === held.micro

const isSame = (movement: History.Movement, { blockNumber, logIndex, txHash }: RecordedTransfer) =>
  movement.txHash === txHash && movement.index === logIndex && movement.slot === blockNumber

/** Whether a movement is recorded as it stands. */
export const isRecorded = ({ recorded }: Vault, movement: History.Movement): boolean =>
  recorded.some((each) => isSame(movement, each))

/**
 * What is recorded and not listed as it stands: gone when it is listed in another slot, or when the others explain
 * the balance without it; missing while neither is known.
 */
export const unlisted = (walked: Walked) => {
  const { history, vault } = walked
  const absent = vault.recorded.filter(
    (each) => !history.movements.some((movement) => isSame(movement, each))
  )
  const isWithout = isExplainedBy(walked, vault.now)
  const moved = ({ txHash }: RecordedTransfer) =>
    history.movements.some((movement) => movement.txHash === txHash)
  const gone = absent.filter((each) => isWithout || moved(each))
  return { gone, missing: absent.filter((each) => !gone.includes(each)) }
}

/** Whether all that is recorded is listed, or dropped by this look: that reaches no further back than a block. */
export const isListed = (walked: Walked, recordedAbove: number): boolean => {
  const { gone, missing } = unlisted(walked)
  return missing.length === 0 && gone.every(({ blockNumber }) => blockNumber > recordedAbove)
}

/** What it held at a final block, when that says anything new. */
export const settledAt = (
  { recorded, settled }: Vault,
  held: Held
): ReadonlyArray<SettledBalance> => {
  const isNews =
    held.micro !== settled.heldMicro ||
    settled.hasPaid === true ||
    recorded.some(({ blockNumber }) => blockNumber <= held.slot)
  return isNews && held.slot > settled.number
    ? [{ address: settled.address, number: held.slot, heldMicro: Usdc.make(held.micro) }]
    : []
}
