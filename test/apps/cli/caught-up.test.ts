/**
 * `bursar reconcile` on records that are older than marks which were taken back: they sign on Solana again once the
 * chain was looked at by a node that shows everything since the first wallet, and not before.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as Keyring from "../../../adapters/secrets/keyring.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import { connections } from "../../../apps/server/chains.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { databaseOf } from "../../../apps/server/database.ts"
import { treasury } from "../../../apps/server/wiring.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { usdc } from "../../../core/chains/usdc.ts"
import * as RateLimit from "../../../core/operation/rate-limit.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import * as TreasurySettings from "../../../core/treasury/settings.ts"
import { submitting } from "../../../core/treasury/workers.ts"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as ShiftedClock from "../../support/shifted-clock.ts"
import { amountMicro, signable } from "../../support/signable-orders.ts"
import * as Solana from "../../support/solana.ts"
import * as Stored from "../../support/stored-rows.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const chainId = "solana-devnet"
const genesis = `${Chain.find(chainId)?.caip2.split(":")[1]}xxxxxxxxxxxx`

/** A node of the local chain that passes for one of devnet, and its mint for devnet's. */
const devnetNode = Effect.gen(function* () {
  const chain = yield* LocalSolana
  const known = usdc as Record<string, string>
  const own = String(known[chainId])
  const setMint = (mint: string) =>
    Effect.sync(() => void Object.assign(known, { [chainId]: mint }))
  yield* Effect.acquireRelease(setMint(chain.usdc), () => setMint(own))
  const answered = async (body: string) => {
    const response = await fetch(chain.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body
    })
    const { method } = JSON.parse(body) as { readonly method?: string }
    const text = await response.text()
    if (method !== "getGenesisHash") return text
    return JSON.stringify({ ...(JSON.parse(text) as object), result: genesis })
  }
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part: Buffer) => {
      body += part.toString()
    })
    request.on("end", () => void answered(body).then((text) => response.end(text)))
  })
  const listening = new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  yield* Effect.acquireRelease(
    Effect.promise(() => listening),
    () => Effect.sync(() => server.close())
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

const directory = temporaryFolder("bursar-caught-up-")

const before = new Date(Date.now() - 50 * 3_600_000).toISOString()
const reclaim = ["reclaim-marks", "--before", before]

/** Records whose key store says that marks were taken back, which they do not know of. */
const older = Effect.gen(function* () {
  const shared = {
    BURSAR_DATA_DIR: yield* directory,
    BURSAR_CHAINS: chainId,
    BURSAR_RPC_SOLANA_DEVNET: yield* devnetNode
  }
  const newest = { ...shared, DATABASE_URL: yield* FreshDatabase.url() }
  assert.strictEqual((yield* ran(reclaim, newest)).exitCode, 0)
  const restored = { ...shared, DATABASE_URL: yield* FreshDatabase.url() }
  assert.include((yield* ran(reclaim, restored)).stderr, "Run bursar reconcile first")
  return restored
})

/** A send of the treasury's own, from its plan to its last final block. */
const sent = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const { advance, giveGas, mint } = yield* LocalSolana
  const configuration = Configuration.read(environment)
  const connected = connections(configuration, environment)
  const keyring = yield* Keyring.load(configuration)
  yield* Effect.gen(function* () {
    yield* giveGas(yield* SolanaRelay.use((relay) => relay.relayerAddress(chainId)))
    const address = Rows.aSolanaAddress()
    const { order, proposal, wallet } = yield* signable({ chainId, recipient: { address } })
    yield* mint(wallet.address, amountMicro)
    yield* advance(2)
    const { amount, identity, to } = order
    const now = yield* DateTime.now
    yield* (yield* SubmissionStore).open(
      SendingRows.aSubmission(
        proposal,
        wallet,
        { to, amount, identity },
        { nextLookAt: now, createdAt: now, updatedAt: now }
      )
    )
    const standing = SubmissionStore.use((store) => store.ofProposals([proposal.id]))
    const passing = Effect.gen(function* () {
      let closed = false
      while (!closed) {
        yield* advance(5)
        yield* Effect.sleep(50)
        closed = (yield* standing).every(({ nextLookAt }) => nextLookAt === null)
      }
    })
    yield* Effect.raceFirst(passing, submitting)
    const [submission] = yield* standing
    assert.strictEqual(submission?.status, "final", submission?.reason ?? "")
  }).pipe(
    Effect.provide(
      treasury({
        database: databaseOf(configuration),
        ...connected,
        keyring,
        webhookSender: { mode: "local" },
        limits: RateLimit.defaults,
        settings: { ...TreasurySettings.defaults, siteUrl: "http://treasury.test", livemode: true }
      })
    )
  )
})

const dayMs = 86_400_000

/** As if three days had passed since. */
const daysLater = ShiftedClock.provide((realMs) => realMs + 3 * dayMs)

const patience = { timeout: 180_000 }

layer(Solana.layer, { excludeTestServices: true, timeout: "60 seconds" })(
  "records from before marks were taken back",
  (it) => {
    it.effect(
      "are told of marks that are taken back: the rent of a send returns, once",
      () =>
        Effect.gen(function* () {
          const { advance } = yield* LocalSolana
          const environment = {
            BURSAR_DATA_DIR: yield* directory,
            BURSAR_CHAINS: chainId,
            BURSAR_RPC_SOLANA_DEVNET: yield* devnetNode,
            DATABASE_URL: yield* FreshDatabase.url()
          }
          yield* sent(environment)
          const young = yield* ran(reclaim, environment)
          assert.include(young.stdout, "0 marks taken back")
          const horizon = new Date(Date.now() + dayMs).toISOString()
          const later = daysLater(ran(["reclaim-marks", "--before", horizon], environment))
          const passing = Effect.forever(Effect.andThen(advance(1), Effect.sleep(20)))
          const done = yield* Effect.raceFirst(later, passing)
          assert.strictEqual(done.exitCode, 0, done.stderr)
          assert.include(done.stdout, "1 mark taken back, 0.00144768 SOL returned")
          assert.include(done.stderr, "1 mark taken back so far")
          assert.include((yield* later).stdout, "0 marks taken back, 0 SOL")
        }).pipe(Effect.scoped),
      patience
    )

    it.effect(
      "may sign again once they were held against the chain",
      () =>
        Effect.gen(function* () {
          const restored = yield* older
          const reconciled = yield* ran(["reconcile"], restored)
          assert.strictEqual(reconciled.exitCode, 0, reconciled.stderr)
          assert.include(reconciled.stderr, "may sign payments on Solana again")
          // Their line is another one now, and has not read its chains: the horizon stays where it is.
          const held = yield* ran(reclaim, restored)
          assert.strictEqual(held.exitCode, 1)
          assert.include(held.stderr, "The records may lack the newest payments")
          assert.notInclude((yield* ran(["reconcile"], restored)).stderr, "again")
        }).pipe(Effect.scoped),
      patience
    )

    it.effect(
      "do not, by a node that has forgotten what was since their first wallet",
      () =>
        Effect.gen(function* () {
          const restored = yield* older
          const createdAt = DateTime.makeUnsafe("2020-01-01T00:00:00Z")
          const address = Rows.aSolanaAddress()
          yield* Stored.vault({ chainId, address, createdAt }).pipe(
            Effect.provide(office(Configuration.read(restored)))
          )
          const { forget } = yield* LocalSolana
          yield* forget(true)
          const reconciled = yield* Effect.ensuring(ran(["reconcile"], restored), forget(false))
          assert.strictEqual(reconciled.exitCode, 1)
          assert.match(
            reconciled.stdout,
            /forgotten what was before .*; name one that keeps all since 2020-01-01/u
          )
          assert.include(reconciled.stderr, "still sign nothing on Solana")
          assert.strictEqual((yield* ran(reclaim, restored)).exitCode, 1)
        }).pipe(Effect.scoped),
      patience
    )
  }
)
