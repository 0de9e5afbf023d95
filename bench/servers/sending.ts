/**
 * The service on a database and a chain that it shares with others, `<url> <the chain's connection>`, with two accounts of
 * its own: one whose key collects, and an agent's that sends from a wallet of its own.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer } from "effect"
import type { Connection } from "../../adapters/evm/node.ts"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { surfaces, workers } from "../../apps/server/wiring.ts"
import { Address } from "../../core/chains/address.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import * as Spans from "../../core/operation/spans.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import * as Seed from "../../core/treasury/seed.ts"
import { offer } from "../child.ts"
import * as Ports from "../ports.ts"
import { type Facts, seedAccounts } from "./seeding.ts"

/** What a caller of it has to know. */
export interface Sending extends Facts {
  readonly agent: {
    readonly apiKey: string
    readonly walletId: string
    readonly walletAddress: string
    readonly recipientId: string
  }
  /** Pays the fees of all. */
  readonly relayer: string
}

const [url = "", connection = ""] = process.argv.slice(2)
const chain = JSON.parse(connection) as Connection
const host = "127.0.0.1"

const agent = Effect.gen(function* () {
  const { account, apiKey, wallet } = yield* Seed.seedAccounts({
    kind: "agent",
    name: "Purchasing agent",
    tier: "startup",
    chainId: chain.chain.id,
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Address.make(`0x${"70".repeat(20)}`) }
  })
  const { rows } = yield* (yield* Recipients).list(account.id, { limit: 1 })
  return {
    apiKey,
    walletId: wallet?.id ?? "",
    walletAddress: wallet?.address ?? "",
    recipientId: rows[0]?.id ?? ""
  }
})

const opened = Effect.gen(function* () {
  const port = yield* Effect.promise(freePort)
  const origin = `http://${host}:${port}`
  const ports = yield* Layer.build(Ports.onPostgres(url, { siteUrl: origin, chains: [chain] }))
  const service = Layer.merge(surfaces({ port, host, corsOrigins: [] }), workers)
  yield* Layer.build(service.pipe(Layer.provide(Layer.succeedContext(ports))))
  const seeded = Effect.gen(function* () {
    const relayer = yield* (yield* EvmRelay).relayerAddress(chain.chain.id)
    return { ...(yield* seedAccounts), agent: yield* agent, relayer }
  })
  const facts: Sending = { origin, ...(yield* Effect.provide(seeded, ports)) }
  offer(facts)
  return yield* Effect.never
})

// As the service runs where nobody collects its spans.
Effect.runFork(Effect.provide(Effect.scoped(opened), Spans.off))
