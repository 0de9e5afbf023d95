/** The world of real parts: the service on a socket, over a real database, on a real chain with Circle's USDC. */
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { toHex } from "viem/utils"
import type { Connection } from "../../adapters/postgres/engine.ts"
import { seedAccounts } from "../../apps/sandbox/seed.ts"
import { surfaces, treasury, workers } from "../../apps/server/wiring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Address from "../../core/chains/address.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { issueEnrolment } from "../../core/humans/issue-enrolment.ts"
import { Cursors } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Chains } from "../../core/ports/chains.ts"
import * as Settings from "../../core/treasury/settings.ts"
import * as AnvilChain from "../support/anvil.ts"
import * as Value from "../support/chain-values.ts"
import * as CoinMarket from "../support/coin-market.ts"
import { type Said, Visitor } from "../support/console-visitor.ts"
import { airdropOn, giveCoinsOn } from "../support/holdings-chain.ts"
import { openReceiver } from "./merchant-server.ts"
import { callsOver, refusedBy, type Surface } from "./surface.ts"
import type { Calls, World } from "./world.ts"

/** What a real world stands on, for who must go around its operations. */
interface Grounds {
  readonly callsOver: (surface: Surface) => Calls
  readonly siteUrl: string
  /** Asks the chain's node. */
  readonly ask: AnvilChain.AnvilChain["Service"]["call"]
  readonly payer: string
  /** Does something on the ports themselves, as an operator does. */
  readonly operate: <A, E>(work: Effect.Effect<A, E, Ports>) => Effect.Effect<A, E>
}

type Ports = Layer.Success<ReturnType<typeof parts<never>>>

const unhurried = 1_000_000

const keyring = {
  keyEncryptionKey: Redacted.make(new Uint8Array(32).fill(1)),
  pepper: Redacted.make(new Uint8Array(32).fill(2))
}

const patienceMs = 15_000

const until: World["until"] = Effect.fnUntraced(function* (sentence, ask) {
  const endsAt = Date.now() + patienceMs
  while (Date.now() < endsAt) {
    const answer = yield* ask
    if (answer !== undefined) return answer
    yield* Effect.sleep("20 millis")
  }
  return yield* Effect.die(new Error(`In vain: ${sentence}`))
})

/** The chain's coin by the name the market has for it; the sandbox's chain stands for a real one. */
const coin = "coingecko:ethereum"

/** A venue of swaps that is configured and never asked, so that approvals for it are taken. */
const nowhere = "http://127.0.0.1:9"

const parts = <E>(
  database: Layer.Layer<Connection, E>,
  chain: AnvilChain.AnvilChain["Service"],
  pricesUrl: string,
  siteUrl: string
) =>
  treasury({
    prices: { url: pricesUrl, keepMs: 0, names: { local: "local" } },
    database,
    chains: [AnvilChain.connectionTo(chain, { pollMs: 25, orderBookUrl: nowhere })],
    keyring,
    webhookSender: { mode: "local" },
    limits: {
      reads: unhurried,
      writes: unhurried,
      quotes: unhurried,
      confirms: unhurried,
      failures: unhurried,
      anonymous: unhurried
    },
    settings: { ...Settings.defaults, siteUrl, livemode: false }
  })

/**
 * Opens a world of its own over an engine and tells it over one surface. Where people sign in, it listens
 * on a port that is known before, because passkeys are bound to the public address.
 */
export const realWorld = Effect.fnUntraced(function* <E>(
  database: Layer.Layer<Connection, E>,
  surface: Surface,
  port = 0
) {
  const publicUrl = `http://localhost:${port === 0 ? 4000 : port}`
  const chain = Context.get(yield* Layer.build(AnvilChain.layer), AnvilChain.AnvilChain)
  const market = yield* CoinMarket.open
  const ports = yield* Layer.build(parts(database, chain, market.url, publicUrl))
  const chains = Context.get(ports, Chains)
  const payer = Address.shown("local", chain.payer)
  const { developerKey, agentKey } = yield* Effect.provide(seedAccounts(undefined, payer), ports)
  const relayer = yield* Context.get(ports, EvmRelay).relayerAddress("local")
  yield* chain.call("anvil_setBalance", relayer, `0x${(10n ** 20n).toString(16)}`)
  const service = yield* Layer.build(
    Layer.merge(surfaces({ port, host: "127.0.0.1", corsOrigins: [] }), workers).pipe(
      Layer.provide(Layer.succeedContext(ports))
    )
  )
  const siteUrl = NetAddress.formatUrlUnsafe(Context.get(service, HttpServer.HttpServer).address)
  const cursors = Context.get(ports, Cursors)
  const world: World & Grounds = {
    siteUrl,
    ask: chain.call,
    payer: chain.payer,
    operate: (work) => Effect.provide(work, ports),
    callsOver: (other) => callsOver(other, siteUrl, developerKey),
    calls: callsOver(surface, siteUrl, developerKey),
    agent: callsOver(surface, siteUrl, agentKey),
    fundingWalletSigns: (message) =>
      Effect.map(chain.call("personal_sign", toHex(message), chain.payer), String),
    person: Effect.gen(function* () {
      const { accountId } = yield* Effect.orDie(authenticate(developerKey))
      const wanted = { accountId, purpose: "operator", name: "Ada" } as const
      const issued = (yield* Atomically).run(issueEnrolment(wanted, "operator"))
      const ada = new Visitor(siteUrl, publicUrl)
      yield* ada.enrol((yield* Effect.orDie(issued)).url)
      const statusOf = (said: Effect.Effect<Said>, thing: "proposal" | "request") =>
        Effect.flatMap(said, ({ body }) =>
          body.ok
            ? Effect.succeed(String(body.data[thing].status))
            : Effect.fail(refusedBy(body.error))
        )
      const at = (place: string, verb: string) =>
        ada.signing(`${place}/options`, `${place}/${verb}`)
      return {
        approves: (id: string) => statusOf(at(`proposals/${id}`, "approve"), "proposal"),
        signs: (id: string) => statusOf(at(`governance/${id}`, "sign"), "request")
      }
    }).pipe(Effect.provide(ports)),
    balanceOf: (address) =>
      Effect.orDie(
        Effect.map(chains.balances("local", [Value.address(address)]), ([held = 0n]) => held)
      ),
    callsWith: (apiKey) => callsOver(surface, siteUrl, apiKey),
    usdc: chain.usdc,
    confirmations: 3,
    pay: chain.pay,
    mine: chain.mine,
    reorganise: chain.reorg,
    chainTimePasses: chain.timePasses,
    airdrop: airdropOn(chain),
    giveCoins: giveCoinsOn(chain),
    priceCoin: (price, change) =>
      Effect.sync(() => {
        market.coins.set(coin, { price, change, timestampSeconds: Math.floor(Date.now() / 1000) })
      }),
    marketAway: (away) => market.trouble(away ? CoinMarket.troubles["502"] : undefined),
    chainAway: chain.outage,
    receiver: yield* Effect.map(Effect.scope, (scope) =>
      Effect.provideService(openReceiver, Scope.Scope, scope)
    ),
    until,
    watched: Effect.asVoid(
      until(
        "the watcher takes the newest block",
        Effect.gen(function* () {
          const tip = yield* Effect.orDie(chains.tip("local"))
          const cursor = yield* cursors.find("local")
          return cursor?.blocks.at(-1)?.hash === tip.hash ? true : undefined
        })
      )
    )
  }
  return world
})
