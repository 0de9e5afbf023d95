/** What vaults pay in a year, from what the chain says: Aave tells its rate, others show it by how a share grew. */
import { Effect } from "effect"
import * as Decimal from "../../core/money/decimal.ts"
import type { VaultReference } from "../../core/ports/yield-positions.ts"
import type * as Block from "./block.ts"
import { keyOf } from "./contract.ts"
import * as Described from "./described.ts"
import * as Multicall from "./multicall.ts"
import * as Node from "./node.ts"
import * as Reads from "./vault-reads.ts"

/** Nodes keep the state of so many blocks without an archive. */
const blocksBack = 100
/** Growth over less time says nothing about a year. */
const leastSeconds = 20
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

const grownRates = Effect.fnUntraced(function* (
  node: Node.Node,
  vaults: ReadonlyArray<VaultReference>,
  head: Block.Header["block"]
) {
  const past = Math.max(0, head.number - blocksBack)
  const asked = Effect.gen(function* () {
    const [before] = yield* Node.headers(node, [past])
    const answers = yield* node.ask([
      ...sharePrices(vaults, past),
      ...sharePrices(vaults, head.number)
    ])
    return { before, numbers: answers.map(Described.number) }
  })
  // A node without that state knows the present only, and nothing is lost but an estimate.
  const found = yield* Effect.catchTag(asked, "RpcFailed", () => Effect.undefined)
  const seconds =
    (head.timestamp.epochMilliseconds - (found?.before?.block.timestamp.epochMilliseconds ?? 0)) /
    1000
  return vaults.map((_, at) => {
    const [then, now] = [found?.numbers[at], found?.numbers[vaults.length + at]]
    if (found?.before === undefined || then === undefined || now === undefined) return undefined
    if (then === 0n || now <= then || seconds < leastSeconds) return undefined
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
