/**
 * Makes records whole that came from a standby or a backup: fences the signers of the line before, waits until what
 * they signed has run out at finality, and charges what the chains have and the records do not explain. Meanwhile
 * nothing is sent; everything else goes on.
 */
import { Clock, DateTime, Duration, Effect, Ref } from "effect"
import { PollInterval, supervise } from "../background/loop.ts"
import { type AddressKey, isSame, keyOf } from "../chains/address.ts"
import { validForSeconds as evmSeconds } from "../evm/look.ts"
import * as Usdc from "../money/usdc.ts"
import { windowsAt } from "../policy/limits.ts"
import { type Charge, Spending } from "../policy/spending-ledger.ts"
import { Atomically } from "../ports/atomically.ts"
import { type Block, Chains, type Connected } from "../ports/chains.ts"
import { validForSeconds as solanaSeconds } from "../solana/prepare.ts"
import { madeBy } from "../submissions/submitter.ts"
import { orderMinutes } from "../swaps/sign-order.ts"
import { type Line, Timeline } from "../timeline/timeline.ts"
import { type Recorded, recordedOn, unrecordedAmong } from "../wallets/reconcile.ts"

/** How far the clocks of nodes and of processes may lie apart. */
const clocksDifferSeconds = 60

/** How long anything that a wallet signs can be carried out, at most. */
export const longestSeconds =
  Math.max(evmSeconds, solanaSeconds, orderMinutes * 60) + clocksDifferSeconds

const secondsOf = (at: DateTime.Utc) => Math.ceil(DateTime.toEpochMillis(at) / 1000)

/** As many wallets as a node takes in one question. */
const walletsAtOnce = 50

/** What an unexplained payment counts: nothing between wallets of one account, which no cap bounds. */
const chargesOf = Effect.fnUntraced(function* ({ chain, usdc }: Connected, month: string) {
  const chainId = chain.id
  const recorded: ReadonlyArray<Recorded> = yield* recordedOn(chainId)
  const keys = recorded.map(({ address }) => keyOf(chainId, address))
  const charges: Array<Charge> = []
  for (let from = 0; from < keys.length; from += walletsAtOnce) {
    const made = yield* madeBy(chainId, keys.slice(from, from + walletsAtOnce))
    for (const payment of made) {
      const { at, identity, paid } = payment
      // No window that counts from now on holds it.
      if (windowsAt(at).month < month) continue
      const [unexplained] = unrecordedAmong(recorded, [payment])
      if (unexplained === undefined || paid === null) continue
      const { accountId } = unexplained
      const isOwn = recorded.some(
        (wallet) => wallet.accountId === accountId && isSame(chainId, wallet.address, paid.to)
      )
      if (isOwn || paid.amount.token.address !== (usdc as AddressKey)) continue
      const amountMicro = Usdc.toUsd(Usdc.make(paid.amount.units))
      const windows = windowsAt(at)
      charges.push({ accountId, chainId, identity, to: paid.to, amountMicro, windows, at })
    }
  }
  return charges
})

/** By chain: a block that is later than all that was signed before, and waits to be finalized. */
type Marks = ReadonlyMap<string, Block>

/** Whether what earlier signers signed for a chain has run out, by a block that the chain undoes no more. */
const hasRunOut = Effect.fnUntraced(function* (
  chainId: string,
  since: number,
  marks: Ref.Ref<Marks>
) {
  const chains = yield* Chains
  const isLater = (block: Block) => secondsOf(block.timestamp) >= since + longestSeconds
  const known = (yield* Ref.get(marks)).get(chainId)
  // One of an earlier wait says nothing of this one.
  const block = known !== undefined && isLater(known) ? known : yield* chains.newestFinal(chainId)
  if (!isLater(block)) return false
  const finality = yield* chains.finality(chainId, block)
  yield* Ref.update(marks, (all) => {
    const next = new Map(all)
    if (finality === "dropped") next.delete(chainId)
    else next.set(chainId, block)
    return next
  })
  return finality === "finalized"
})

/** The later of the clock and of each chain's own time: nobody signs for the line before from then on. */
const sinceNow = Effect.fnUntraced(function* (connected: ReadonlyArray<Connected>) {
  const { tip } = yield* Chains
  const since: Record<string, number> = {}
  for (const { chain } of connected) {
    const { timestamp } = yield* tip(chain.id)
    const now = Math.ceil((yield* Clock.currentTimeMillis) / 1000)
    since[chain.id] = Math.max(now, secondsOf(timestamp))
  }
  return since
})

/** Charges what is unexplained and lets sending go on, together or not at all. */
const release = Effect.fnUntraced(function* (line: Line) {
  const { connected } = yield* Chains
  const { month } = windowsAt(DateTime.makeUnsafe(line.begunAt))
  const all = yield* Effect.forEach(connected, (each) => chargesOf(each, month))
  const charges = all.flat()
  const { write } = yield* Timeline
  const together = Effect.gen(function* () {
    yield* (yield* Spending).charge(charges)
    if (!(yield* write(line, { ...line, held: null }))) return yield* Effect.fail("changed")
  })
  // Another process was first.
  if ((yield* Effect.option((yield* Atomically).run(together)))._tag === "None") return
  const minutes = Duration.toMinutes(
    DateTime.distance(DateTime.makeUnsafe(line.begunAt), yield* DateTime.now)
  )
  yield* Effect.logWarning(
    `Line ${line.number} of the records sends again after ${minutes.toFixed(1)} minutes without sending; ${charges.length} payment(s) that the records did not explain were charged to the caps of their day.`
  )
})

/** One step towards sending again; how long until the next. */
export const catchUpOnce = Effect.fnUntraced(function* (marks: Ref.Ref<Marks>) {
  const { keep, look, write } = yield* Timeline
  const pauseMs = Duration.toMillis(yield* PollInterval)
  const standing = yield* look
  switch (standing._tag) {
    case "open":
      return pauseMs
    case "fenced":
      yield* Effect.logError(
        `Line ${standing.line.number} of the records was replaced by a later one; nothing is sent from here.`
      )
      return 60_000
    case "missing":
      yield* Effect.logError(
        `The key store in which line ${standing.line.number} of the records was kept is not there, so nothing is sent: is the folder of BURSAR_TIMELINE_DIR mounted? If it is lost, end all processes on other servers and run bursar hold-sending --new-key-store.`
      )
      return 60_000
    case "silent":
      yield* Effect.logError(`The key store cannot be read, so nothing is sent: ${standing.detail}`)
      return 10_000
    case "unnamed":
      yield* write(standing.line, standing.next)
      return 0
    case "moved": {
      const { line, next } = standing
      if (next.held !== null) {
        yield* Effect.logWarning(
          `The records came from a standby or a backup. Line ${next.number} begins, and nothing is sent until the chains were read.`
        )
      }
      yield* write(line, next)
      return 0
    }
    case "unkept":
      yield* keep(standing.line)
      return 0
    case "held": {
      const { line } = standing
      const { connected } = yield* Chains
      const since = line.held?.since ?? {}
      const unasked = connected.filter(({ chain }) => since[chain.id] === undefined)
      if (unasked.length > 0) {
        const asked = { ...(yield* sinceNow(unasked)), ...since }
        yield* write(line, { ...line, held: { since: asked } })
        return 0
      }
      for (const { chain } of connected) {
        if (!(yield* hasRunOut(chain.id, since[chain.id] as number, marks))) return pauseMs
      }
      yield* release(line)
      return 0
    }
  }
})

/** Watches which line the records are on, for as long as the process runs. */
export const catchUp = Effect.gen(function* () {
  const marks = yield* Ref.make<Marks>(new Map())
  const turn = Effect.flatMap(catchUpOnce(marks), (ms) => Effect.sleep(ms))
  return yield* supervise("Catching up with the chains", turn)
})
