/**
 * A client of the treasury: it asks one of the processes, loses replies, hangs up, and asks again under
 * the same idempotency key until it knows. What it was told is kept, to compare.
 */
import { Cause, Effect, Exit, type Schema } from "effect"
import type * as Operation from "../../core/operation/operation.ts"
import type { Operations } from "../../core/treasury/operations.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import type { Chance } from "./chance.ts"
import type { MerchantAccount } from "./merchant-account.ts"
import type { Process, World } from "./world.ts"

type Named = { readonly [Op in Operations[number] as Op["name"]]: Op }

/** All that was said under one key. */
export interface Conversation {
  readonly operation: string
  readonly key: string
  readonly accountId: string
  readonly answers: Array<Schema.JsonObject>
  isOpen: boolean
}

type Outcome =
  | { readonly _tag: "answered"; readonly output: Schema.JsonObject }
  | { readonly _tag: "refused"; readonly code: string }
  | { readonly _tag: "lost" }

const lost: Outcome = { _tag: "lost" }

const outcomeOf = (exit: Exit.Exit<Schema.JsonObject, unknown>): Outcome => {
  if (Exit.isSuccess(exit)) return { _tag: "answered", output: exit.value }
  if (Cause.hasInterrupts(exit.cause)) return lost
  const refusal = Cause.squash(exit.cause) as { readonly _tag?: string }
  return { _tag: "refused", code: refusal._tag ?? "a defect" }
}

/** The end of a call inside a process, or of the process. */
const ended = (process: Process, call: ReturnType<World["forkIn"]>): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const mourn = () => resume(Effect.succeed(lost))
    process.mourners.add(mourn)
    call.addObserver((exit) =>
      resume(Effect.succeed(outcomeOf(exit as Exit.Exit<Schema.JsonObject, unknown>)))
    )
    return Effect.sync(() => process.mourners.delete(mourn))
  })

const patienceMs = 30_000
const waitsMs = [200, 1000, 5000, 20_000, 61_000] as const
const maxAsked = 60

/** Not an answer: what was asked may or may not have happened. */
const isUnknown = (outcome: Outcome) =>
  outcome._tag === "lost" ||
  (outcome._tag === "refused" &&
    (outcome.code === "INTERNAL" || outcome.code === "IDEMPOTENCY_IN_PROGRESS"))

export class Client {
  readonly #world: World
  readonly #chance: Chance
  readonly #account: MerchantAccount
  readonly #name: string
  readonly #conversations: Array<Conversation>
  #asked = 0

  constructor(
    world: World,
    chance: Chance,
    account: MerchantAccount,
    name: string,
    conversations: Array<Conversation>
  ) {
    this.#world = world
    this.#chance = chance
    this.#account = account
    this.#name = name
    this.#conversations = conversations
  }

  get account(): MerchantAccount {
    return this.#account
  }

  /** A key no call had before. */
  get nextKey(): string {
    return `${this.#name}-${this.#asked + 1}`
  }

  /** Asks until there is an answer; undefined when it was refused. */
  ask<N extends keyof Named>(
    name: N,
    input: Operation.Input<Named[N]>
  ): Effect.Effect<Operation.Output<Named[N]> | undefined> {
    const conversation: Conversation = {
      operation: name,
      key: this.nextKey,
      accountId: this.#account.accountId,
      answers: [],
      isOpen: true
    }
    this.#asked += 1
    this.#conversations.push(conversation)
    const once = this.#once(name, input, conversation.key)
    const { profile } = this.#world
    const asking = Effect.gen({ self: this }, function* () {
      for (let asked = 0; asked < maxAsked; ) {
        // Nobody was asked while every process lies dead.
        if (this.#world.standing.length > 0) asked += 1
        const outcome = yield* once
        if (outcome._tag === "answered") conversation.answers.push(outcome.output)
        // A reply that is lost on the way was said all the same.
        const isLost = this.#world.isStormy && this.#chance.has(profile.lostReply)
        if (!isLost && !isUnknown(outcome)) {
          conversation.isOpen = false
          return outcome._tag === "answered" ? outcome.output : undefined
        }
        yield* Effect.sleep(waitsMs[Math.min(asked, this.#chance.below(waitsMs.length))] ?? 1000)
      }
    })
    // What a call answers is what its operation's output says.
    return asking as unknown as Effect.Effect<Operation.Output<Named[N]> | undefined>
  }

  #once(name: keyof Named, input: unknown, key: string): Effect.Effect<Outcome> {
    return Effect.suspend(() => {
      const process = this.#chance.some(this.#world.standing)
      if (process === undefined) return Effect.succeed(lost)
      // The record has one function per name; the name and its input came together.
      const call = callsOf(this.#account.caller)[name] as (
        input: unknown,
        options: { readonly idempotencyKey: string }
      ) => Effect.Effect<unknown, unknown, never>
      const fiber = this.#world.forkIn(process, call(input, { idempotencyKey: key }))
      const hangUp = Effect.sync(() => {
        if (this.#chance.has(0.5)) fiber.interruptUnsafe()
        return lost
      })
      return Effect.raceFirst(
        ended(process, fiber),
        Effect.andThen(Effect.sleep(patienceMs), hangUp)
      )
    })
  }
}
