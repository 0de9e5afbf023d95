/**
 * One look from a place on a Solana chain. Blocks are known by their hashes, transfers by the balances of the vaults
 * that are watched: wherever a balance is not explained by what is recorded, the vault's transactions are listed, again
 * and again until they explain it. Nothing is final on this chain while money is unexplained.
 */
import { DateTime, Effect } from "effect"
import type { AddressKey } from "../../core/chains/address.ts"
import {
  type Block,
  type ChainPosition,
  type ChainUnavailable,
  type ChainUpdate,
  ReorganisedTooDeep,
  type TransferLog,
  type Watched
} from "../../core/ports/chains.ts"
import * as History from "./history.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import * as Snapshot from "./snapshot.ts"
import * as Vault from "./vault.ts"

const maxBlocksPerLook = 200
/** Vaults whose transactions are listed in one look, those that have waited longest first. */
const maxWalks = 64
const walksAtOnce = 8
/** Looks after which money that is still unexplained is told of, and holds finality up no longer. */
const maxTries = 50

/** What one process remembers of its looks; it costs calls to forget, and nothing else. */
export interface Memory {
  readonly kept: History.Kept
  /** By vault: how often its transactions did not explain it at finality. */
  readonly tries: Map<string, number>
  /** By vault: since which look it waits for its transactions to be listed, or waits again. */
  readonly waitsSince: Map<string, number>
  looks: number
  readonly tokenAccountOf: (owner: string) => Effect.Effect<string>
}

const nobody: Watched = { addresses: [], recorded: [], recordedAbove: 0 }

const mayRestart = ({ connection }: Node.Node): boolean => connection.chain.id === "local-solana"

/** The chain as it is confirmed now; undefined while the nodes have not come as far as the place. */
const confirmed = Effect.fnUntraced(function* (
  node: Node.Node,
  tokenAccounts: ReadonlyArray<string>,
  tip: Block
) {
  const taken = (from: Partial<Snapshot.Asked>) =>
    Snapshot.take(node, tokenAccounts, { commitment: "confirmed", ...from })
  return yield* taken({ fromSlot: tip.number + 1, sinceBlock: tip.number }).pipe(
    Effect.catchTag("RpcFailed", (failed) => {
      if (failed.reason !== "behind") return Effect.fail(failed)
      return mayRestart(node) ? taken({ sinceBlock: tip.number }) : Effect.undefined
    })
  )
})

/** The highest of the place's blocks that stands, and whether its hash says so: older ones are final. */
const commonBlock = Effect.fnUntraced(function* (
  node: Node.Node,
  from: ChainPosition,
  { blocks }: Snapshot.Snapshot
) {
  const hashes = new Map(blocks.map(({ hash, number }) => [number, hash]))
  const oldest = blocks[0]?.number ?? 0
  const common = from.blocks.findLast(
    ({ hash, number }) => number < oldest || hashes.get(number) === hash
  )
  if (common !== undefined) return { block: common, isSure: common.number >= oldest }
  const oldestKnown = from.blocks[0]?.number ?? 0
  return yield* new ReorganisedTooDeep({ chainId: node.connection.chain.id, oldestKnown })
})

/** As many are derived as take few milliseconds, before others have their turn. */
const derivedAtOnce = 32

const tokenAccountsOf = (memory: Memory, addresses: Watched["addresses"]) =>
  Effect.forEach(addresses, ({ address }, at) =>
    at % derivedAtOnce === derivedAtOnce - 1
      ? Effect.andThen(Effect.yieldNow, memory.tokenAccountOf(address))
      : memory.tokenAccountOf(address)
  )

const walkAll = Effect.fnUntraced(function* (
  node: Node.Node,
  memory: Memory,
  vaults: ReadonlyArray<Vault.Vault>
) {
  for (const { settled } of vaults) memory.waitsSince.set(settled.address, memory.looks)
  return yield* Effect.forEach(vaults, (vault) => Vault.walk(node, memory.kept, vault), {
    concurrency: walksAtOnce
  })
})

interface Studied {
  readonly vault: Vault.Vault
  /** At the newest final slot. */
  readonly final: Vault.Held
  /** Left out where the records explain the vault alone. */
  readonly walked?: Vault.Walked | undefined
  /** Whether it is known what all it held at the final slot came from. */
  readonly isExplained: boolean
}

/** What is not explained by the records is listed; what waited longest comes first, and the rest waits on. */
const study = Effect.fnUntraced(function* (
  node: Node.Node,
  memory: Memory,
  active: ReadonlyArray<readonly [Vault.Vault, Vault.Held]>,
  { recordedAbove }: Watched,
  isDoubtful: (vault: Vault.Vault) => boolean
) {
  const unclear = active
    .filter(
      ([vault, final]) =>
        isDoubtful(vault) ||
        vault.settled.hasPaid === true ||
        !Vault.isExplained(vault, vault.now) ||
        !Vault.isExplained(vault, final)
    )
    .map(([vault]) => vault)
  const isUnclear = new Set(unclear)
  for (const { settled } of unclear) {
    if (!memory.waitsSince.has(settled.address))
      memory.waitsSince.set(settled.address, memory.looks)
  }
  const since = ({ settled }: Vault.Vault) => memory.waitsSince.get(settled.address) ?? memory.looks
  const chosen = unclear.toSorted((one, other) => since(one) - since(other)).slice(0, maxWalks)
  const walks = yield* walkAll(node, memory, chosen)
  const byVault = new Map(walks.map((walked) => [walked.vault, walked]))
  return active.map(([vault, final]): Studied => {
    const walked = byVault.get(vault)
    const isExplained =
      walked === undefined
        ? !isUnclear.has(vault)
        : Vault.isExplainedBy(walked, final) && Vault.isListed(walked, recordedAbove)
    return { vault, final, walked, isExplained }
  })
})

/** Blocks above a number with their times: those of their transfers, else of the block before, which is never later. */
const blocksAbove = (
  snapshot: Snapshot.Snapshot,
  above: number,
  since: DateTime.Utc,
  movements: ReadonlyArray<History.Movement>
): ReadonlyArray<Block> => {
  const times = new Map(movements.map(({ at, slot }) => [slot, at]))
  let timestamp = since
  return snapshot.blocks
    .filter(({ number }) => number > above)
    .slice(0, maxBlocksPerLook)
    .map((block) => {
      const isNewest = block.number === snapshot.newest.number
      const own = times.get(block.number) ?? (isNewest ? snapshot.newest.timestamp : timestamp)
      timestamp = DateTime.max(timestamp, own)
      return { ...block, timestamp }
    })
}

const inChainOrder = (one: TransferLog, other: TransferLog): number =>
  one.block.number - other.block.number || one.logIndex - other.logIndex

/** What came since, and what of before was not known. */
const transfersIn = (
  studied: ReadonlyArray<Studied>,
  commonNumber: number,
  blocks: ReadonlyMap<number, Block>,
  upTo: number
): ReadonlyArray<TransferLog> =>
  studied
    .flatMap(({ vault, walked }) =>
      (walked?.history.movements ?? [])
        .filter(({ deltaMicro, slot }) => deltaMicro > 0n && slot <= upTo)
        .filter((each) => each.slot > commonNumber || !Vault.isRecorded(vault, each))
        .map(
          (each): TransferLog => ({
            txHash: each.txHash,
            logIndex: each.index,
            block: blocks.get(each.slot) ?? {
              number: each.slot,
              hash: String(each.slot),
              timestamp: each.at
            },
            from: each.from,
            to: vault.settled.address,
            amountMicro: History.amountMicro(each),
            references: each.references,
            ...(each.signedAs === undefined ? {} : { signedAs: each.signedAs })
          })
        )
    )
    .sort(inChainOrder)

/** Counts how often each vault stayed unexplained, and gives back those that hold finality up, and those to tell of. */
const finalityOf = (memory: Memory, studied: ReadonlyArray<Studied>) => {
  const holding: Array<Vault.Vault> = []
  const unexplained: Array<AddressKey> = []
  for (const { isExplained, vault, walked } of studied) {
    const { address } = vault.settled
    if (isExplained) {
      memory.tries.delete(address)
      memory.waitsSince.delete(address)
      continue
    }
    const tries = (memory.tries.get(address) ?? 0) + (walked === undefined ? 0 : 1)
    memory.tries.set(address, tries)
    if (tries <= maxTries) holding.push(vault)
    if (tries === maxTries && walked !== undefined) unexplained.push(address)
  }
  return {
    finalAtMost: holding.reduce(
      (number, { settled }) => Math.min(number, settled.number),
      Number.MAX_SAFE_INTEGER
    ),
    except: holding.map(({ settled }) => settled.address),
    unexplained
  }
}

/** Those of which a list that is behind tells less than what they hold. */
const notYetListed = (studied: ReadonlyArray<Studied>): ReadonlyArray<AddressKey> =>
  studied.flatMap(({ vault, walked }) =>
    walked === undefined || Vault.isExplainedBy(walked, vault.now) ? [] : vault.settled.address
  )

/**
 * Where everything recorded stands that is still in doubt after the walk: it is dropped, and told again if it stands.
 * What is further back than all that is recorded waits as unexplained: what is dropped with it could not be told again.
 */
const lowest = (
  studied: ReadonlyArray<Studied>,
  common: number,
  { recordedAbove }: Watched
): number =>
  studied
    .flatMap(({ walked }) => (walked === undefined ? [] : Vault.unlisted(walked).gone))
    .filter(({ blockNumber }) => blockNumber > recordedAbove)
    .reduce((number, { blockNumber }) => Math.min(number, blockNumber - 1), common)

const once = Effect.fnUntraced(function* (
  node: Node.Node,
  memory: Memory,
  from: ChainPosition
): Effect.fn.Return<ChainUpdate, RpcFailed | ChainUnavailable | ReorganisedTooDeep> {
  const watched = from.watched ?? nobody
  const { addresses } = watched
  const tip = from.blocks.at(-1)
  if (tip === undefined) return yield* Effect.die(new Error("A place has at least one block."))
  memory.looks++
  const tokenAccounts = yield* tokenAccountsOf(memory, addresses)
  const snapshot = yield* confirmed(node, tokenAccounts, tip)
  const lagging = { head: tip.number, commonNumber: tip.number, finalNumber: 0, atHead: true }
  if (snapshot === undefined) return { ...lagging, blocks: [], transfers: [] }
  const common = yield* commonBlock(node, from, snapshot)
  const { usdc } = node.connection
  const heldOf = (seen: Snapshot.Seen | undefined, owner: AddressKey | undefined) =>
    Vault.heldIn(seen ?? { slot: 0, account: undefined }, usdc, owner ?? ("" as AddressKey))
  const vaults = Vault.vaultsOf(watched, tokenAccounts, (at) =>
    heldOf(snapshot.seen[at], addresses[at]?.address)
  )
  const active = vaults.filter(Vault.isActive)
  const final = yield* Snapshot.take(
    node,
    active.map(({ tokenAccount }) => tokenAccount),
    { commitment: "finalized" }
  )
  const atFinality = active.map(
    (vault, at) => [vault, heldOf(final.seen[at], vault.settled.address)] as const
  )
  const isAbove = (number: number) => (vault: Vault.Vault) =>
    vault.recorded.some(({ blockNumber }) => blockNumber > number)
  const doubtful = common.isSure ? common.block.number : -1
  const first = yield* study(node, memory, atFinality, watched, isAbove(doubtful))
  const commonNumber = lowest(first, common.block.number, watched)
  // What is dropped with it is told again by its own vault.
  const studied =
    commonNumber < common.block.number
      ? yield* study(node, memory, atFinality, watched, isAbove(commonNumber))
      : first
  // An answer of a node that is behind tells of an earlier slot.
  const heldThrough = vaults.reduce((slot, { now }) => Math.min(slot, now.slot), snapshot.slot)
  return newsOf(memory, { from, snapshot, final, studied, commonNumber, heldThrough })
})

interface Told {
  readonly from: ChainPosition
  readonly snapshot: Snapshot.Snapshot
  readonly final: Snapshot.Snapshot
  readonly studied: ReadonlyArray<Studied>
  readonly commonNumber: number
  /** The slot at which it was told of every vault what it held. */
  readonly heldThrough: number
}

const newsOf = (
  memory: Memory,
  { commonNumber, final, from, heldThrough, snapshot, studied }: Told
): ChainUpdate => {
  const movements = studied.flatMap(({ walked }) => walked?.history.movements ?? [])
  const since = from.blocks.findLast(({ number }) => number <= commonNumber)?.timestamp
  const blocks = blocksAbove(snapshot, commonNumber, since ?? DateTime.makeUnsafe(0), movements)
  const top = blocks.at(-1)?.number ?? commonNumber
  const { except, finalAtMost, unexplained } = finalityOf(memory, studied)
  const settled = studied.flatMap(({ final, isExplained, vault }) =>
    isExplained && final.slot <= top ? Vault.settledAt(vault, final) : []
  )
  const byNumber = new Map(blocks.map((block) => [block.number, block]))
  return {
    head: snapshot.newest.number,
    commonNumber,
    blocks,
    transfers: transfersIn(studied, commonNumber, byNumber, top),
    finalNumber: Math.min(final.newest.number, finalAtMost),
    known: {
      through: studied.reduce(
        (number, { final: { slot } }) => Math.min(number, slot),
        Math.min(final.newest.number, heldThrough, top)
      ),
      except: [...except, ...notYetListed(studied)]
    },
    atHead: top >= snapshot.newest.number,
    ...(settled.length === 0 ? {} : { settled }),
    ...(unexplained.length === 0 ? {} : { unexplained })
  }
}

const repeatsWhenInconsistent = 3

export const look = (
  node: Node.Node,
  memory: Memory,
  from: ChainPosition
): Effect.Effect<ChainUpdate, ChainUnavailable | ReorganisedTooDeep> =>
  once(node, memory, from).pipe(
    Effect.catchTag("RpcFailed", (failed) => Effect.fail(Node.translate(node, failed))),
    Effect.retry({
      times: repeatsWhenInconsistent,
      while: (failed) => failed._tag === "ChainUnavailable" && failed.reason === "inconsistent"
    })
  )
