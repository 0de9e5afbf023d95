/**
 * What carries sends on Solana, in a process of its own that can be told where to die: the ports as they are served,
 * each able to be the last thing it calls, and the worker of submissions over them.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { DateTime, Effect, Layer, Redacted } from "effect"
import * as Server from "../../adapters/postgres/server.ts"
import type * as Keyring from "../../adapters/secrets/keyring.ts"
import * as KeyStore from "../../adapters/secrets/mark-horizon.ts"
import * as Prices from "../../apps/sandbox/prices.ts"
import * as Horizon from "../../apps/server/mark-horizon.ts"
import { markRent, treasury } from "../../apps/server/wiring.ts"
import { keyOf } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import * as Usdc from "../../core/money/usdc.ts"
import * as RateLimit from "../../core/operation/rate-limit.ts"
import { maxTimeoutSeconds, pay } from "../../core/payments/pay.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { watchOnce } from "../../core/payments/watch.ts"
import { Outlay } from "../../core/policy/outlay-ledger.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Chains } from "../../core/ports/chains.ts"
import { Notifier } from "../../core/ports/notifier.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { MarkRent } from "../../core/solana/mark-rent.ts"
import { behindWaitMs } from "../../core/solana/prepare.ts"
import { pageSize, reclaim as reclaimMarks, signAll } from "../../core/solana/reclaim.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import type { Submission } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { plain } from "../../core/tokens/token.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { submitting } from "../../core/treasury/workers.ts"
import * as Crash from "../kill/crash.ts"
import * as Value from "../support/chain-values.ts"
import { around } from "../support/port-wrapper.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import { signable } from "../support/signable-orders.ts"
import { signableSwap } from "../support/signable-swaps.ts"
import * as Stored from "../support/stored-rows.ts"
import { openAccount } from "./agent.ts"
import { said, serve } from "./process.ts"
import {
  chainId,
  type Meant,
  type Question,
  type Requested,
  type Settings,
  type SettledState
} from "./solana-settings.ts"

const settings = JSON.parse(process.env.KILL_SETTINGS ?? "") as Settings

let { aheadMs } = settings

const chain = Chain.find(chainId) as Chain.Chain
const pollMs = 50

const connection = {
  chain,
  usdc: settings.usdc,
  rpcUrls: [settings.rpcUrl] as const,
  confirmations: 32,
  pollMs,
  jupiter: { url: settings.aggregatorUrl }
}

const ports = (keyring: Keyring.Keyring, markHorizon: DateTime.Utc | undefined) =>
  treasury({
    database: Server.layer({ url: Redacted.make(settings.databaseUrl), maxConnections: 6 }),
    markHorizon,
    chains: [],
    solana: [connection],
    // Whatever the pools say.
    ownPrices: Prices.layer(() => Effect.succeed(BigInt(settings.priceMicro))),
    keyring,
    webhookSender: { mode: "local" },
    limits: RateLimit.defaults,
    settings: {
      ...TreasurySettings.defaults,
      siteUrl: "http://treasury.test",
      livemode: false,
      tokens: [
        {
          ...plain,
          ...{ chainId, symbol: "JUP", name: "Jupiter", decimals: 6 },
          address: Value.address(settings.buy)
        }
      ]
    }
  })

/** Nobody watches for deposits here; sends only ask how often to look. */
const named = <E, R>(all: Layer.Layer<Chains, E, R>) =>
  Layer.effect(
    Chains,
    Effect.map(Chains, (chains) => ({
      ...chains,
      connected: [{ chain, usdc: keyOf(chainId, settings.usdc), confirmations: 32, pollMs }]
    }))
  ).pipe(Layer.provide(all))

/** The same ports, each able to be the last thing this process calls. */
const mortal = (all: ReturnType<typeof ports>) =>
  Layer.mergeAll(
    around(MarkRent, markRent({ solana: [connection] }).pipe(Layer.provide(all)), Crash.wrap),
    Crash.atCommit(all),
    named(all),
    around(SubmissionStore, all, Crash.wrap),
    around(SolanaRelay, all, Crash.wrap),
    around(Outlay, all, Crash.wrap),
    around(PaymentRequests, all, Crash.wrap),
    around(Transfers, all, Crash.wrap),
    around(Proposals, all, Crash.wrap),
    around(Spending, all, Crash.wrap)
  ).pipe(Layer.provideMerge(all))

const sending = ({ accountId, call, keyId, payee }: Meant) =>
  signable({
    accountId,
    chainId,
    keyId,
    recipient: { address: Value.address(payee) },
    proposal: { call }
  })

const swapping = ({ accountId, call, keyId }: Meant) => {
  const { buy, usdc } = settings
  return signableSwap({ accountId, keyId, usdc, buy, proposal: { call } })
}

/** Plants a send or a swap as its confirmation leaves it: executing, reserved and queued. */
const plant = Effect.fnUntraced(function* (meant: Meant) {
  yield* Stored.account({ id: meant.accountId })
  const planting = meant.act === "swap" ? swapping : sending
  const { order, proposal, wallet } = yield* planting(meant)
  const { act, amount, call, identity, to } = order
  const now = yield* DateTime.now
  const times = { nextLookAt: now, createdAt: now, updatedAt: now }
  const submission = SendingRows.aSubmission(
    proposal,
    wallet,
    { act, call, to, amount, identity },
    times
  )
  const name = meant.act === "swap" ? "solana_swap" : submission.purpose.name
  yield* (yield* SubmissionStore).open({
    ...submission,
    purpose: { ...submission.purpose, name }
  })
  yield* (yield* Notifier).signal("submissions")
  return proposal.id
})

const state = Effect.fnUntraced(function* (accountId: string, proposalId: string) {
  const proposal = yield* (yield* Proposals).find(accountId, proposalId)
  const [submission] = yield* (yield* SubmissionStore).ofProposals([proposalId])
  const held = yield* (yield* Spending).heldBy(proposalId)
  return {
    status: proposal?.status,
    reason: proposal?.statusReason,
    waitsFor: submission?.reason ?? null,
    recovered: proposal?.recovered,
    txHashes: proposal?.txHashes,
    reservation: held?.state,
    isClosed: submission?.nextLookAt === null
  }
})

const finalBefore = (before: DateTime.Utc) => (after?: Submission) =>
  SubmissionStore.use((store) => store.finalOn(chainId, { before, after, limit: pageSize }))

const marks = Effect.gen(function* () {
  const all = yield* finalBefore(DateTime.makeUnsafe("2100-01-01T00:00:00Z"))()
  const { standing } = yield* MarkRent
  const payments = all.map(({ terms }) => ({ ...terms, chainId }))
  return (yield* standing(chainId, payments)).length
})

/** Nobody else watches here. A look that fails is made again with the next question. */
const watched = Effect.flatMap(Chains, ({ connected }) =>
  Effect.forEach(connected, (each) => Effect.ignore(watchOnce(each)))
)

const request = Effect.fnUntraced(function* (amountMicro: string) {
  yield* watched
  const { addressOf, open } = yield* WalletKeys
  const { key } = yield* open(chainId, Rows.aKeyId())
  const address = yield* addressOf(chainId, key)
  const vault = yield* Stored.vault({ chainId, key, address })
  const { accountId, id, pid } = yield* Stored.paymentRequest(vault, {
    amountMicro: Usdc.make(BigInt(amountMicro))
  })
  return { id, accountId, pid, payTo: address } satisfies Requested
})

const found = Effect.fnUntraced(function* ({ accountId, id }: Requested) {
  const asked = yield* (yield* PaymentRequests).find(accountId, id)
  return asked ?? (yield* Effect.die(new Error(`There is no request ${id}.`)))
})

/** As the payment link does it, until it has an end. */
const payBy = Effect.fnUntraced(function* (requested: Requested, wire: string) {
  const relay = yield* SolanaRelay
  const asked = yield* found(requested)
  const payTo = keyOf(chainId, requested.payTo)
  const authorization = yield* relay.readSigned(chainId, wire, payTo)
  if ("_tag" in authorization) return yield* Effect.die(new Error(authorization.message))
  const accepted = {
    ...{ chainId, payTo, maxTimeoutSeconds, memo: asked.pid },
    token: keyOf(chainId, settings.usdc),
    amountMicro: asked.amountMicro,
    feePayer: yield* relay.relayerAddress(chainId)
  }
  const payload = { x402Version: 2, nonce: authorization.nonce }
  const { outcome, reason } = yield* pay(asked, { authorization, accepted, payload })
  return { outcome, reason }
})

const settled = Effect.fnUntraced(function* (requested: Requested) {
  yield* watched
  const { receivedMicro, status } = yield* found(requested)
  const standing = yield* (yield* SubmissionStore).standing([requested.id])
  const transfers = yield* (yield* Transfers).ofRequest(requested.id)
  return {
    status,
    receivedMicro: `${receivedMicro}`,
    transfers: transfers.length,
    open: standing.filter(({ nextLookAt }) => nextLookAt !== null).length
  } satisfies SettledState
})

/** As the operator's command does it: the horizon in both places first, then the marks. */
const reclaim = Effect.fnUntraced(function* (beforeMs: number) {
  const before = DateTime.makeUnsafe(beforeMs)
  yield* Horizon.record(before)
  yield* KeyStore.raise({ dataDirectory: settings.directory }, before)
  const reclaimer = { page: finalBefore(before), sign: signAll }
  const { reclaimed } = yield* reclaimMarks(chainId, before, reclaimer, () => Effect.void)
  return reclaimed
})

/** What holding them against the chains comes to, once they are explained; at the next look at what waited for it. */
const reconcile = Effect.gen(function* () {
  const kept = yield* KeyStore.read({ dataDirectory: settings.directory })
  if (kept !== undefined) yield* Horizon.record(kept)
  aheadMs += behindWaitMs + 1
  yield* (yield* Notifier).signal("submissions")
})

const answer = (question: Question) => {
  switch (question.ask) {
    case "arm":
      return Effect.sync(() => Crash.arm(question.point))
    case "wallet":
      return Effect.gen(function* () {
        const { addressOf, open } = yield* WalletKeys
        return yield* addressOf(chainId, (yield* open(chainId, question.keyId)).key)
      })
    case "send":
      return plant(question.meant)
    case "state":
      return state(question.accountId, question.proposalId)
    case "relayer":
      return SolanaRelay.use((relay) => relay.relayerAddress(chainId))
    case "reclaim":
      return reclaim(question.beforeMs)
    case "request":
      return request(question.amountMicro)
    case "pay":
      return payBy(question.requested, question.wire)
    case "settled":
      return settled(question.requested)
    case "marks":
      return marks
    case "reconcile":
      return reconcile
    case "account":
      return Effect.flatMap(Atomically, ({ run }) => run(openAccount(chainId)))
    case "call":
      return said(question)
  }
}

serve({
  directory: settings.directory,
  aheadMs: () => aheadMs,
  parts: (keyring) =>
    Layer.unwrap(
      Effect.map(KeyStore.read({ dataDirectory: settings.directory }), (markHorizon) =>
        mortal(ports(keyring, markHorizon))
      )
    ),
  start: settings.works ? Effect.forkScoped(submitting) : Effect.void,
  answer
})
