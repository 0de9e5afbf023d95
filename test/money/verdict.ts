/**
 * What a scene came to: the raw tables against the chain's own logs. A double is a transfer beyond the one
 * its send stands for, a denied one is of a send that says it was not paid, a loss is a completed send
 * without its transfer, and a stuck one has not ended.
 */
import type { Scene } from "./scene.ts"

export interface Verdict {
  readonly sends: number
  readonly double: number
  readonly denied: number
  readonly lost: number
  readonly stuck: number
  /** Proposals whose reservation does not stand as they do. */
  readonly contradictions: number
  readonly driftMicro: bigint
}

export const verdict = async ({ account, database, chain, payees }: Scene): Promise<Verdict> => {
  const [live, unpaid, nonces, paid, uses] = await Promise.all([
    database.live(),
    database.unpaid(),
    database.nonces(),
    chain.paidFrom(account.address),
    chain.usesOf(account.address)
  ])
  const completed = live.filter(({ status }) => status === "completed")
  const usesFor = (id: string) => uses.get(nonces.get(id) ?? "") ?? 0
  const isPaid = ({ amount, id, txHashes }: (typeof completed)[number]) =>
    usesFor(id) === 1 &&
    txHashes.length === 1 &&
    paid.some(
      (each) =>
        each.txHash === txHashes[0] &&
        each.amountMicro === BigInt(amount) &&
        payees.includes(each.to)
    )
  const usesForAll = (ids: ReadonlyArray<string>) => ids.reduce((sum, id) => sum + usesFor(id), 0)
  const settled = completed.filter(isPaid)
  const underWay = live.filter(({ status }) => status === "executing").map(({ id }) => id)
  const denied = usesForAll(unpaid)
  return {
    sends: completed.length,
    double: paid.length - settled.length - denied - usesForAll(underWay),
    denied,
    lost: completed.length - settled.length,
    stuck: underWay.length,
    contradictions: (await database.contradictions()).length,
    driftMicro: await database.driftMicro()
  }
}

/** Of several scenes together. */
export const together = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  verdicts.reduce((one, other) => ({
    sends: one.sends + other.sends,
    double: one.double + other.double,
    denied: one.denied + other.denied,
    lost: one.lost + other.lost,
    stuck: one.stuck + other.stuck,
    contradictions: one.contradictions + other.contradictions,
    driftMicro: one.driftMicro + other.driftMicro
  }))

export const holds = (verdict: Verdict): boolean =>
  verdict.sends > 0 &&
  verdict.double === 0 &&
  verdict.denied === 0 &&
  verdict.lost === 0 &&
  verdict.stuck === 0 &&
  verdict.contradictions === 0 &&
  verdict.driftMicro === 0n

export const told = (verdict: Verdict): string =>
  `${verdict.sends} sends completed: ${verdict.double} double, ${verdict.denied} paid though failed, ` +
  `${verdict.lost} lost, ${verdict.stuck} stuck; ${verdict.contradictions} reservations out of step, ` +
  `drift ${verdict.driftMicro}`
