/** What vaults pay in a year, from what the chain says: Aave tells its rate, others show it by how a share grew. */
import { DateTime, Effect } from "effect"
import * as Decimal from "../../core/money/decimal.ts"
import type { VaultReference } from "../../core/ports/yield-positions.ts"
import type * as Block from "./block.ts"
import { keyOf } from "./contract.ts"
import * as Described from "./described.ts"
import * as Multicall from "./multicall.ts"
import * as Node from "./node.ts"
import * as Reads from "./vault-reads.ts"

/** Nodes keep the state of a hundred blocks and more without an archive; a young vault was not there that long ago. */
const blocksBack = [100, 30, 10]
/** Growth over less time says nothing about a year. */
const minSeconds = 10
/** So many shares that a growth of a ten-thousandth of a millionth shows. */
const manyShares = 10n ** 30n
const yearSeconds = 31_536_000
const ray = 1e27

/** An estimate that is shown, and never money: a float is good enough, and what is absurd is left out. */
const percent = (ratio: number): Decimal.Decimal | undefined => {
  const pct = ratio * 100
  if (!Number.isFinite(pct) || pct <= 0 || pct > 10_000) return undefined
  return Decimal.parse(pct.toFixed(4))
}

const addressIn = (answer: string | undefined): string | undefined =>
  answer !== undefined && /^0x0{24}[0-9a-f]{40}$/iu.test(answer)
    ? keyOf(`0x${answer.slice(26)}`)
    : undefined

const aaveRates = Effect.fnUntraced(function* (
  node: Node.Node,
  vaults: ReadonlyArray<VaultReference>,
  together: boolean
) {
  const pools = yield* Multicall.readAll(
    node,
    vaults.map(({ address }) => Reads.poolOf(address)),
    together
  )
  // Where there is no pool, the vault itself is asked and does not know the question.
  const reserves = yield* Multicall.readAll(
    node,
    vaults.map(({ address, asset }, at) => Reads.reserveOf(addressIn(pools[at]) ?? address, asset)),
    together
  )
  return reserves.map((answer) => {
    const rate = Described.number(`0x${(answer ?? "0x").slice(2 + 64 * 2)}`)
    return rate === undefined
      ? undefined
      : percent((1 + Number(rate) / ray / yearSeconds) ** yearSeconds - 1)
  })
})

const sharePrices = (vaults: ReadonlyArray<VaultReference>, block: number) =>
  vaults.map(({ address }) => ({
    method: "eth_call",
    params: [Reads.convertToAssets(address, manyShares), `0x${block.toString(16)}`],
    mayRevert: true
  }))

/** What a share was worth at some blocks, the newest last, and when they were; a block that the node has not is left out. */
const history = Effect.fnUntraced(function* (
  node: Node.Node,
  vaults: ReadonlyArray<VaultReference>,
  numbers: ReadonlyArray<number>
) {
  const headers = yield* Node.headers(node, numbers)
  const answers = yield* node.ask(numbers.flatMap((number) => sharePrices(vaults, number)))
  return headers.flatMap((header, at) =>
    header === undefined
      ? []
      : [
          {
            atMs: DateTime.toEpochMillis(header.block.timestamp),
            worth: answers.slice(at * vaults.length, (at + 1) * vaults.length).map(Described.number)
          }
        ]
  )
})

const grownRates = Effect.fnUntraced(function* (
  node: Node.Node,
  vaults: ReadonlyArray<VaultReference>,
  head: Block.Header["block"]
) {
  const numbers = blocksBack.map((back) => Math.max(0, head.number - back))
  // A node without that state knows the present only, and nothing is lost but an estimate.
  const asked = history(node, vaults, [...new Set([...numbers, head.number])])
  const told = yield* Effect.catchTag(asked, "RpcFailed", () => Effect.succeed([]))
  const last = told.at(-1)
  return vaults.map((_, at) => {
    // The oldest block at which the vault was there already.
    const first = told.find(({ worth }) => (worth[at] ?? 0n) > 0n)
    const [then, now] = [first?.worth[at], last?.worth[at]]
    if (first === undefined || last === undefined || then === undefined) return undefined
    const seconds = (last.atMs - first.atMs) / 1000
    if (now === undefined || now <= then || seconds < minSeconds) return undefined
    const growth = Number(((now - then) * 10n ** 18n) / then) / 1e18
    return percent((1 + growth) ** (yearSeconds / seconds) - 1)
  })
})

/** In the order asked; undefined where the chain does not tell. */
export const apyOf = Effect.fnUntraced(function* (
  node: Node.Node,
  vaults: ReadonlyArray<VaultReference>,
  head: Block.Header["block"],
  together: boolean
) {
  const ofKind = (kind: VaultReference["kind"]) => vaults.filter((vault) => vault.kind === kind)
  const [lent, grown] = [ofKind("aave_v3"), ofKind("erc4626")]
  const [lentRates, grownBy] = yield* Effect.all(
    [
      lent.length === 0 ? Effect.succeed([]) : aaveRates(node, lent, together),
      grown.length === 0 ? Effect.succeed([]) : grownRates(node, grown, head)
    ],
    { concurrency: 2 }
  )
  const byVault = new Map<VaultReference, Decimal.Decimal | undefined>([
    ...lent.map((vault, at) => [vault, lentRates[at]] as const),
    ...grown.map((vault, at) => [vault, grownBy[at]] as const)
  ])
  return vaults.map((vault) => byVault.get(vault))
})
