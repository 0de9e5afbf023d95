/**
 * The outside of traders: a venue whose rate moves, which goes away, forgets, loses answers and fills when it likes;
 * a bridge that is away, behind or stuck; and strangers who deliver what has left.
 */
import { Context, Effect, Layer } from "effect"
import * as Bridges from "../../../adapters/memory/bridges.ts"
import * as ScriptedBridge from "../../../adapters/memory/scripted-bridge.ts"
import type { Payment } from "../../../adapters/memory/scripted-chain.ts"
import * as SwapVenue from "../../../adapters/memory/swap-venue.ts"
import { type OrderStatus, SwapVenues, venueOn } from "../../../core/ports/swap-venue.ts"
import { Miner, type Place } from "../chain.ts"
import { type Chance, chanceOf } from "../chance.ts"
import type { World } from "../world.ts"
import { gold, usdc } from "./setting.ts"

/** What the venue pays out of and into. */
const pool = `0x${"b0".repeat(20)}`

/** A settlement or a delivery is the venue's or the bridge's to make again, not a stranger's. */
const comesAgain = ({ from, to }: Payment) =>
  ![from, to].some((each) => each === pool || each === ScriptedBridge.contract)

const placeOf = (chainId: string, chance: Place["chance"]): Place => ({
  chainId,
  chance,
  comesAgain
})

const oneGold = 10n ** 18n
const baseRate = 2_000_000n

export class Outside {
  readonly miners: readonly [Miner, Miner]
  readonly #world: World
  readonly #chance: Chance
  readonly #venue: SwapVenue.SwapScript["Service"]
  readonly #bridge: Bridges.BridgeScript["Service"]
  readonly #venues: SwapVenues["Service"]

  constructor(world: World) {
    this.#world = world
    this.#chance = chanceOf(world.seed, "outside")
    this.miners = [
      new Miner(world, placeOf("local", "chain")),
      new Miner(world, placeOf("local-2", "chain of arrival"))
    ]
    const context = world.now(
      Layer.build(Layer.merge(SwapVenue.layer(world.chain), Bridges.layer(world.chain)))
    )
    this.#venue = Context.get(context, SwapVenue.SwapScript)
    this.#venues = Context.get(context, SwapVenues)
    this.#bridge = Context.get(context, Bridges.BridgeScript)
    this.#rate(baseRate)
  }

  #rate(micro: bigint): void {
    const { local } = usdc
    this.#world.now(this.#venue.rate({ sell: local, buy: gold, gives: oneGold, per: micro }))
    this.#world.now(this.#venue.rate({ sell: gold, buy: local, gives: micro, per: oneGold }))
  }

  start(): void {
    for (const miner of this.miners) this.#world.fork(miner.life)
    this.#world.fork(this.#venueLife)
    this.#world.fork(this.#bridgeLife)
  }

  /** Fills what is open, or most of it. */
  fillSome(probability = 1): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (const { orderId } of yield* this.#venue.placed) {
        if (this.#chance.has(probability)) yield* this.#venue.fill(orderId)
      }
    })
  }

  get #venueLife(): Effect.Effect<void> {
    const { blockMs } = this.#world.profile
    return Effect.gen({ self: this }, function* () {
      while (this.#world.isStormy) {
        yield* Effect.sleep(this.#chance.below(6 * blockMs))
        if (!this.#world.isStormy) return
        const dice = this.#chance.next()
        if (dice < 0.45) yield* this.fillSome(0.6)
        else if (dice < 0.6) this.#rate(baseRate + BigInt(this.#chance.below(40_000) - 20_000))
        else if (dice < 0.7) yield* this.#venue.loseReply()
        else if (dice < 0.77) yield* this.#venue.refuseNext()
        else if (dice < 0.84) yield* this.#forgetOne
        else if (dice < 0.9) yield* this.#goAway
        else yield* this.#venue.fillsAtOnce(this.#chance.has(0.4))
      }
    })
  }

  get #forgetOne(): Effect.Effect<void> {
    return Effect.flatMap(this.#venue.placed, (placed) => {
      const order = this.#chance.some(placed)
      return order === undefined ? Effect.void : this.#venue.forget(order.orderId)
    })
  }

  get #goAway(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      yield* this.#venue.away(true)
      yield* Effect.sleep(this.#chance.below(10 * this.#world.profile.blockMs))
      yield* this.#venue.away(false)
    })
  }

  get #bridgeLife(): Effect.Effect<void> {
    const { blockMs } = this.#world.profile
    return Effect.gen({ self: this }, function* () {
      while (this.#world.isStormy) {
        yield* Effect.sleep(this.#chance.below(12 * blockMs))
        if (!this.#world.isStormy) return
        const how = this.#chance.pick<Bridges.Provider>([
          "answers",
          "answers",
          "is behind",
          "is away",
          "holds back"
        ])
        yield* this.#bridge.provider(how)
        yield* this.#bridge.close(this.#chance.has(0.15) ? "the simulation closed it" : null)
        if (this.#chance.has(0.3)) yield* this.#bridge.deliverAll
      }
    })
  }

  /** Everybody answers again. */
  heal(): void {
    for (const miner of this.miners) miner.comesBack()
    const healing = Effect.gen({ self: this }, function* () {
      yield* this.#venue.away(false)
      yield* this.#bridge.provider("answers")
      yield* this.#bridge.close(null)
    })
    this.#world.now(healing)
    this.#rate(baseRate)
  }

  /** How every order that the venue was ever given stands, by the chain. */
  get orders(): ReadonlyArray<{ readonly orderId: string; readonly status: OrderStatus }> {
    const venue = venueOn(this.#venues, "local")
    if (venue?.execution !== "order") return []
    const asking = Effect.flatMap(this.#venue.placed, (placed) =>
      Effect.forEach(placed, (order) =>
        Effect.map(Effect.orDie(venue.status(order)), (status) => ({
          orderId: order.orderId,
          status
        }))
      )
    )
    return this.#world.now(asking)
  }
}
