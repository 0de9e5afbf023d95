/**
 * I2 and I3 of what wallets send for themselves with lent gas: a process is killed with SIGKILL at each step of an
 * approval, a revocation and the cancellation of an order. Each is made once, its gas is lent once, and an order that
 * is cancelled while somebody fills it was sold once or not at all.
 */
import * as Child from "../kill/child.ts"
import { labelOf, type Point } from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import { dealt, type Figure, type Part, type Run } from "./part.ts"
import { called, openScene, type Replica, type Scene } from "./swap-scene.ts"

/** A little longer than a process may hold a submission. */
const leaseMs = 61_000

const lent = ["EvmRelay.lend", "SubmissionStore.save"]
const signed = ["EvmRelay.signCall", "SubmissionStore.save"]
const handedOver = ["EvmRelay.signCall", "EvmRelay.broadcast"]

/** Before and after each write of the journal, each loan, each signature, each hand-over. */
const calling: ReadonlyArray<Point> = [
  { call: "EvmRelay.standing", edge: "after" },
  { call: "EvmRelay.tryCall", edge: "before" },
  { call: "EvmRelay.tryCall", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.tryCall" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.tryCall" },
  { call: "SubmissionStore.open", edge: "after", since: "EvmRelay.tryCall" },
  { call: "EvmRelay.lend", edge: "before" },
  { call: "EvmRelay.lend", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.lend" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.lend" },
  { call: "EvmRelay.broadcast", edge: "before", since: lent },
  { call: "EvmRelay.broadcast", edge: "after", since: "EvmRelay.lend" },
  { call: "EvmRelay.signCall", edge: "before" },
  { call: "EvmRelay.signCall", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "EvmRelay.signCall" },
  { call: "SubmissionStore.save", edge: "after", since: "EvmRelay.signCall" },
  { call: "EvmRelay.broadcast", edge: "before", since: signed },
  { call: "EvmRelay.broadcast", edge: "after", since: "EvmRelay.signCall" },
  { call: "SubmissionStore.save", edge: "before", since: handedOver },
  { call: "SubmissionStore.save", edge: "after", since: handedOver },
  { call: "EvmRelay.traceNonce", edge: "after", since: handedOver }
]

/** The end of an approval, which ends its proposal. */
const ending: ReadonlyArray<Point> = [
  { call: "EvmRelay.answers", edge: "after" },
  { call: "Proposals.move", edge: "after", since: "EvmRelay.signCall" },
  { call: "Atomically.run", edge: "inside", within: "Proposals.move", since: "EvmRelay.signCall" },
  { call: "Atomically.run", edge: "after", within: "Proposals.move", since: "EvmRelay.signCall" }
]

type Act = "approve" | "revoke" | "cancel"

interface Death {
  readonly act: Act
  readonly point: Point
}

const deaths: ReadonlyArray<Death> = [
  ...[...calling, ...ending].flatMap(
    (point): ReadonlyArray<Death> => [
      { act: "approve", point },
      { act: "revoke", point }
    ]
  ),
  ...calling.map((point): Death => ({ act: "cancel", point }))
]

interface Lane {
  readonly scene: Scene
  service: Replica
  offsetMs: number
  next: number
}

const passes = async (lane: Lane, laterMs: number) => {
  lane.offsetMs += laterMs
  await lane.scene.chain.call("evm_increaseTime", laterMs / 1000)
  await lane.scene.chain.call("anvil_mine", 1)
}

const approved = async ({ scene, service }: Lane, units: string): Promise<string> => {
  const { proposalId } = await called(scene, service, "propose_token_approve", {
    ...{ fromWalletId: scene.account.walletId, tokenAddress: scene.chain.weth },
    ...{ flow: "intent_swap", amountSmallestUnit: units }
  })
  return proposalId
}

const proposedSwap = async ({ scene, service }: Lane, cents: number): Promise<string> => {
  const { account, chain } = scene
  const { proposalId } = await called(scene, service, "propose_swap", {
    fromWalletId: account.walletId,
    ...{ sellSymbol: "USDC", sellTokenAddress: chain.usdc },
    ...{ buySymbol: "WETH", buyTokenAddress: chain.weth },
    amountUsd: (cents / 100).toFixed(2)
  })
  return proposalId
}

/** A process that has only just started may not know prices yet, and says that the call may be repeated. */
const confirmed = ({ scene, service }: Lane, proposalId: string) =>
  until("it is confirmed", () =>
    called(scene, service, "confirm_proposal", { proposalId }).catch((error: Error) => {
      if (!error.message.startsWith("PRICE_")) throw error
      return undefined
    })
  )

/** An order that is out and that nobody fills. */
const ordered = async (lane: Lane): Promise<string> => {
  const { orders } = lane.scene.chain.book
  const before = orders.size
  const proposalId = await proposedSwap(lane, lane.next)
  await confirmed(lane, proposalId)
  await until("its order is placed", async () => (orders.size > before ? true : undefined))
  return proposalId
}

const ended = async (lane: Lane, proposalId: string) => {
  let asked = 0
  return until(`${proposalId} has ended`, async () => {
    const { scene, service } = lane
    const proposal = await called(scene, service, "get_proposal", { proposalId })
    if (proposal.status !== "executing") return proposal
    await scene.chain.call("anvil_mine", 1)
    asked += 1
    if (asked % 20 !== 0) return undefined
    await passes(lane, 6_000)
    await service.ask({ ask: "clock", offsetMs: lane.offsetMs })
    return undefined
  })
}

interface Transaction {
  readonly from: string
  readonly to: string | null
  readonly value: string
}

/** What blocks after one have of the wallet's own, and of coin that it was given. */
const sinceBlock = async ({ account, chain }: Scene, first: number) => {
  const wallet = account.address.toLowerCase()
  const last = Number(await chain.call("eth_blockNumber"))
  let [calls, loans] = [0, 0]
  for (let number = first + 1; number <= last; number++) {
    const block = await chain.call("eth_getBlockByNumber", `0x${number.toString(16)}`, true)
    const { transactions } = block as { readonly transactions: ReadonlyArray<Transaction> }
    for (const { from, to, value } of transactions) {
      if (from.toLowerCase() === wallet) calls += 1
      if (to?.toLowerCase() === wallet && BigInt(value) > 0n) loans += 1
    }
  }
  return { calls, loans }
}

/** Whether it did what was asked, by what the service and the chain say. */
const holdsOf = async (lane: Lane, act: Act, proposalId: string, units: string) => {
  const { account, chain } = lane.scene
  const { outcome, status, statusReason } = await ended(lane, proposalId)
  if (act === "cancel") {
    const trades = await chain.tradesOf(account.address)
    if (outcome !== "not_executed" || trades.length > 0) {
      throw new Error(`It is ${outcome} with ${trades.length} sales: ${statusReason}`)
    }
    return
  }
  const { allowance } = await called(lane.scene, lane.service, "check_allowance", {
    ...{ fromWalletId: account.walletId, tokenAddress: chain.weth, flow: "intent_swap" },
    requiredAmountSmallest: "1"
  })
  if (status !== "completed" || allowance !== units) {
    throw new Error(`It is ${status} with an allowance of ${allowance}: ${statusReason}`)
  }
}

/** One death; what went wrong is thrown. */
const dieAt = async (lane: Lane, { act, point }: Death) => {
  const { chain, account } = lane.scene
  const units = act === "revoke" ? "0" : String(1_000_000 + lane.next)
  lane.next += 1
  const proposalId = act === "cancel" ? await ordered(lane) : await approved(lane, units)
  // Each call is lent for anew.
  await chain.call("anvil_setBalance", account.address, "0x0")
  const first = Number(await chain.call("eth_blockNumber"))
  const { service } = lane
  await service.ask({ ask: "arm", point })
  const begun =
    act === "cancel"
      ? called(lane.scene, service, "cancel_proposal", { proposalId })
      : confirmed(lane, proposalId)
  const answered = begun.catch(() => undefined)
  const place = labelOf(point)
  const mining = setInterval(() => void chain.call("anvil_mine", 1), 200)
  const { lastWords, signal } = await within(
    `the process dies ${place}`,
    service.child.died
  ).finally(() => clearInterval(mining))
  if (signal !== "SIGKILL" || lastWords !== `died ${place}`) {
    throw new Error(`It did not die ${place}: ${signal}, ${lastWords}`)
  }
  await answered
  await passes(lane, leaseMs)
  lane.service = await lane.scene.start({ offsetMs: lane.offsetMs })
  await holdsOf(lane, act, proposalId, units)
  const { calls, loans } = await sinceBlock(lane.scene, first)
  if (calls !== 1 || loans !== 1) throw new Error(`${calls} calls and ${loans} loans were made.`)
}

/** Reservations and sales that stand otherwise than their proposal does. */
const drift = ({ database }: Scene) =>
  database.rows<{ id: string }>(
    `select p.id from proposal p join spend_reservation r on r.proposal_id = p.id
      where (p.status = 'completed' and r.state <> 'consumed') or (p.status = 'failed' and r.state <> 'released')
      union all select s.proposal_id from sale s join proposal p on p.id = s.proposal_id
      where s.state = 'open' and p.status <> 'executing'`
  )

const labelWith = ({ act, point }: Death): string =>
  `${act}: ${labelOf(point)}${point.since === undefined ? "" : `, after ${[point.since].flat().at(-1)}`}`

const sweep = async ({ bundle, say }: Run, work: ReadonlyArray<Death>) => {
  let held = 0
  const drifted = await Promise.all(
    dealt(work).map(async (mine) => {
      const scene = await openScene(bundle, "nobody")
      const lane: Lane = { scene, service: await scene.start(), offsetMs: 0, next: 10_001 }
      try {
        for (const death of mine) {
          try {
            await dieAt(lane, death)
            held += 1
          } catch (error) {
            say(`  ${labelWith(death)}: ${error}`)
            await lane.service.child.stop()
            await passes(lane, leaseMs)
            lane.service = await scene.start({ offsetMs: lane.offsetMs })
          }
        }
        return (await drift(scene)).length
      } finally {
        await scene.close()
      }
    })
  )
  return { held, drifted: drifted.reduce((sum, each) => sum + each, 0) }
}

/** Swaps that are cancelled while somebody fills their orders, now before the cancellation and now after it. */
const raced = async ({ bundle, say }: Run, times: number): Promise<Figure> => {
  const scene = await openScene(bundle, "nobody")
  const lane: Lane = { scene, service: await scene.start(), offsetMs: 0, next: 20_001 }
  let [sold, unsold, broken] = [0, 0, 0]
  try {
    for (let run = 0; run < times; run++) {
      const before = (await scene.chain.tradesOf(scene.account.address)).length
      const proposalId = await ordered(lane)
      lane.next += 1
      await called(scene, lane.service, "cancel_proposal", { proposalId })
      // Sooner or later than the cancellation comes into a block.
      await new Promise((resolve) => setTimeout(resolve, (run * 331) % 1500))
      await scene.chain.fillAll()
      const { outcome } = await ended(lane, proposalId)
      const trades = (await scene.chain.tradesOf(scene.account.address)).length - before
      if (outcome === "executed" && trades === 1) sold += 1
      else if (outcome === "not_executed" && trades === 0) unsold += 1
      else {
        broken += 1
        say(`  ${proposalId} is ${outcome} with ${trades} sales`)
      }
    }
    const drifted = (await drift(scene)).length
    return {
      invariant: "I2, I3",
      what: "cancelled on the chain while a solver fills",
      seen: `${times} runs: ${sold} sold once, ${unsold} not sold, ${broken} otherwise; drift ${drifted}`,
      holds: broken === 0 && drifted === 0
    }
  } finally {
    await scene.close()
  }
}

const withBundle = async (run: Run, measure: (own: Run) => Promise<Figure>) => {
  const bundle = await Child.bundle("test/money/swap-service.ts")
  try {
    return [await measure({ ...run, bundle })]
  } finally {
    bundle.remove()
  }
}

export const part: Part = {
  name: "wallet-calls",
  promise: "what a wallet sends with lent gas is made once, wherever its process dies",
  run: (run) =>
    withBundle(run, async (own) => {
      // A quick run takes every tenth.
      const some = own.quick ? deaths.filter((_, at) => at % 10 === 4) : deaths
      const work = Array.from({ length: own.times(20, 1) }, () => some).flat()
      const { drifted, held } = await sweep(own, work)
      return {
        invariant: "I2, I3",
        what: "killed with SIGKILL in approvals, revocations and cancellations with lent gas",
        seen: `${some.length} points, ${work.length} runs, ${held} held; drift ${drifted}`,
        holds: held === work.length && drifted === 0
      }
    })
}

export const cancelled: Part = {
  name: "cancelled-orders",
  promise: "an order that is cancelled while somebody fills it is sold once or not at all",
  run: (run) => withBundle(run, (own) => raced(own, own.times(100, 4)))
}
