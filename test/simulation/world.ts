/**
 * A whole world from one seed: durable stores and chain, receivers, and processes that come and go over
 * them. A crash closes the fence of its process, so that nothing of it returns or writes any more.
 */
import {
  Cause,
  Clock,
  Context,
  Effect,
  Exit,
  type Fiber,
  Layer,
  References,
  Scheduler,
  Scope
} from "effect"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import * as MemoryCourier from "../../adapters/memory/webhook-sender.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import { Chains } from "../../core/ports/chains.ts"
import { Notifier } from "../../core/ports/notifier.ts"
import { type Reply, type WebhookRequest, WebhookSender } from "../../core/ports/webhook-sender.ts"
import { work } from "../../core/treasury/workers.ts"
import type { Bug } from "./bugs/bug.ts"
import { type Chance, chanceOf } from "./chance.ts"
import { faultsOf, type Surroundings } from "./faults.ts"
import type { MerchantAccount } from "./merchant-account.ts"
import { losingHints, type Ports, type Wired } from "./ports.ts"
import type { Profile } from "./profile.ts"
import { matchWatched } from "./rules/matching.ts"
import { paying, type Setting } from "./setting.ts"
import { type Commit, Stores } from "./stores.ts"
import { Timeline } from "./timeline.ts"

/** A parcel that arrived, and what its receiver answered, whoever heard of the answer. */
export interface Arrival extends WebhookRequest {
  readonly atMs: number
  readonly reply: Reply
}

export interface Process {
  readonly slot: number
  isDead: boolean
  /** Once it has booted. */
  context: Context.Context<Ports> | undefined
  readonly fibers: Set<Fiber.Fiber<unknown, unknown>>
  /** Told once, when it dies. */
  readonly mourners: Set<() => void>
  readonly crash: () => void
}

export const startsAtMs = Date.UTC(2030, 0, 1)

const restartsAfterMs = [0, 50, 4000, 45_000, 90_000] as const

export class World {
  readonly seed: number
  readonly profile: Profile
  readonly timeline: Timeline
  readonly stores: Stores
  readonly chain: ScriptedChain.State
  readonly counters = { calls: 0, faults: 0, crashes: 0 }
  readonly arrivals: Array<Arrival> = []
  readonly violations: Array<string> = []
  readonly processes: Array<Process | undefined> = []
  readonly accounts: readonly [MerchantAccount, MerchantAccount]
  /** False while the accounts are opened, before anything is simulated. */
  isBegun = false
  isStormy = false
  healedAtMs = Number.POSITIVE_INFINITY
  digest = 0
  readonly #bug: Bug | undefined
  readonly #setting: Setting
  readonly #surroundings: Surroundings
  readonly #nodes: Chance
  readonly #base: Context.Context<never>
  readonly #post: Context.Context<WebhookSender | MemoryCourier.WebhookSenderScript>
  #booted = 0

  constructor(
    seed: number,
    bug: Bug | undefined,
    onCommit: (world: World, commit: Commit) => void,
    setting: Setting = paying
  ) {
    this.seed = seed
    this.#setting = setting
    this.profile = setting.profile(seed)
    this.timeline = new Timeline(seed, startsAtMs)
    this.stores = new Stores((commit) => onCommit(this, commit))
    this.#bug = bug
    this.#surroundings = {
      profile: this.profile,
      chance: chanceOf(seed, "faults"),
      counters: this.counters,
      isStormy: () => this.isStormy,
      isBusy: () => this.stores.isBusy,
      chainId: setting.chainId,
      note: (name) => this.note(name)
    }
    this.#nodes = chanceOf(seed, "nodes")
    this.#base = Context.make(Scheduler.Scheduler, this.timeline.scheduler).pipe(
      Context.add(Clock.Clock, this.timeline.clock),
      // Ports yield at every call; a turn that ends anywhere else would end at no call of anything.
      Context.add(References.PreventSchedulerYield, true),
      Context.add(References.MinimumLogLevel, "None")
    )
    this.chain = setting.chains(this.profile)
    this.#post = this.now(Layer.build(MemoryCourier.layer))
    this.boot(0)
    this.timeline.runUntil(startsAtMs)
    const first = this.standing[0] as Process
    this.accounts = this.now(
      Effect.provideContext(setting.opened, first.context as Context.Context<Ports>)
    )
    this.#end(first)
  }

  /** Where merchants are paid. */
  get chainId(): string {
    return this.#setting.chainId
  }

  get nowMs(): number {
    return this.timeline.nowMs
  }

  bad(sentence: string): void {
    if (this.violations.length < 20) this.violations.push(sentence)
  }

  note(name: string): void {
    let digest = this.digest ^ this.nowMs
    for (let at = 0; at < name.length; at++)
      digest = (Math.imul(digest, 31) + name.charCodeAt(at)) | 0
    this.digest = digest
  }

  /** Starts something that belongs to no process, such as a client. */
  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.#base)(effect)
  }

  /** Runs something that needs no time to pass. */
  now<A, E>(effect: Effect.Effect<A, E, Scope.Scope>): A {
    const fiber = this.fork(Effect.provideService(effect, Scope.Scope, Scope.makeUnsafe()))
    this.timeline.runUntil(this.nowMs)
    const exit = fiber.pollUnsafe()
    if (exit === undefined) throw new Error("This takes time.")
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    return exit.value
  }

  get courierScript(): MemoryCourier.WebhookSenderScript["Service"] {
    return Context.get(this.#post, MemoryCourier.WebhookSenderScript)
  }

  get head(): number {
    return ScriptedChain.tip(ScriptedChain.find(this.chain)).number
  }

  /** The block the watcher began at; what is older was never its business. */
  watchedFrom = Number.POSITIVE_INFINITY

  /** A seed in which nothing goes wrong by itself. */
  get isCalm(): boolean {
    const { after, before, crash, delay, hint } = this.profile.faults
    return before + after + crash + delay + hint === 0
  }

  /** The processes that answer. */
  get standing(): ReadonlyArray<Process> {
    return this.processes.filter(
      (process): process is Process => process !== undefined && process.context !== undefined
    )
  }

  /** Starts something inside a process; it ends with it. */
  forkIn<A, E>(process: Process, effect: Effect.Effect<A, E, Ports>): Fiber.Fiber<A, E> {
    const context = process.context as Context.Context<Ports>
    const fiber = this.fork(Effect.provideContext(effect, context))
    process.fibers.add(fiber)
    fiber.addObserver(() => process.fibers.delete(fiber))
    return fiber
  }

  boot(slot: number): void {
    const process: Process = {
      slot,
      isDead: false,
      context: undefined,
      fibers: new Set(),
      mourners: new Set(),
      crash: () => this.#crash(process)
    }
    this.processes[slot] = process
    const isFurnished = this.#booted > 0
    const wired = this.#wired(process)
    const pollInterval = this.isStormy ? this.profile.lookAgainMs : 3_600_000
    const booting = Layer.buildWithMemoMap(wired, Layer.makeMemoMapUnsafe(), Scope.makeUnsafe())
    this.fork(
      Effect.map(booting, (context) => {
        if (process.isDead) return
        process.context = context
        this.forkIn(process, this.#setting.told)
        if (isFurnished) this.forkIn(process, work({ pollInterval }))
      })
    )
  }

  /** Lets the storm begin. */
  start(): void {
    this.isBegun = true
    this.isStormy = true
    for (let slot = 0; slot < this.profile.replicas; slot++) this.boot(slot)
  }

  /** Ends all processes at once, and starts one that lives. */
  heal(): void {
    this.isStormy = false
    this.healedAtMs = this.nowMs
    for (const process of this.processes) if (process !== undefined) this.#end(process)
    this.boot(0)
  }

  /** A hint that there is a new block, as a subscription to a node would give it. */
  heardOfBlock(): void {
    for (const process of this.standing) {
      this.forkIn(
        process,
        Effect.flatMap(Notifier, (notifier) => notifier.signal("chains"))
      )
    }
  }

  #end(process: Process): void {
    process.isDead = true
    process.context = undefined
    this.processes[process.slot] = undefined
    for (const fiber of process.fibers) fiber.interruptUnsafe()
    for (const mourner of process.mourners) mourner()
  }

  #crash(process: Process): void {
    if (process.isDead) return
    this.counters.crashes += 1
    this.note(`crash ${process.slot}`)
    this.#end(process)
    const restartAfterMs = this.#surroundings.chance.pick(restartsAfterMs)
    this.fork(
      Effect.sleep(restartAfterMs).pipe(
        Effect.andThen(
          Effect.sync(() => {
            if (this.processes[process.slot] === undefined && this.isStormy) this.boot(process.slot)
          })
        )
      )
    )
  }

  /** Its own view of the records, the shared chain and post; then what is watched, faults, and a planted bug. */
  #wired(process: Process): Wired {
    const store = this.stores.fenced(() => process.isDead)
    const idSeed = Math.imul(this.seed, 1009) + this.#booted++
    const post = Layer.succeed(WebhookSender, this.#watchedCourier())
    const stores = Layer.mergeAll(Wiring.layer({ store, chain: this.chain }, idSeed), post)
    const watched = matchWatched(this, Layer.merge(stores, this.#unhurried(stores)))
    const nodes = { chain: this.chain, blocksBehind: () => this.#blocksBehind() }
    const faulty = this.#setting.ports(watched, faultsOf(this.#surroundings, process), nodes)
    const chance = this.#surroundings.chance
    const hinted = losingHints(faulty, () => this.isStormy && chance.has(this.profile.faults.hint))
    return this.#bug === undefined ? hinted : this.#bug.plant(hinted, this)
  }

  /** How far the node that is asked now is behind; while nothing goes wrong, all are at the head. */
  #blocksBehind(): number {
    const { confirmations, lag } = this.profile
    return this.isStormy && this.#nodes.has(lag) ? 1 + this.#nodes.below(2 * confirmations) : 0
  }

  /** Once the chaos is over hints come, and nobody needs to poll. */
  #unhurried(below: Wired): Layer.Layer<Chains> {
    const pollMs = this.isStormy ? this.profile.pollMs : 3_600_000
    return Layer.effect(
      Chains,
      Effect.map(Chains, (chains) => ({
        ...chains,
        connected: chains.connected.map((each) => ({ ...each, pollMs }))
      }))
    ).pipe(Layer.provide(below))
  }

  #watchedCourier(): WebhookSender["Service"] {
    const webhookSender = Context.get(this.#post, WebhookSender)
    return {
      ...webhookSender,
      carry: (webhookRequest) =>
        Effect.suspend(() => {
          const atMs = this.nowMs
          return Effect.tap(webhookSender.carry(webhookRequest), (reply) =>
            Effect.sync(() => this.arrivals.push({ ...webhookRequest, atMs, reply }))
          )
        })
    }
  }
}
