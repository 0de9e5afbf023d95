/**
 * I9: nobody is paid a millisecond before their cooldown ends. Proposals, confirmations and simulations at
 * the edge, with a clock that stands where it is put, over the records in memory and on PostgreSQL.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect, Layer, Redacted } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { Store } from "../../adapters/memory/store.ts"
import * as Server from "../../adapters/postgres/server.ts"
import { treasury } from "../../apps/server/wiring.ts"
import * as TestWiring from "../../apps/testing/wiring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as KnownChain from "../../core/chains/chain.ts"
import { issue } from "../../core/keys/create-key.ts"
import { Scope } from "../../core/operation/caller.ts"
import type { Refusal } from "../../core/operation/refusal.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { seedAccounts } from "../../core/treasury/seed.ts"
import * as Settings from "../../core/treasury/settings.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import * as Value from "../support/chain-values.ts"
import * as PostgresServer from "../support/postgres-server.ts"
import * as ShiftedClock from "../support/shifted-clock.ts"
import { addressNamed } from "./chain.ts"
import type { Figure, Part } from "./part.ts"

const edges = [-1, 0, 1] as const
const startMs = Date.UTC(2031, 0, 31, 12)

interface Tally {
  tries: number
  /** Accepted too early, or refused in time. */
  readonly wrong: Array<string>
}

/** A human's calls, an agent's of the same account, and the wallet to send from. */
const seeded = Effect.gen(function* () {
  const opening = Effect.gen(function* () {
    const { account, apiKey, wallet } = yield* seedAccounts({
      kind: "developer",
      name: "Careful",
      tier: "startup",
      chainId: "local",
      customer: { externalId: "customer", namespace: "default" },
      payee: { label: "Payee", address: Value.address(addressNamed("payee")) }
    })
    const { text } = yield* issue({
      accountId: account.id,
      kind: "agent",
      scopes: Scope.literals,
      label: null,
      expiresAt: null
    })
    return { apiKey, agentKey: text, wallet }
  })
  const { agentKey, apiKey, wallet } = yield* (yield* Atomically).run(opening)
  const human = callsOf(yield* authenticate(apiKey))
  return { human, agent: callsOf(yield* authenticate(agentKey)), wallet }
})

type Seeded = Effect.Success<typeof seeded>

const codeOf = <A, R>(call: Effect.Effect<A, Refusal, R>) =>
  Effect.match(call, { onSuccess: () => "accepted", onFailure: ({ _tag }) => _tag as string })

const round = Effect.fnUntraced(function* (
  { agent, human, wallet }: Seeded,
  name: string,
  standAt: (ms: number) => void,
  tally: Tally
) {
  const see = (what: string, edge: number, seen: string) => {
    tally.tries += 1
    const wanted = edge < 0 ? "RECIPIENT_NOT_APPROVED" : "accepted"
    if (seen !== wanted) tally.wrong.push(`${what} at ${edge} ms: ${seen}`)
  }
  const address = addressNamed(name)
  const { proposalId = "" } = yield* human.add_recipient({ address, chainId: "local" })
  yield* human.confirm_proposal({ proposalId })
  const { recipients } = yield* human.list_recipients({ limit: 1 })
  const [{ cooldownEndsAt, id: recipientId } = { cooldownEndsAt: "", id: "" }] = recipients
  const endsAt = Date.parse(String(cooldownEndsAt))
  const send = { recipientId, fromWalletId: wallet.id, amountUsdc: "0.000001" }
  for (const edge of edges) {
    standAt(endsAt + edge)
    const { allowed } = yield* agent.simulate_transfer({ recipientId, amountUsdc: "0.000001" })
    see("simulated", edge, allowed ? "accepted" : "RECIPIENT_NOT_APPROVED")
    see("proposed", edge, yield* codeOf(agent.propose_transfer(send)))
    // Proposed where it is allowed, and confirmed by a clock that is not as far.
    standAt(endsAt)
    const proposed = yield* agent.propose_transfer(send)
    standAt(endsAt + edge)
    const confirm = agent.confirm_proposal({ proposalId: proposed.proposalId })
    see("confirmed", edge, yield* codeOf(confirm))
  }
  standAt(endsAt + 60_000)
})

const frozen = () => {
  let nowMs = startMs
  return {
    standAt: (ms: number) => {
      nowMs = ms
    },
    clocked: ShiftedClock.provide(() => nowMs)
  }
}

type Needs = Effect.Services<ReturnType<typeof round>> | Effect.Services<typeof seeded>

const playedOn = async <R>(
  where: string,
  ports: Layer.Layer<Needs | R>,
  rounds: number,
  fund: (address: string) => Effect.Effect<void, never, R>
): Promise<Figure> => {
  const tally: Tally = { tries: 0, wrong: [] }
  const { clocked, standAt } = frozen()
  const all = Effect.gen(function* () {
    const account = yield* seeded
    yield* fund(account.wallet.address)
    for (let number = 0; number < rounds; number++) {
      yield* round(account, `recipient ${number}`, standAt, tally)
    }
  })
  await Effect.runPromise(clocked(Effect.orDie(Effect.provide(all, ports))))
  return {
    invariant: "I9",
    what: `the end of a cooldown, a millisecond before, at and after it, ${where}`,
    seen:
      `${rounds} recipients, ${tally.tries} tries, ${tally.wrong.length} wrong` +
      tally.wrong.slice(0, 3).map((each) => `; ${each}`),
    holds: tally.wrong.length === 0 && tally.tries === rounds * edges.length * 3
  }
}

const inMemory = Layer.suspend(() =>
  TestWiring.layer({ store: new Store(), chain: TestWiring.scriptedChain(["local"]) }, 1)
)

const funded = (address: string) =>
  Effect.flatMap(ChainScript, (script) => script.fund(address, 1_000_000n))

const plenty = 1_000_000_000

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** What USDC answers when it is asked for its decimals, and the call that asks. */
const asksDecimals = (params: ReadonlyArray<unknown>) =>
  JSON.stringify(params).includes(`"to":"${addressNamed("usdc")}","data":"0x313ce567"`)
const six = `0x${"6".padStart(64, "0")}`

const answerTo = ({ method, params }: Call) => {
  if (method === "eth_chainId") return "0x7a69"
  return asksDecimals(params) ? six : "0x"
}

/** A node of a chain on which nothing stands but USDC, and nobody's balance is told. */
const emptyNode = async () => {
  const server = createServer(async (request, response) => {
    const calls = JSON.parse(await text(request)) as ReadonlyArray<Call>
    const answers = calls.map((call) => ({ jsonrpc: "2.0", id: call.id, result: answerTo(call) }))
    response.end(JSON.stringify(answers))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  return { rpcUrl: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const onPostgres = (url: string, rpcUrl: string) =>
  treasury({
    database: Server.layer({ url: Redacted.make(url), maxConnections: 4 }),
    chains: [
      {
        chain: KnownChain.find("local") as KnownChain.Chain,
        usdc: addressNamed("usdc"),
        rpcUrl,
        confirmations: 1,
        pollMs: 1000
      }
    ],
    keyring: {
      keyEncryptionKey: Redacted.make(new Uint8Array(32).fill(1)),
      pepper: Redacted.make(new Uint8Array(32).fill(2))
    },
    webhookSender: { mode: "local" },
    limits: {
      reads: plenty,
      writes: plenty,
      quotes: plenty,
      confirms: plenty,
      failures: plenty,
      anonymous: plenty
    },
    settings: { ...Settings.defaults, siteUrl: "http://127.0.0.1", livemode: false }
  }).pipe(Layer.orDie)

export const part: Part = {
  name: "cooldown",
  promise: "nobody is paid a millisecond before their cooldown ends",
  run: async ({ times }) => {
    const rounds = times(200, 5)
    const server = await PostgresServer.start()
    const node = await emptyNode()
    try {
      return [
        await playedOn("in memory", inMemory, rounds, funded),
        await playedOn(
          "on PostgreSQL",
          onPostgres(server.url("postgres"), node.rpcUrl),
          rounds,
          () => Effect.void
        )
      ]
    } finally {
      node.close()
      await server.stop()
    }
  }
}
