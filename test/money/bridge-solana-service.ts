/**
 * What carries bridges to Solana and back, in a process of its own that can be told where to die: the ports as they are served,
 * each able to be the last thing it calls, and the workers of submissions and waits over them.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer, Redacted } from "effect"
import * as Server from "../../adapters/postgres/server.ts"
import type * as Keyring from "../../adapters/secrets/keyring.ts"
import { seedAccounts } from "../../apps/sandbox/seed.ts"
import { treasury } from "../../apps/server/wiring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Address from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import * as RateLimit from "../../core/operation/rate-limit.ts"
import { Outlay } from "../../core/policy/outlay-ledger.ts"
import { plans } from "../../core/policy/plan.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { TokenAccounts } from "../../core/ports/token-accounts.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { submitting, waiting } from "../../core/treasury/workers.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Crash from "../kill/crash.ts"
import { around } from "../support/port-wrapper.ts"
import type { Beginning, Direction, Question, Settings, State } from "./bridge-solana-settings.ts"
import { serve } from "./process.ts"

const settings = JSON.parse(process.env.KILL_SETTINGS ?? "") as Settings

const pollMs = 50
const chainOf = (id: string) => Chain.find(id) as Chain.Chain

const most = 10n ** 24n
const boundless = { personal: most, startup: most, installation: most }

const ports = (keyring: Keyring.Keyring) =>
  treasury({
    database: Server.layer({ url: Redacted.make(settings.databaseUrl), maxConnections: 6 }),
    chains: [
      {
        chain: chainOf("local"),
        usdc: settings.evm.usdc,
        rpcUrl: settings.evm.rpcUrl,
        confirmations: 3,
        pollMs,
        mayRestart: true
      }
    ],
    solana: [
      {
        chain: chainOf("local-solana"),
        usdc: settings.solana.usdc,
        rpcUrls: [settings.solana.rpcUrl],
        cctpTable: settings.solana.table,
        confirmations: 32,
        pollMs
      }
    ],
    bridging: { attestations: { local: settings.attestationUrl } },
    keyring,
    webhookSender: { mode: "local" },
    limits: RateLimit.defaults,
    settings: {
      ...TreasurySettings.defaults,
      siteUrl: "http://treasury.test",
      livemode: false,
      // Each run has a wallet of its own, and all of them one day.
      plans: {
        personal: { ...plans.personal, maxWallets: 10_000 },
        startup: { ...plans.startup, maxWallets: 10_000 }
      },
      outlay: { ...TreasurySettings.defaults.outlay, local: boundless, "local-solana": boundless }
    }
  })

/** The same ports, each able to be the last thing this process calls. */
const mortal = (all: ReturnType<typeof ports>) =>
  Layer.mergeAll(
    Crash.atCommit(all),
    around(SubmissionStore, all, Crash.wrap),
    around(WaitStore, all, Crash.wrap),
    around(EvmRelay, all, Crash.wrap),
    around(SolanaRelay, all, Crash.wrap),
    around(TokenAccounts, all, Crash.wrap),
    around(Outlay, all, Crash.wrap),
    around(Proposals, all, Crash.wrap),
    around(Spending, all, Crash.wrap)
  ).pipe(Layer.provideMerge(all))

const begin = Effect.gen(function* () {
  const { agentKey } = yield* seedAccounts(undefined, Address.shown("local", settings.payer))
  const evm = yield* EvmRelay.use((relay) => relay.relayerAddress("local"))
  const solana = yield* SolanaRelay.use((relay) => relay.relayerAddress("local-solana"))
  const beginning: Beginning = { agentKey, relayers: { evm, solana } }
  return beginning
})

const calls = Effect.gen(function* () {
  const caller = yield* authenticate(settings.agentKey ?? "")
  return callsOf(caller)
})

/** The account's wallet on the EVM chain: as the oldest of all it stands on the last page. */
const firstWallet = Effect.gen(function* () {
  const call = yield* calls
  let cursor: string | undefined
  do {
    const { nextCursor, wallets } = yield* call.list_wallets({
      kind: "standard",
      limit: 100,
      ...(cursor === undefined ? {} : { cursor })
    })
    const found = wallets.find(({ chainId }) => chainId === "local")
    if (found !== undefined) return found
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
  return undefined
})

/** The account's wallet on the EVM chain, and a new one on Solana. */
const wallets = Effect.fnUntraced(function* (name: string, direction: Direction) {
  const call = yield* calls
  const opening = yield* call.propose_create_account({
    chainId: "local-solana",
    walletName: name
  })
  yield* call.confirm_proposal({ proposalId: opening.proposalId })
  const [opened] = (yield* call.list_wallets({ search: name, limit: 1 })).wallets
  const first = yield* firstWallet
  if (first === undefined || opened === undefined) throw new Error("A wallet is missing.")
  const onEvm = { id: first.id, address: first.address }
  const onSolana = { id: opened.id, address: opened.address }
  return direction === "to Solana" ? { from: onEvm, to: onSolana } : { from: onSolana, to: onEvm }
})

const answer = Effect.fnUntraced(function* (question: Question) {
  switch (question.ask) {
    case "arm":
      return Crash.arm(question.point)
    case "begin":
      return yield* begin
    case "wallets":
      return yield* wallets(question.name, question.direction)
    case "propose": {
      const { amountUsd, direction, wallets } = question
      const [evm, solana] = [settings.evm.usdc, settings.solana.usdc]
      const [sell, buy] = direction === "to Solana" ? [evm, solana] : [solana, evm]
      const proposed = yield* (yield* calls).propose_bridge({
        fromWalletId: wallets.from.id,
        toWalletId: wallets.to.id,
        sellTokenAddress: sell,
        buyTokenAddress: buy,
        sellSymbol: "USDC",
        buySymbol: "USDC",
        amountUsd
      })
      return proposed.proposalId
    }
    case "confirm":
      return (yield* (yield* calls).confirm_proposal({ proposalId: question.proposalId })).status
    case "state": {
      const proposal = yield* (yield* calls).get_proposal({ proposalId: question.proposalId })
      const { boughtAmount, outcome, status, statusReason } = proposal
      const state: State = {
        status,
        outcome: outcome ?? null,
        reason: statusReason ?? null,
        bought: boughtAmount ?? null
      }
      return state
    }
  }
})

serve({
  directory: settings.directory,
  aheadMs: () => settings.aheadMs,
  parts: (keyring) => mortal(ports(keyring)),
  start:
    settings.agentKey === null
      ? Effect.void
      : Effect.all([Effect.forkScoped(submitting), Effect.forkScoped(waiting)]),
  answer
})
