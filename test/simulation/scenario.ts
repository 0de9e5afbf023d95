/**
 * Who lives in a simulated world: merchants who provision customers, ask for money and listen for
 * webhooks, and payers who pay exactly, partly, too much, too late, or twice.
 */
import { DateTime, Effect } from "effect"
import type { Behaviour } from "../../adapters/memory/webhook-sender.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import type { Subscribable } from "../../core/webhooks/endpoint.ts"
import { Miner } from "./chain.ts"
import { type Chance, chanceOf } from "./chance.ts"
import { Client, type Conversation } from "./client.ts"
import { pause } from "./pause.ts"
import { SigningPayers } from "./signing.ts"
import { Senders } from "./solana/senders.ts"
import type { World } from "./world.ts"

const actsEach = 14
const usdc = 1_000_000n

/** Few, so that several requests of one vault ask for the same. */
const amounts = [5n * usdc, 5n * usdc, 8n * usdc, 20n * usdc] as const

const everything: ReadonlyArray<Subscribable> = [
  "payment_request.created",
  "payment_request.paid",
  "payment_request.payment_failed",
  "payment_request.expired"
]

const delaysMs = [0, 3, 250, 9_999] as const

const behaviour = (chance: Chance, good: number): Behaviour => {
  const delayMs = chance.pick(delaysMs)
  if (chance.has(good)) return { _tag: "answers", status: chance.pick([200, 204]), delayMs }
  return chance.pick<Behaviour>([
    { _tag: "answers", status: 500, delayMs },
    { _tag: "answers", status: 503, retryAfterMs: chance.pick([10_000, 3_600_000]) },
    { _tag: "answers", status: 302, delayMs },
    { _tag: "fails", reason: "reset", delayMs },
    { _tag: "silent" },
    { _tag: "silent" },
    chance.has(0.3) ? { _tag: "answers", status: 410 } : { _tag: "answers", status: 429 }
  ])
}

export class Town {
  readonly conversations: Array<Conversation> = []
  readonly miner: Miner
  readonly #world: World
  readonly #chance: Chance
  readonly #receivers: Chance
  readonly #customers: Array<string>
  #urls = 0

  constructor(world: World) {
    this.#world = world
    this.#chance = chanceOf(world.seed, "clients")
    this.#receivers = chanceOf(world.seed, "receivers")
    this.miner = new Miner(world)
    this.#customers = Array.from({ length: world.profile.customers }, (_, at) => `customer_${at}`)
  }

  start(): void {
    const { clients, payers } = this.#world.profile
    for (let at = 0; at < clients; at++) {
      // Most of them act for one account, and so get into each other's way.
      const account = this.#world.accounts[this.#chance.has(0.8) ? 0 : 1]
      const client = new Client(
        this.#world,
        this.#chance,
        account,
        `client${at}`,
        this.conversations
      )
      this.#world.fork(this.#merchant(client))
    }
    for (let at = 0; at < payers; at++) this.#world.fork(this.#payer())
    this.#world.fork(new SigningPayers(this.#world).life)
    this.#world.fork(new Senders(this.#world, this.conversations).life)
    this.#world.fork(this.miner.life)
  }

  #merchant(client: Client): Effect.Effect<void> {
    const defaultMs = this.#world.profile.chaosMs / actsEach
    return Effect.gen({ self: this }, function* () {
      for (let endpoint = 0; endpoint < this.#world.profile.endpoints; endpoint++) {
        yield* this.#register(client)
      }
      for (const externalId of this.#customers) yield* this.#provision(client, externalId)
      for (let acted = 0; acted < actsEach && this.#world.isStormy; acted++) {
        yield* pause(this.#world, this.#chance, defaultMs)
        yield* this.#act(client)
      }
    })
  }

  #act(client: Client): Effect.Effect<unknown> {
    const dice = this.#chance.next()
    if (dice < 0.2) return this.#open(client)
    if (dice < 0.6) return this.#checkout(client)
    if (dice < 0.72) return this.#onSome(client, "cancel_payment_request", {})
    if (dice < 0.77) return this.#onSome(client, "extend_payment_request", { expiryDays: 1 })
    if (dice < 0.85) return this.#replay(client)
    if (dice < 0.9) return this.#onEndpoint(client, "send_merchant_webhook_test")
    if (dice < 0.93) return this.#onEndpoint(client, "delete_merchant_webhook")
    return dice < 0.97
      ? this.#provision(client, this.#chance.some(this.#customers) ?? "nobody")
      : this.#register(client)
  }

  #provision(client: Client, externalId: string) {
    const { chainId } = this.#world
    return client.ask("create_provisioning_job", { chainId, customers: [{ externalId }] })
  }

  #register(client: Client) {
    this.#urls += 1
    const url = `https://receiver${this.#urls}.example.com/webhooks`
    const { goodReceiver } = this.#world.profile
    const first = Array.from({ length: this.#receivers.below(12) }, () =>
      behaviour(this.#receivers, goodReceiver)
    )
    const last: Behaviour = { _tag: "answers", status: this.#receivers.has(0.85) ? 200 : 500 }
    const [one = last, ...others] = first
    const registering = client.ask("create_merchant_webhook", {
      url,
      description: client.nextKey,
      maxAttempts: this.#receivers.pick([1, 2, 3, 5, 10]),
      events: this.#receivers.has(0.7) ? everything : ["payment_request.paid"]
    })
    return Effect.andThen(this.#world.courierScript.route(url, one, ...others, last), registering)
  }

  #ofAccount(client: Client): ReadonlyArray<PaymentRequest> {
    const { accountId } = client.account
    return this.#world.stores.all("payment requests").filter((each) => each.accountId === accountId)
  }

  get #amountMicro() {
    return this.#chance.pick(amounts)
  }

  #open(client: Client): Effect.Effect<unknown> {
    const { accountId } = client.account
    const vault = this.#chance.some(
      this.#world.stores
        .all("wallets")
        .filter((each) => each.accountId === accountId && each.kind === "collection")
    )
    if (vault === undefined) return Effect.void
    return client.ask("create_payment_request", {
      walletMappingId: vault.id,
      amountSmallestUnit: this.#amountMicro.toString(),
      externalReference: client.nextKey,
      expiryDays: 1
    })
  }

  #checkout(client: Client): Effect.Effect<unknown> {
    const externalId = this.#chance.some(this.#customers) ?? "nobody"
    return client.ask("create_checkout_session", {
      customer: { externalId },
      amountSmallestUnit: this.#amountMicro.toString(),
      externalReference: client.nextKey,
      expiresInMinutes: this.#world.profile.expiryMinutes + this.#chance.below(3)
    })
  }

  #onSome<N extends "cancel_payment_request" | "extend_payment_request">(
    client: Client,
    name: N,
    more: N extends "extend_payment_request" ? { readonly expiryDays: number } : object
  ): Effect.Effect<unknown> {
    const request = this.#chance.some(this.#ofAccount(client))
    if (request === undefined) return Effect.void
    // The two inputs differ by what `more` adds.
    return client.ask(name, { idOrPid: request.pid, ...more } as never)
  }

  #onEndpoint(
    client: Client,
    name: "send_merchant_webhook_test" | "delete_merchant_webhook"
  ): Effect.Effect<unknown> {
    const kept = this.#chance.some(
      this.#world.stores
        .all("webhook endpoints")
        .filter(({ endpoint }) => endpoint.accountId === client.account.accountId)
    )
    return kept === undefined ? Effect.void : client.ask(name, { id: kept.endpoint.id })
  }

  #replay(client: Client): Effect.Effect<unknown> {
    const kept = this.#chance.some(
      this.#world.stores
        .all("deliveries")
        .filter(({ delivery }) => delivery.accountId === client.account.accountId)
    )
    return kept === undefined
      ? Effect.void
      : client.ask("replay_webhook_delivery", { id: kept.delivery.id })
  }

  #payer(): Effect.Effect<void> {
    const defaultMs = this.#world.profile.chaosMs / (2 * actsEach)
    return Effect.gen({ self: this }, function* () {
      for (let acted = 0; acted < 2 * actsEach && this.#world.isStormy; acted++) {
        yield* pause(this.#world, this.#chance, defaultMs)
        this.#pay()
      }
    })
  }

  /** Requests that expire within the second, or just did. */
  get #expiring(): PaymentRequest | undefined {
    return this.#chance.some(
      this.#world.stores.all("payment requests").filter(({ expiresAt, status }) => {
        const isOpen = status === "open" || status === "partially_paid"
        return isOpen && Math.abs(DateTime.toEpochMillis(expiresAt) - this.#world.nowMs) < 1500
      })
    )
  }

  /** Pays at the last moment, while the treasury's node can perhaps not be read. */
  #payAtTheLastMoment(request: PaymentRequest): void {
    if (!this.#world.isCalm && this.#chance.has(0.4)) this.miner.goesAway()
    this.miner.send(request.payToAddress, request.amountMicro, this.#chance.has(0.8))
  }

  /** Mostly somebody pays what is asked; now and then too little, too much, too late, or for nothing. */
  #pay(): void {
    const expiring = this.#expiring
    if (expiring !== undefined && this.#chance.has(0.8)) {
      this.#payAtTheLastMoment(expiring)
      return
    }
    const requests = this.#world.stores.all("payment requests")
    const waiting = requests.filter(({ status }) =>
      ["open", "partially_paid", "processing"].includes(status)
    )
    const request = this.#chance.some(
      waiting.length > 0 && this.#chance.has(0.75) ? waiting : requests
    )
    if (request === undefined) return
    const whole = request.amountMicro
    const amountMicro = this.#chance.pick([
      whole,
      whole,
      whole,
      whole - request.receivedMicro > 0n ? whole - request.receivedMicro : whole,
      whole / 2n,
      whole / 3n,
      whole + usdc,
      9_999n,
      10_000n
    ])
    this.miner.send(request.payToAddress, amountMicro, this.#chance.has(0.4))
  }
}
