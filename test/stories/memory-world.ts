/** The world in memory: the published test treasury, its own clock, webhooks verified as a merchant does. */
import { Effect } from "effect"
import { verifyWebhook, type WebhookEvent } from "../../adapters/receiver/verify.ts"
import type { PromiseCalls } from "../../apps/testing/calls.ts"
import { openTreasury, type TestTreasury } from "../../apps/testing/treasury.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Refusal } from "../../core/operation/refusal.ts"
import { aHuman } from "../support/enrolled-human.ts"
import { type Calls, type Receiver, Refused, type World } from "./world.ts"

const refusedOf = (error: unknown) => {
  const refusal = error as Refusal
  return new Refused({
    code: refusal._tag,
    outcome: refusal.outcome ?? "not_executed",
    message: refusal.message
  })
}

const effectsOf = (calls: () => Promise<PromiseCalls>): Calls =>
  // One entry per operation, as the proxy is asked for it.
  new Proxy({} as Calls, {
    get: (_, name: keyof PromiseCalls) => (input: never, idempotencyKey?: string) =>
      Effect.tryPromise({
        try: async () => {
          const call = (await calls())[name] as (
            input: never,
            options: { readonly idempotencyKey?: string }
          ) => Promise<unknown>
          return call(input, idempotencyKey === undefined ? {} : { idempotencyKey })
        },
        catch: refusedOf
      })
  })

const receiverOf = (treasury: TestTreasury, url: string): Receiver => {
  let secret = ""
  const read = Effect.promise(async () => {
    const arrived: Array<WebhookEvent> = []
    let rejected = 0
    for (const webhook of await treasury.webhooks()) {
      if (webhook.url !== url) continue
      try {
        const nowSeconds = Math.floor(Date.parse(webhook.at) / 1000)
        arrived.push(verifyWebhook({ ...webhook, secret, nowSeconds }))
      } catch {
        rejected += 1
      }
    }
    return { arrived, rejected }
  })
  return {
    url,
    arrived: Effect.map(read, ({ arrived }) => arrived),
    rejected: Effect.map(read, ({ rejected }) => rejected),
    trust: (next) =>
      Effect.sync(() => {
        secret = next
      }),
    answerWith: (status) => Effect.promise(() => treasury.route(url, { _tag: "answers", status }))
  }
}

type Offered =
  Parameters<TestTreasury["operate"]>[0] extends Effect.Effect<infer _A, infer _E, infer R>
    ? R
    : never

const patience = 50

export const memoryWorld = Effect.gen(function* () {
  const treasury = yield* Effect.acquireRelease(
    Effect.promise(() => openTreasury()),
    (opened) => Effect.promise(() => opened.close())
  )
  let receivers = 0
  const world: World = {
    calls: effectsOf(() => Promise.resolve(treasury.developer.call)),
    agent: effectsOf(() => Promise.resolve(treasury.agent.call)),
    fundingWalletSigns: (message) =>
      Effect.promise(() => treasury.agent.fundingWallet.sign(message)),
    person: Effect.gen(function* () {
      const { accountId } = treasury.developer
      const human = yield* Effect.promise(() => treasury.operate(aHuman(accountId)))
      const statusOf = <E>(work: Effect.Effect<{ readonly status: string }, E, Offered>) =>
        Effect.tryPromise({
          try: async () => (await treasury.operate(work)).status,
          catch: refusedOf
        })
      return {
        approves: (proposalId) => statusOf(human.approve(proposalId)),
        signs: (requestId) => statusOf(human.govern(requestId))
      }
    }),
    balanceOf: (address) =>
      Effect.promise(async () => Usdc.parse(await treasury.balanceOf(address)) ?? 0n),
    callsWith: (apiKey) => effectsOf(() => treasury.as(apiKey)),
    usdc: treasury.durable.chain.scripted.get("local")?.connected.usdc ?? "",
    confirmations: 3,
    pay: (to, amountMicro) => Effect.promise(() => treasury.send(to, Usdc.format(amountMicro))),
    mine: (blocks) => Effect.promise(() => treasury.mine(blocks)),
    reorganise: (depth, keep) => Effect.promise(() => treasury.reorg(depth, keep)),
    chainTimePasses: (seconds) => Effect.promise(() => treasury.chainTimePasses(seconds)),
    airdrop: (dropped) => Effect.promise(() => treasury.airdrop(dropped)),
    giveCoins: (to, amount) => Effect.promise(() => treasury.giveCoins(to, amount)),
    priceCoin: (usd, change) => Effect.promise(() => treasury.priceCoin(usd, change)),
    marketAway: (away) => Effect.promise(() => treasury.marketAway(away)),
    chainAway: (away) => Effect.promise(() => treasury.chainAway(away)),
    receiver: Effect.gen(function* () {
      receivers += 1
      const url = `https://merchant${receivers}.example.com/webhooks`
      yield* Effect.promise(() => treasury.route(url, { _tag: "answers", status: 200 }))
      return receiverOf(treasury, url)
    }),
    until: Effect.fnUntraced(function* (sentence, ask) {
      for (let turn = 0; turn < patience; turn++) {
        const answer = yield* ask
        if (answer !== undefined) return answer
        yield* Effect.promise(() => treasury.advance("1 second"))
      }
      return yield* Effect.die(new Error(`In vain: ${sentence}`))
    }),
    watched: Effect.promise(() => treasury.advance("1 second"))
  }
  return world
})
