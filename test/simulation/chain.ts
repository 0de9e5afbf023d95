/**
 * The chain of a simulated world: it mines what was sent, reorganises what is not final, keeping some
 * transactions and losing others, and is away for a while, all as the seed says.
 */
import { DateTime, Effect } from "effect"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import { anAddressOn } from "./address.ts"
import { type Chance, chanceOf, type Purpose } from "./chance.ts"
import { pause } from "./pause.ts"
import type { World } from "./world.ts"

/** Which chain a miner mines, and what of a dropped block anybody may bring into another. */
export interface Place {
  readonly chainId: string
  readonly chance: Purpose
  readonly comesAgain: (payment: ScriptedChain.Payment) => boolean
}

/** Where merchants are paid. */
const paidOn = ({ chainId }: World): Place => ({
  chainId,
  chance: "chain",
  comesAgain: () => true
})

export class Miner {
  readonly #world: World
  readonly #chance: Chance
  #waiting: Array<ScriptedChain.Payment> = []
  /** The highest block that was ever final: no reorganisation reaches it. */
  #final = 0

  readonly #place: Place

  constructor(world: World, place: Place = paidOn(world)) {
    this.#world = world
    this.#place = place
    this.#chance = chanceOf(world.seed, place.chance)
  }

  get #chain(): ScriptedChain.Scripted {
    return ScriptedChain.find(this.#world.chain, this.#place.chainId)
  }

  /** Sends money; it is mined with the next block, or at once. */
  send(to: string, amountMicro: bigint, atOnce: boolean): void {
    const { chainId } = this.#place
    const from = anAddressOn(chainId, 0xab)
    this.#waiting.push(ScriptedChain.sign(this.#world.chain, { chainId, from, to, amountMicro }))
    if (atOnce) this.mine()
  }

  /** Mines blocks, the first with all that waits. */
  mine(blocks = 1): void {
    for (let mined = 0; mined < blocks; mined++) {
      ScriptedChain.mine(this.#world.chain, this.#chain, this.#world.nowMs, this.#waiting.splice(0))
    }
    this.#world.note(`block ${this.#settle()}`)
    if (!this.#chance.has(this.#world.isStormy ? this.#world.profile.faults.hint : 0)) {
      this.#world.heardOfBlock()
    }
  }

  /** Takes down what is final by now, whoever mined the blocks; gives back the head. */
  #settle(): number {
    const head = ScriptedChain.tip(this.#chain).number
    this.#final = Math.max(this.#final, head - this.#world.profile.confirmations + 1)
    return head
  }

  comesBack(): void {
    this.#chain.isAway = false
  }

  /** Goes on for as long as the storm does. */
  get life(): Effect.Effect<void> {
    const { blockMs, confirmations, outage, reorganisation } = this.#world.profile
    return Effect.gen({ self: this }, function* () {
      while (this.#world.isStormy) {
        yield* pause(this.#world, this.#chance, blockMs)
        if (this.#chance.has(outage)) this.goesAway()
        if (this.#chance.has(reorganisation)) this.#reorganise()
        this.mine(this.#chance.has(0.15) ? 1 + this.#chance.below(2 * confirmations) : 1)
      }
    })
  }

  /** Cannot be read for a while, from now on; blocks are mined all the same. */
  goesAway(): void {
    if (this.#world.isStormy) this.#world.fork(this.#away)
  }

  get #away(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.#chain.isAway = true
      yield* Effect.sleep(this.#chance.below(8 * this.#world.profile.blockMs))
      this.#chain.isAway = false
    })
  }

  #reorganise(): void {
    const open = this.#settle() - Math.max(0, this.#final)
    if (open < 1) return
    const depth = 1 + this.#chance.below(open)
    const kept: Array<ScriptedChain.Payment> = []
    // What relayers carried is mined again, or whoever wrote it down hands it over once more.
    const carried = ScriptedChain.carriedIn(this.#chain, depth)
    for (const payment of ScriptedChain.drop(this.#chain, depth)) {
      if (!this.#place.comesAgain(payment)) continue
      const fate = this.#chance.next()
      if (fate < 0.4) kept.push(payment)
      else if (fate < 0.7) this.#waiting.push(payment)
    }
    this.#chain.pool.unshift(...carried.filter(() => this.#chance.has(0.6)))
    const blocks = this.#chance.below(depth)
    for (let mined = 0; mined < blocks; mined++) {
      const some = kept.splice(0, this.#chance.below(kept.length + 1))
      ScriptedChain.mine(this.#world.chain, this.#chain, this.#world.nowMs, some)
    }
    this.#waiting.push(...kept)
    this.#world.note(`reorganised ${depth}`)
  }
}

/** A payment as the chain itself has it. */
export interface Ledgered {
  readonly txHash: string
  readonly logIndex: number
  readonly to: string
  readonly amountMicro: bigint
  readonly blockNumber: number
  readonly stampedMs: number
}

/** All payments on the chain, read off its blocks. */
export const ledgerOf = (world: World): ReadonlyArray<Ledgered> =>
  ScriptedChain.find(world.chain).blocks.flatMap((block) =>
    block.payments.map((payment, logIndex) => ({
      txHash: payment.txHash,
      logIndex,
      to: payment.to,
      amountMicro: payment.amountMicro,
      blockNumber: block.number,
      stampedMs: DateTime.toEpochMillis(block.timestamp)
    }))
  )
