/**
 * Agents who swap, bridge, send, approve, attach and refund through any process, confirm twice, change their minds
 * while something executes, and hang up.
 */
import { Effect } from "effect"
import type { Transfer } from "../../../core/payments/transfer.ts"
import type { Miner } from "../chain.ts"
import { type Chance, chanceOf } from "../chance.ts"
import { Client, type Conversation } from "../client.ts"
import type { MerchantAccount } from "../merchant-account.ts"
import type { Commit } from "../stores.ts"
import type { World } from "../world.ts"
import { gold, usdc } from "./setting.ts"

const actsEach = 14

const amounts = ["3.00", "25.00", "240.00", "240.00", "900.00"] as const
const deposits = [4_000_000n, 11_000_000n, 25_000_000n] as const
const pausesMs = [50, 900, 6_000, 31_000, 90_000] as const

type ChainId = "local" | "local-2"

export class Traders {
  readonly conversations: Array<Conversation> = []
  readonly #clients: Array<Client> = []
  readonly #world: World
  readonly #miner: Miner
  readonly #chance: Chance

  constructor(world: World, miner: Miner) {
    this.#world = world
    this.#miner = miner
    this.#chance = chanceOf(world.seed, "trading")
  }

  start(): void {
    const { accounts } = this.#world
    const count = 2 + this.#chance.below(3)
    for (let at = 0; at < count; at++) {
      // Most act for one account, and so get into each other's way.
      const account = accounts[this.#chance.has(0.7) ? 0 : 1]
      const name = `trader${at}`
      const client = new Client(this.#world, this.#chance, account, name, this.conversations)
      this.#clients.push(client)
      this.#world.fork(this.#life(client))
    }
  }

  #life(client: Client): Effect.Effect<void> {
    const eachMs = this.#world.profile.chaosMs / actsEach
    return Effect.gen({ self: this }, function* () {
      for (let acted = 0; acted < actsEach && this.#world.isStormy; acted++) {
        yield* Effect.sleep(this.#chance.below(2 * eachMs))
        yield* this.#act(client)
      }
    })
  }

  #act(client: Client): Effect.Effect<unknown> {
    const dice = this.#chance.next()
    if (dice < 0.34) return this.#swap(client)
    if (dice < 0.56) return this.#bridge(client)
    if (dice < 0.68) return this.#send(client)
    if (dice < 0.76) return this.#approve(client)
    if (dice < 0.8) return this.#open(client)
    if (dice < 0.86) return this.#payVault(client.account)
    return this.#settleDeposit(client)
  }

  /** An order was decided, and is signed next: now and then somebody cancels at that very moment. */
  heard(commit: Commit): void {
    if (!this.#world.isStormy) return
    for (const { after } of commit.of("waits")) {
      const journal = after?.wait.journal ?? {}
      if (journal.order === undefined || journal.signed !== undefined) continue
      const client = this.#clients.find(
        ({ account }) => account.accountId === after?.wait.accountId
      )
      if (client === undefined || !this.#chance.has(0.15)) continue
      const proposalId = after?.wait.proposalId ?? ""
      const cancelling = client.ask("cancel_proposal", { proposalId })
      this.#world.fork(Effect.andThen(Effect.yieldNow, cancelling))
    }
  }

  #walletOf({ accountId }: MerchantAccount, chainId: ChainId, kind = "standard") {
    const wallet = this.#world.stores
      .all("wallets")
      .find(
        (each) => each.accountId === accountId && each.chainId === chainId && each.kind === kind
      )
    if (wallet === undefined) throw new Error(`There is no ${kind} wallet on ${chainId}.`)
    return wallet
  }

  /** Confirms what was proposed, now and then twice at once, or with somebody who cancels meanwhile. */
  #started(client: Client, proposed: { readonly proposalId: string } | undefined) {
    if (proposed === undefined || this.#chance.has(0.06)) return Effect.void
    const { proposalId } = proposed
    if (this.#chance.has(0.3)) this.#world.fork(this.#changeMind(client, proposalId))
    const confirming = client.ask("confirm_proposal", { proposalId })
    return this.#chance.has(0.2)
      ? Effect.all([confirming, client.ask("confirm_proposal", { proposalId })], {
          concurrency: "unbounded"
        })
      : confirming
  }

  #changeMind(client: Client, proposalId: string): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      yield* Effect.sleep(this.#chance.pick(pausesMs))
      if (this.#world.isStormy) yield* client.ask("cancel_proposal", { proposalId })
    })
  }

  #swap(client: Client) {
    const isBuying = this.#chance.has(0.6)
    const [sell, buy] = isBuying ? [usdc.local, gold] : [gold, usdc.local]
    const asked = client.ask("propose_swap", {
      fromWalletId: this.#walletOf(client.account, "local").id,
      sellSymbol: isBuying ? "USDC" : "GOLD",
      sellTokenAddress: sell,
      buySymbol: isBuying ? "GOLD" : "USDC",
      buyTokenAddress: buy,
      amountUsd: this.#chance.pick(amounts),
      slippagePercent: this.#chance.pick([0.5, 1, 2.5])
    })
    return Effect.flatMap(asked, (proposed) => this.#started(client, proposed))
  }

  #bridge(client: Client) {
    const [from, to] = this.#chance.pick<readonly [ChainId, ChainId]>([
      ["local", "local-2"],
      ["local", "local-2"],
      ["local-2", "local"]
    ])
    const asked = client.ask("propose_bridge", {
      fromWalletId: this.#walletOf(client.account, from).id,
      toWalletId: this.#walletOf(client.account, to).id,
      sellSymbol: "USDC",
      buySymbol: "USDC",
      sellTokenAddress: usdc[from],
      buyTokenAddress: usdc[to],
      amountUsd: this.#chance.pick(amounts)
    })
    return Effect.flatMap(asked, (proposed) => this.#started(client, proposed))
  }

  get #payees() {
    return this.#world.stores.all("recipients")
  }

  #payeeOf({ accountId }: MerchantAccount, chainId: ChainId): string {
    const found = this.#payees.find(
      (each) => each.accountId === accountId && each.chainId === chainId
    )
    return found?.id ?? "nobody"
  }

  #send(client: Client) {
    const asked = client.ask("propose_transfer", {
      fromWalletId: this.#walletOf(client.account, "local").id,
      recipientId: this.#payeeOf(client.account, "local"),
      amountUsdc: this.#chance.pick(amounts)
    })
    return Effect.flatMap(asked, (proposed) => this.#started(client, proposed))
  }

  #approve(client: Client) {
    const isGold = this.#chance.has(0.4)
    const asked = client.ask("propose_token_approve", {
      fromWalletId: this.#walletOf(client.account, "local").id,
      tokenAddress: isGold ? gold : usdc.local,
      flow: "intent_swap",
      amountSmallestUnit: isGold ? "400000000000000000000" : this.#chance.pick(["900000000", "0"])
    })
    return Effect.flatMap(asked, (proposed) => this.#started(client, proposed))
  }

  #open(client: Client) {
    return client.ask("create_payment_request", {
      walletMappingId: this.#walletOf(client.account, "local", "collection").id,
      amountSmallestUnit: this.#chance.pick(deposits).toString(),
      expiryDays: 1
    })
  }

  /** Somebody pays what nobody asked for, or what is matched to a request. */
  #payVault(account: MerchantAccount): Effect.Effect<void> {
    return Effect.sync(() => {
      const vault = this.#walletOf(account, "local", "collection")
      const amount = this.#chance.pick(deposits) + (this.#chance.has(0.7) ? 1_000_000n : 0n)
      this.#miner.send(vault.address, amount, this.#chance.has(0.4))
    })
  }

  /** Money that counts for nothing: it goes back, or is attached to a request, and now and then both at once. */
  #settleDeposit(client: Client): Effect.Effect<unknown> {
    const { accountId } = client.account
    const deposit = this.#chance.some(
      this.#world.stores
        .all("transfers")
        .filter((each) => each.accountId === accountId && isDeposit(each))
    )
    if (deposit === undefined) return this.#payVault(client.account)
    const dice = this.#chance.next()
    if (dice < 0.3) return this.#attach(client, deposit)
    if (dice < 0.5) return this.#refund(client, deposit)
    return Effect.all([this.#refund(client, deposit), this.#attach(client, deposit)], {
      concurrency: "unbounded"
    })
  }

  #attach(client: Client, { id, vaultId }: Transfer): Effect.Effect<unknown> {
    const request = this.#chance.some(
      this.#world.stores.all("payment requests").filter((each) => each.vaultId === vaultId)
    )
    if (request === undefined) return this.#open(client)
    return Effect.gen({ self: this }, function* () {
      yield* Effect.sleep(this.#chance.pick(pausesMs))
      yield* client.ask("resolve_deposit", { depositId: id, action: "attach", pid: request.pid })
    })
  }

  #refund(client: Client, { id }: Transfer): Effect.Effect<unknown> {
    const recipientId = this.#payeeOf(client.account, "local")
    const asked = client.ask("propose_refund", { depositId: id, recipientId })
    return Effect.flatMap(asked, (proposed) => this.#started(client, proposed))
  }
}

const isDeposit = ({ requestId, resolution, state }: Transfer) =>
  requestId === null && resolution === null && state === "final"
