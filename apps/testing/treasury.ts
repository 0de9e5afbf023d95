/**
 * A whole treasury in one process for test suites: no database, no chain, no clock but its own. Nothing
 * is global, so many can run side by side, and the same seed repeats a run exactly.
 *
 * @example
 * import { openTreasury } from "bursar/testing"
 * const treasury = await openTreasury()
 * const { call } = treasury.developer
 * const { wallets } = await call.list_wallets({ limit: 10 })
 * console.log(wallets.length)
 * await treasury.close()
 */
import { DateTime, type Duration, Effect, Layer, ManagedRuntime, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { type Airdrop, ChainScript } from "../../adapters/memory/chains.ts"
import { type Failure as MailFailure, MailScript } from "../../adapters/memory/mail.ts"
import { PriceScript } from "../../adapters/memory/prices.ts"
import { MemoryStore } from "../../adapters/memory/store.ts"
import {
  type Behaviour,
  type Captured,
  WebhookSenderScript
} from "../../adapters/memory/webhook-sender.ts"
import type { WebhookEvent } from "../../adapters/receiver/event.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Facts as CallerFacts } from "../../core/operation/caller.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Message } from "../../core/ports/mail.ts"
import { Notifier } from "../../core/ports/notifier.ts"
import type { Listed } from "../../core/tokens/token.ts"
import type { Needs } from "../../core/treasury/treasury.ts"
import { work } from "../../core/treasury/workers.ts"
import { type PromiseCalls, promisesOf } from "./calls.ts"
import { SeededScheduler } from "./scheduler.ts"
import { bothFurnished, fundingWallet, type Seeded } from "./seed.ts"
import * as Wiring from "./wiring.ts"

/** How a treasury is opened; every field has a default. */
export interface Options {
  /** Replays ids, jitter and, when `interleaves` is set, the order of fibers. Default 1. */
  readonly seed?: number
  /** Lets the seed choose which fiber runs next; in order otherwise. */
  readonly interleaves?: boolean
  /** The clock's start, ISO 8601. Default `2030-01-01T00:00:00Z`. */
  readonly startsAt?: string
  /** The chains to connect to; what names none is about the first. Default: `local`. */
  readonly chains?: ReadonlyArray<Wiring.ChainId>
  /** The tokens that the operator vouches for, beside USDC. Default: none. */
  readonly tokens?: ReadonlyArray<Listed>
  /** The durable state of another treasury, to open it again as after a restart. */
  readonly durable?: Wiring.Durable
}

/** An account with a key that may do everything, a wallet to send from, and a customer's vault to collect on. */
export interface TestAccount {
  readonly accountId: string
  readonly apiKey: string
  readonly wallet: { readonly id: string; readonly address: string }
  readonly vault: { readonly id: string; readonly address: string }
  /** The operations, as this account. */
  readonly call: PromiseCalls
}

/** One webhook as it was carried, with the event parsed. */
export interface CapturedWebhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly event: WebhookEvent
  readonly at: string
}

/** An agent's account, and the wallet that signs when it governs. */
export interface TestAgent extends TestAccount {
  readonly fundingWallet: {
    readonly address: string
    /** Signs a challenge's message. */
    readonly sign: (message: string) => Promise<string>
  }
}

/** Where USDC is sent, from whom, and what its transaction only names; the first chain and its faucet by default. */
export interface Sending {
  readonly chainId?: string
  readonly from?: string
  readonly references?: ReadonlyArray<string>
}

/** Everything a treasury in memory is made of. */
type Offered = Layer.Success<ReturnType<typeof Wiring.layer>>

/** A treasury under test: its accounts, its chain, its clock, and what it has sent. */
export interface TestTreasury {
  readonly developer: TestAccount
  readonly agent: TestAgent
  /** The operations as whoever holds the key; rejects like a surface when the key is not in force. */
  readonly as: (apiKey: string, fromAddress?: string) => Promise<PromiseCalls>
  /** Runs what an operator does on the records, in one transaction: pausing an account, setting its tier. */
  readonly operate: <A, E>(work: Effect.Effect<A, E, Offered>) => Promise<A>
  /** Pays a request in full, or another decimal amount of USDC, in one block; not final yet. */
  readonly pay: (pid: string, amountUsd?: string) => Promise<string>
  /** Sends USDC to any address, in one block; what it names beside is told to its payee (Solana Pay). */
  readonly send: (to: string, amountUsd: string, sending?: Sending) => Promise<string>
  /**
   * Gives an address tokens other than USDC, of a contract that says of itself what is said here; the
   * contract. Nobody vouches for it, so the portfolio takes it for spam.
   */
  readonly airdrop: (airdrop: Airdrop) => Promise<string>
  /** Gives an address so much of the chain's coin, in its smallest units. */
  readonly giveCoins: (to: string, amount: bigint) => Promise<void>
  /** What the chain's coin costs from now on, in USD, and its change over 24 hours in percent. */
  readonly priceCoin: (usd: string | undefined, change24hPct?: string) => Promise<void>
  /** While the market is away, prices are those of before, and stale. */
  readonly marketAway: (isAway: boolean) => Promise<void>
  /** USDC held by an address, as a decimal. */
  readonly balanceOf: (address: string) => Promise<string>
  /** Mines empty blocks; without a number, enough to make all that was paid final. */
  readonly mine: (blocks?: number, chainId?: string) => Promise<void>
  /** Drops the newest blocks for as many new ones; kept transactions are mined again. */
  readonly reorg: (depth: number, keep?: ReadonlyArray<string>, chainId?: string) => Promise<void>
  /** Lets time pass, everywhere, in order: expiries, retries, leases. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** Moves only the chain's time on, and mines a block there. */
  readonly chainTimePasses: (seconds: number) => Promise<void>
  readonly chainAway: (isAway: boolean) => Promise<void>
  readonly now: () => Promise<string>
  /** What a URL answers from now on; a URL without a route refuses connections. */
  readonly route: (url: string, first: Behaviour, ...then: Array<Behaviour>) => Promise<void>
  /** Every webhook carried so far, oldest first. */
  readonly webhooks: () => Promise<ReadonlyArray<CapturedWebhook>>
  /** Every mail that was taken so far, oldest first. */
  readonly mails: () => Promise<ReadonlyArray<Message>>
  /** How the next mails fail, one after the other; after them all are taken. */
  readonly mailFails: (...failures: ReadonlyArray<MailFailure>) => Promise<void>
  /** Scheduler turns so far, and a digest of the choices made: equal for equal seeds. */
  readonly trace: () => { readonly turns: number; readonly digest: number }
  /** What outlives this process; give it to another treasury after closing this one. */
  readonly durable: Wiring.Durable
  readonly close: () => Promise<void>
}

const runtimeOf = (
  durable: Wiring.Durable,
  { seed = 1, tokens = [] }: Options,
  scheduler: SeededScheduler
) =>
  ManagedRuntime.make(
    Wiring.layer(durable, seed, tokens).pipe(
      Layer.provideMerge(TestClock.layer({ warningDelay: "1 hour" })),
      Layer.provideMerge(Layer.succeed(Scheduler.Scheduler, scheduler))
    )
  )

type AskMarket = (ask: (script: PriceScript["Service"]) => Effect.Effect<void>) => Promise<void>

const marketOver = (market: AskMarket): Pick<TestTreasury, "priceCoin" | "marketAway"> => ({
  priceCoin: (usd, change24hPct) => {
    const change = change24hPct === undefined ? {} : { change24hPct }
    return market(({ quote }) => quote({ chainId: "local", address: null, usd, ...change }))
  },
  marketAway: (isAway) => market(({ outage }) => outage(isAway))
})

type AskChain = <A>(use: (script: ChainScript["Service"]) => Effect.Effect<A>) => Promise<A>

const chainOver = (
  script: AskChain
): Pick<
  TestTreasury,
  "airdrop" | "giveCoins" | "mine" | "reorg" | "chainTimePasses" | "chainAway"
> => ({
  airdrop: (airdrop) => script((chain) => chain.airdrop(airdrop)),
  giveCoins: (to, amount) => script(({ giveCoins }) => giveCoins(to, amount)),
  mine: (blocks = Wiring.confirmations, chainId) => script(({ mine }) => mine(blocks, chainId)),
  reorg: (depth, keep = [], chainId) =>
    script(({ reorg }) => reorg(depth, { keep, ...(chainId === undefined ? {} : { chainId }) })),
  chainTimePasses: (seconds) => script(({ timePasses }) => timePasses(seconds)),
  chainAway: (isAway) => script(({ outage }) => outage(isAway))
})

/** Opens a treasury with a developer account and an agent account. */
export const openTreasury = async (options: Options = {}): Promise<TestTreasury> => {
  const seed = options.seed ?? 1
  const durable = options.durable ?? {
    store: Effect.runSync(MemoryStore.make),
    chain: Wiring.scriptedChain(options.chains ?? ["local"])
  }
  const scheduler = new SeededScheduler(options.interleaves === true ? seed : undefined)
  const runtime = runtimeOf(durable, options, scheduler)
  type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
  const run = async <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> => {
    const answer = await runtime.runPromise(effect)
    await scheduler.idle()
    return answer
  }
  const script = <A>(use: (script: ChainScript["Service"]) => Effect.Effect<A>) =>
    run(
      Effect.flatMap(ChainScript, use).pipe(
        Effect.tap(() => Effect.flatMap(Notifier, (notifier) => notifier.signal("chains")))
      )
    )
  const callsOf = (caller: CallerFacts) =>
    promisesOf(caller, (effect) => run(effect as Effect.Effect<never, never, Needs & Services>))
  const accountOf = ({ caller, ...account }: Seeded) => ({ ...account, call: callsOf(caller) })
  await run(TestClock.setTime(Date.parse(options.startsAt ?? "2030-01-01T00:00:00Z")))
  const [developer, agent] = await run(bothFurnished)
  const workers = runtime.runFork(work({ pollInterval: "1 hour" }))
  await scheduler.idle()
  const send = (to: string, amountMicro: bigint, sending: Sending = {}) =>
    script(({ pay }) => pay({ ...sending, to, amountMicro }))
  return {
    developer: accountOf(developer),
    agent: {
      ...accountOf(agent),
      fundingWallet: {
        address: fundingWallet.address,
        sign: (message) => fundingWallet.signMessage({ message })
      }
    },
    as: async (apiKey, fromAddress) => callsOf(await run(authenticate(apiKey, fromAddress))),
    operate: (work) => run(Effect.flatMap(Atomically, (atomically) => atomically.run(work))),
    pay: async (pid, amountUsd) => {
      const request = await run(
        Effect.flatMap(PaymentRequests, (requests) => requests.findPublic(pid))
      )
      if (request === undefined) throw new Error(`There is no payment request ${pid}.`)
      const rest = request.amountMicro - request.receivedMicro
      return send(request.payToAddress, amountUsd === undefined ? rest : microOf(amountUsd), {
        chainId: request.chainId,
        references: request.reference === null ? [] : [request.reference]
      })
    },
    send: (to, amountUsd, sending) => send(to, microOf(amountUsd), sending),
    ...chainOver(script),
    ...marketOver((ask) => run(Effect.flatMap(PriceScript, ask))),
    balanceOf: async (address) => Usdc.format(await script(({ balanceOf }) => balanceOf(address))),
    advance: (duration) => run(TestClock.adjust(duration)),
    now: () => run(Effect.map(DateTime.now, DateTime.formatIso)),
    route: (url, first, ...then) =>
      run(
        Effect.flatMap(WebhookSenderScript, (webhookSender) =>
          webhookSender.route(url, first, ...then)
        )
      ),
    webhooks: async () => {
      const webhookRequests = await run(
        Effect.flatMap(WebhookSenderScript, (webhookSender) => webhookSender.captured)
      )
      return webhookRequests.map(captured)
    },
    mails: () => run(Effect.flatMap(MailScript, ({ taken }) => taken)),
    mailFails: (...failures) => run(Effect.flatMap(MailScript, ({ fail }) => fail(...failures))),
    trace: () => ({ turns: scheduler.turns, digest: scheduler.trace }),
    durable,
    close: async () => {
      workers.interruptUnsafe()
      await runtime.dispose()
    }
  }
}

const captured = ({ url, headers, body, at }: Captured): CapturedWebhook => ({
  url,
  headers,
  body,
  event: JSON.parse(body) as WebhookEvent,
  at: DateTime.formatIso(at)
})

const microOf = (amountUsd: string): bigint => {
  const micro = Usdc.parse(amountUsd)
  if (micro === undefined) throw new Error(`${amountUsd} is not an amount of USDC.`)
  return micro
}
