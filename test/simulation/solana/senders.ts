/**
 * An agent that sends from a wallet of its own: it proposes and confirms until it knows, like any client, and pays each
 * recipient once. The chain, its forks and its lost transactions do the rest.
 */
import { Effect } from "effect"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { anAddressOn } from "../address.ts"
import { type Chance, chanceOf } from "../chance.ts"
import { Client, type Conversation } from "../client.ts"
import { pause } from "../pause.ts"
import type { World } from "../world.ts"
import { sendsEach } from "./furnishing.ts"

/** Enough that an account is opened for it. */
const minUsdc = 6
const usdc = 1_000_000n
const fundsMicro = 8n * usdc

export class Senders {
  readonly #world: World
  readonly #chance: Chance
  readonly #conversations: Array<Conversation>

  constructor(world: World, conversations: Array<Conversation>) {
    this.#world = world
    this.#chance = chanceOf(world.seed, "sending")
    this.#conversations = conversations
  }

  get life(): Effect.Effect<void> {
    const [, account] = this.#world.accounts
    const client = new Client(this.#world, this.#chance, account, "sender", this.#conversations)
    return Effect.gen({ self: this }, function* () {
      const { profile, stores } = this.#world
      const wallet = stores.all("wallets").find(({ kind }) => kind === "standard")
      if (wallet === undefined) return
      for (const recipient of stores.all("recipients")) {
        yield* pause(this.#world, this.#chance, profile.chaosMs / (2 * sendsEach))
        if (!this.#world.isStormy) return
        this.#fund(wallet.address)
        yield* this.#send(client, wallet.id, recipient.id)
      }
    })
  }

  /** Mostly enough; a fork may take it away again. */
  #fund(to: string): void {
    const { chain, chainId, nowMs } = this.#world
    const amountMicro = this.#chance.has(0.8) ? fundsMicro : usdc
    const payment = ScriptedChain.sign(chain, {
      ...{ chainId, to, amountMicro },
      from: anAddressOn(chainId, 0)
    })
    ScriptedChain.mine(chain, ScriptedChain.find(chain), nowMs, [payment])
  }

  #send(client: Client, fromWalletId: string, recipientId: string): Effect.Effect<unknown> {
    const amountUsdc = `${minUsdc}.${this.#chance.below(1000).toString().padStart(3, "0")}`
    const proposing = client.ask("propose_transfer", { recipientId, fromWalletId, amountUsdc })
    return Effect.flatMap(proposing, (proposed) =>
      proposed === undefined
        ? Effect.void
        : client.ask("confirm_proposal", { proposalId: proposed.proposalId })
    )
  }
}
