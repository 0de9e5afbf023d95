/**
 * What must hold of every commit of a world of traders, read from the rows alone: a proposal sells once, holds what
 * it reserved until it has ended, and no cap is ever passed.
 */
import { DateTime, Schema } from "effect"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { tiers } from "../../../core/policy/plan.ts"
import { isTerminal, type Proposal } from "../../../core/proposals/proposal.ts"
import type { Sale } from "../../../core/sales/sale.ts"
import type { Evidence, Wait } from "../../../core/waits/wait.ts"
import type { Commit, Rows } from "../stores.ts"
import type { World } from "../world.ts"

/** Two blocks later a block is finalized. */
const finalBlockOf = (world: World) => {
  const { blocks } = ScriptedChain.find(world.chain, "local")
  return blocks[Math.max(0, blocks.length - 3)]
}

const Signed = Schema.Struct({
  signed: Schema.Struct({ orderId: Schema.String, validTo: Schema.Int })
})
const isSigned = Schema.is(Signed)

interface Live {
  readonly orderId: string
  readonly validTo: number
}

/** Every order that a wait has held signed, by its proposal. */
const ordersOf = new WeakMap<World, Map<string, Map<string, Live>>>()

export const signedOrders = (world: World): Map<string, Map<string, Live>> => {
  const known = ordersOf.get(world)
  if (known !== undefined) return known
  const made = new Map<string, Map<string, Live>>()
  ordersOf.set(world, made)
  return made
}

/** A final block is past its time, or says in a wait's end that it is dead. */
const isDead = (world: World, proposalId: string, { orderId, validTo }: Live): boolean => {
  const final = finalBlockOf(world)
  if (final !== undefined && DateTime.toEpochMillis(final.timestamp) > validTo * 1000) return true
  return world.stores
    .all("waits")
    .some(
      ({ wait: { ended, journal, proposalId: id } }) =>
        id === proposalId &&
        ended?.isDone === false &&
        isSigned(journal) &&
        journal.signed.orderId === orderId
    )
}

const orderRules = (world: World, { journal, proposalId }: Wait) => {
  if (!isSigned(journal)) return
  const { signed } = journal
  const all = signedOrders(world)
  const known = all.get(proposalId) ?? new Map<string, Live>()
  all.set(proposalId, known)
  if (known.has(signed.orderId)) return
  for (const other of known.values()) {
    if (!isDead(world, proposalId, other)) world.bad("I2 two orders of one proposal live at once")
  }
  known.set(signed.orderId, signed)
}

/** Whether what ended a wait stands on a chain. */
export const isOnChain = (world: World, { id, type }: Evidence): boolean =>
  [...world.chain.scripted.values()].some(({ blocks, landed }) =>
    type === "block"
      ? // What only looks where a chain stands names the block by its number.
        blocks.some(({ hash, number }) => hash === id || String(number) === id)
      : landed.some(({ txHash }) => txHash === id) ||
        blocks.some(({ payments }) => payments.some(({ txHash }) => txHash === id))
  )

const endRules = (world: World, { ended, journal, kind }: Wait) => {
  if (ended === null) return
  if (ended.evidence === null) {
    if (ended.isDone) world.bad("I2 done without evidence")
    if (isSigned(journal)) world.bad(`I2 a ${kind} that was signed ended without evidence`)
  } else if (!isOnChain(world, ended.evidence)) {
    world.bad("I2 a wait ended by what is not on the chain")
  }
}

/** What was waited for came, and is waited for once more: it would be done twice, were it not looked for first. */
const isDoneAgain = (world: World, { id, proposalId, watch }: Wait) =>
  world.stores
    .all("waits")
    .some(
      ({ wait }) =>
        wait.id !== id &&
        wait.proposalId === proposalId &&
        wait.watch === watch &&
        wait.ended?.isDone === true
    )

const waitRules = (
  world: World,
  {
    before,
    after
  }: { readonly before: Rows["waits"] | undefined; readonly after: Rows["waits"] | undefined }
) => {
  if (after === undefined) return world.bad("I2 a wait was deleted")
  const [was, is] = [before?.wait, after.wait]
  if (was === undefined && isDoneAgain(world, is)) {
    world.bad("I2 a step that was done is done again")
  }
  if (was !== undefined && was.ended !== null && was.ended !== is.ended) {
    world.bad("I2 a wait that had ended was ended again")
  }
  if (was !== undefined && isSigned(was.journal)) {
    const { orderId } = was.journal.signed
    if (!isSigned(is.journal) || is.journal.signed.orderId !== orderId) {
      world.bad("I2 an order that was signed is no longer written down")
    }
  }
  orderRules(world, is)
  if (was?.ended === null || was === undefined) endRules(world, is)
}

const trades = ["swap", "bridge"]
/** These hold a part of the caps for as long as they execute; a send to an own wallet would not. */
const reserving = [...trades, "send"]

const saleWays: Readonly<Record<Sale["state"], ReadonlyArray<Sale["state"]>>> = {
  open: ["open", "left", "released"],
  left: ["left"],
  released: ["released"]
}

/** What is held goes with the proposal that holds it, in the very commit. */
const heldRules = (world: World, { id, kind, outcome, status }: Proposal) => {
  const reservation = world.stores.get("spend reservations", id)
  const sale = world.stores.get("sales", id)
  const told = `${kind} that is ${status}`
  if (status === "executing") {
    if (reserving.includes(kind) && reservation?.state !== "reserved") {
      world.bad(`I5 a ${told} has its reservation ${reservation?.state ?? "missing"}`)
    }
    // What has left for another chain is sold, though it has not arrived.
    const isHeld = sale?.state === "open" || (kind === "bridge" && sale?.state === "left")
    if (trades.includes(kind) && !isHeld) {
      world.bad(`I2 a ${told} has its sale ${sale?.state ?? "missing"}`)
    }
    return
  }
  const due = status === "completed" ? "consumed" : "released"
  if (reservation !== undefined && reservation.state !== due) {
    world.bad(`I5 a ${told} has its reservation ${reservation.state}`)
  }
  const left = outcome === "executed" ? "left" : "released"
  if (sale !== undefined && sale.state !== left)
    world.bad(`I2 a ${told} has its sale ${sale.state}`)
}

const limits = tiers.personal
const tradesADay = 10n * limits.dailyMicro

const sumsOver = <Row>(
  rows: ReadonlyArray<Row>,
  window: (row: Row) => string,
  micro: (row: Row) => bigint
): ReadonlyArray<bigint> =>
  [...Map.groupBy(rows, window).values()].map((group) =>
    group.reduce((total, row) => total + micro(row), 0n)
  )

const capRules = (world: World) => {
  const held = world.stores.all("spend reservations").filter(({ state }) => state !== "released")
  const of = (window: "day" | "month") =>
    sumsOver(
      held,
      ({ accountId, windows }) => `${accountId} ${windows[window]}`,
      ({ amountMicro }) => amountMicro
    )
  if (held.some(({ amountMicro }) => amountMicro > limits.perTransferMicro)) {
    world.bad("I5 more is held at once than one transfer may be")
  }
  if (of("day").some((sum) => sum > limits.dailyMicro)) world.bad("I5 the cap of a day is passed")
  if (of("month").some((sum) => sum > limits.monthlyMicro)) {
    world.bad("I5 the cap of a month is passed")
  }
}

const saleRules = (world: World) => {
  const sales = world.stores.all("sales")
  const open = sales.filter(({ state }) => state === "open")
  const places = open.map(({ amount, walletId }) => `${walletId} ${amount.token.address}`)
  if (new Set(places).size < places.length) {
    world.bad("I2 two sales of one token of a wallet are open")
  }
  const sold = sumsOver(
    sales.filter(({ state }) => state !== "released"),
    ({ accountId, day }) => `${accountId} ${day}`,
    ({ worthMicro }) => worthMicro
  )
  if (sold.some((sum) => sum > tradesADay)) world.bad("I5 the day's cap on trades is passed")
}

const proposalRules = (
  world: World,
  { before, after }: { readonly before: Proposal | undefined; readonly after: Proposal | undefined }
) => {
  if (after === undefined) return world.bad("I2 a proposal was deleted")
  if (before === undefined) return
  if (
    isTerminal(before.status) &&
    (before.status !== after.status || before.outcome !== after.outcome)
  ) {
    world.bad(`I2 a proposal that was ${before.status} became ${after.status}`)
  }
  if (
    before.status === "executing" &&
    !["executing", "completed", "failed"].includes(after.status)
  ) {
    world.bad(`I2 a proposal that executes became ${after.status}`)
  }
}

/** Money that goes back is credited to nobody, and what is credited does not go back. */
const refundRules = (world: World, commit: Commit) => {
  const standing = world.stores.all("refund shares").filter(({ state }) => state !== "released")
  const taken = (transferId: string) =>
    standing
      .filter((share) => share.transferId === transferId)
      .reduce((total, { amountMicro }) => total + amountMicro, 0n)
  for (const { before, after } of commit.of("transfers")) {
    if (after === undefined || before === undefined) continue
    const isCredited = before.requestId === null && after.requestId !== null
    if (isCredited && taken(after.id) > 0n) {
      world.bad("I4 money that goes back was credited to a request")
    }
  }
  for (const share of commit.inserted("refund shares")) {
    const transfer = world.stores.get("transfers", share.transferId)
    if (transfer === undefined || taken(share.transferId) > transfer.amountMicro) {
      world.bad("I4 more goes back than came in")
    }
  }
}

/** Judges one commit. */
export const judgeTradeCommit = (world: World, commit: Commit): void => {
  if (!world.isBegun) return
  const touched = new Set<string>()
  for (const step of commit.of("proposals")) {
    proposalRules(world, step)
    if (step.after !== undefined) touched.add(step.after.id)
  }
  for (const { before, after } of commit.of("sales")) {
    if (after === undefined) world.bad("I2 a sale was deleted")
    else if (before !== undefined && !saleWays[before.state].includes(after.state)) {
      world.bad(`I2 a sale that was ${before.state} became ${after.state}`)
    }
    if (after !== undefined) touched.add(after.proposalId)
  }
  for (const { after } of commit.of("spend reservations")) {
    if (after !== undefined) touched.add(after.proposalId)
  }
  for (const step of commit.of("waits")) {
    waitRules(world, step)
    if (step.after !== undefined) touched.add(step.after.wait.proposalId)
  }
  for (const id of touched) {
    const proposal = world.stores.get("proposals", id)
    if (proposal !== undefined) heldRules(world, proposal)
  }
  if (commit.of("spend reservations").length > 0) capRules(world)
  if (commit.of("sales").length > 0) saleRules(world)
  refundRules(world, commit)
}
