/**
 * Payers who pay by signature (x402): they sign for what is owed, hand it to one process or another until it
 * has an end, and hand in copies. The chain, its relayers and its reorganisations do the rest.
 */
import { DateTime, Effect, Exit } from "effect"
import { signedByPayer } from "../../adapters/memory/authorization.ts"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import { signedByPayer as signedOnSolana } from "../../adapters/memory/solana-signed.ts"
import { someRelayer as relayer } from "../../adapters/memory/solana-submitter.ts"
import { keyOf } from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { maxTimeoutSeconds, pay } from "../../core/payments/pay.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import * as Value from "../support/chain-values.ts"
import { anAddressOn } from "./address.ts"
import { type Chance, chanceOf } from "./chance.ts"
import { pause } from "./pause.ts"
import type { World } from "./world.ts"

const actsEach = 20

/** Settlements are looked at every two seconds: where blocks come slower, a run would be nothing else. */
const slowestBlockMs = 60_000
const secondsToLand = 700
const secondsOfABlock = 90

type Signed = Parameters<typeof pay>[1]

const hex = (prefix: string, count: number, length: number) =>
  `0x${prefix}${count.toString(16).padStart(length - prefix.length, "0")}`

export class SigningPayers {
  readonly #world: World
  readonly #chance: Chance
  #signatures = 0

  constructor(world: World) {
    this.#world = world
    this.#chance = chanceOf(world.seed, "signing")
  }

  get life(): Effect.Effect<void> {
    const { blockMs, chaosMs } = this.#world.profile
    const defaultMs = chaosMs / actsEach
    if (blockMs > slowestBlockMs) return Effect.void
    return Effect.gen({ self: this }, function* () {
      for (let acted = 0; acted < actsEach && this.#world.isStormy; acted++) {
        yield* pause(this.#world, this.#chance, defaultMs)
        const request = this.#chance.some(this.#asking)
        if (request === undefined) continue
        const signed = this.#sign(request)
        const copies = this.#chance.has(0.3) ? 2 : 1
        for (let copy = 0; copy < copies; copy++) {
          this.#world.fork(this.#handIn(request, signed))
        }
      }
    })
  }

  /** Mostly those that wait for money; a signature for another is turned down. */
  get #asking(): ReadonlyArray<PaymentRequest> {
    const all = this.#world.stores.all("payment requests")
    const waiting = all.filter(({ status }) => status === "open" || status === "partially_paid")
    return waiting.length > 0 && this.#chance.has(0.85) ? waiting : all
  }

  /** By a wallet of its own each time, so that a payment tells which signature it was made by. */
  #sign(request: PaymentRequest): Signed {
    this.#signatures += 1
    const chain = ScriptedChain.find(this.#world.chain)
    const { chainId } = this.#world
    const isSolana = chainId === "local-solana"
    const from = isSolana
      ? anAddressOn(chainId, 0x51_00_00 + this.#signatures)
      : hex("51", this.#signatures, 40)
    const left = request.amountMicro - request.receivedMicro
    const amountMicro = left > 0n && this.#chance.has(0.9) ? left : request.amountMicro + 1n
    const funding = { chainId, from: anAddressOn(chainId, 0), to: from, amountMicro }
    if (this.#chance.has(0.95)) {
      const { nowMs } = this.#world
      const payment = ScriptedChain.sign(this.#world.chain, funding)
      ScriptedChain.mine(this.#world.chain, chain, nowMs, [payment])
    }
    const seconds = DateTime.toEpochMillis(ScriptedChain.timeOf(chain, this.#world.nowMs)) / 1000
    if (isSolana) return this.#signOnSolana(request, from, Usdc.make(amountMicro), seconds)
    const authorization = signedByPayer({
      act: "transfer",
      chainId,
      token: chain.connected.usdc,
      from: Value.key(from),
      to: Value.key(request.payToAddress),
      amountMicro: Usdc.make(amountMicro),
      nonce: hex("", this.#signatures, 64),
      validBefore: seconds + secondsToLand
    })
    const { nonce, to: payTo, token } = authorization
    const terms = { chainId, token, payTo, amountMicro: Usdc.make(amountMicro), maxTimeoutSeconds }
    const accepted = { ...terms, name: "USD Coin", version: "2" }
    return { authorization, accepted, payload: { x402Version: 2, nonce } }
  }

  /** A whole transaction, which names a block that is good for a minute and a half. */
  #signOnSolana(
    request: PaymentRequest,
    from: string,
    amountMicro: Usdc.Usdc,
    seconds: number
  ): Signed {
    const { chainId } = this.#world
    const { connected } = ScriptedChain.find(this.#world.chain)
    const payTo = keyOf(chainId, request.payToAddress)
    const authorization = signedOnSolana({
      act: "transfer",
      chainId,
      token: connected.usdc,
      from: keyOf(chainId, from),
      to: payTo,
      amountMicro,
      nonce: hex("", this.#signatures, 64).slice(2),
      feePayer: keyOf(chainId, relayer),
      blockhash: String(Math.floor(seconds) + secondsOfABlock),
      units: 20_000,
      priority: 1n,
      memo: request.pid
    })
    const terms = { chainId, token: connected.usdc, payTo, amountMicro, maxTimeoutSeconds }
    const accepted = { ...terms, feePayer: relayer, memo: request.pid }
    return { authorization, accepted, payload: { x402Version: 2, nonce: authorization.nonce } }
  }

  #handIn(request: PaymentRequest, signed: Signed): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (let asked = 0; asked < 6 && this.#world.isStormy; asked++) {
        const process = this.#chance.some(this.#world.standing)
        if (process !== undefined) {
          const fiber = this.#world.forkIn(process, Effect.exit(pay(request, signed)))
          yield* Effect.sleep(this.#chance.pick([200, 5000, 40_000]))
          const exit = fiber.pollUnsafe()
          // Nobody waits for ever; the payment goes on without them.
          if (exit === undefined) fiber.interruptUnsafe()
          const answer = exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
          if (answer !== undefined && Exit.isSuccess(answer) && answer.value.outcome !== null)
            return
        }
        yield* Effect.sleep(this.#chance.pick([1000, 20_000, 61_000]))
      }
    })
  }
}
