/**
 * Where runs take place: a chain, a merchant who listens, one database kept over all of them, and the
 * service on it, which is started again after every death. It waits for what is so, never for a time.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { encodeFunctionData } from "viem/utils"
import { abi, address } from "../../adapters/evm/contract.ts"
import * as Rpc from "../../adapters/evm/rpc.ts"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { LocalChain, layer as localChain } from "../../apps/sandbox/local-chain.ts"
import * as PostgresServer from "../support/postgres-server.ts"
import * as Child from "./child.ts"
import { labelOf, type Point } from "./points.ts"
import * as Receiver from "./receiver.ts"
import type { Settings } from "./settings.ts"

export type EngineName = "PGlite" | "PostgreSQL"

export const engines: ReadonlyArray<EngineName> = ["PGlite", "PostgreSQL"]

export const confirmations = 2

// biome-ignore lint/suspicious/noExplicitAny: the answer's form is what a run asserts on.
export type Answer = any

export interface Reply {
  readonly status: number
  readonly replayed: boolean
  readonly body: Answer
}

export interface Vault {
  readonly walletMappingId: string
  readonly address: string
}

export interface Scene {
  readonly engine: EngineName
  readonly receiver: Receiver.Receiver
  /** Asks the service over REST; fails when it dies meanwhile. */
  readonly call: (method: string, path: string, body?: object, key?: string) => Promise<Reply>
  /** The data of an answer, which must be a success. */
  readonly ask: (method: string, path: string, body?: object) => Promise<Answer>
  /** Asks a payment link as a client of x402, with a payment or without; fails when the service dies. */
  readonly link: (pid: string, payment?: string) => Promise<Response>
  /** A vault no run has had. */
  readonly takeVault: () => Promise<Vault>
  /** Sends USDC; it is in no block until one is mined. */
  readonly send: (to: string, amountMicro: bigint) => Promise<void>
  readonly mine: () => Promise<void>
  /** USDC that an address holds. */
  readonly held: (of: string) => Promise<bigint>
  /** The agent of the scene: its key, and the wallet it sends from. */
  readonly agent: { readonly key: string; readonly walletId: string; readonly address: string }
  /** The same as `call`, as the agent. */
  readonly callAsAgent: Scene["call"]
  /** Where the service keeps its files. */
  readonly directory: string
  /** Asks the process itself, past its surfaces. */
  readonly question: (question: object) => Promise<Answer>
  readonly arm: (point: Point) => Promise<void>
  /** Waits for the death at the armed point; any other end, or none, is an error. */
  readonly dies: () => Promise<void>
  /** How often it died where it was told to. */
  readonly deaths: () => number
  /** Starts the service again, so much later. */
  readonly restart: (laterMs?: number) => Promise<void>
  readonly close: () => Promise<void>
}

const patienceMs = 45_000

/** Asks until there is an answer. */
export const until = async <A>(sentence: string, ask: () => Promise<A | undefined>): Promise<A> => {
  const endsAt = performance.now() + patienceMs
  while (performance.now() < endsAt) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await setTimeout(15)
  }
  throw new Error(`Not within ${patienceMs / 1000} s: ${sentence}`)
}

/** The same promise, which must be kept in good time. */
export const within = <A>(sentence: string, promise: Promise<A>): Promise<A> => {
  const patience = new AbortController()
  const late = setTimeout(patienceMs, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`Not within ${patienceMs / 1000} s: ${sentence}`)
  })
  return Promise.race([promise, late]).finally(() => {
    late.catch(() => undefined)
    patience.abort()
  })
}

/** A chain where blocks come only when told to, and a payer whose transfers wait for them. */
const openChain = async (directory: string) => {
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(
    Layer.buildWithScope(localChain({ directory, blockMs: null }), scope)
  )
  const { mine, payer, rpcUrl, usdc } = Context.get(context, LocalChain)
  const rpc = Rpc.make(rpcUrl, {})
  const tell = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.runPromise(rpc([{ method, params }]))
  await tell("anvil_impersonateAccount", payer.address)
  return {
    rpcUrl,
    usdc,
    mine: () => Effect.runPromise(mine(1)),
    held: async (of: string) => {
      const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [address(of)] })
      return BigInt(String(await tell("eth_call", { to: usdc, data }, "latest")))
    },
    giveGas: (to: string) => tell("anvil_setBalance", to, "0xde0b6b3a7640000"),
    send: async (to: string, amountMicro: bigint) => {
      const args = [address(to), amountMicro] as const
      const data = encodeFunctionData({ abi, functionName: "transfer", args })
      await tell("eth_sendTransaction", { from: payer.address, to: usdc, gas: "0x30d40", data })
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** REST with a key, as any merchant calls it. */
const callerOf =
  (origin: string, apiKey: string | undefined): Scene["call"] =>
  async (method, path, body, key) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const replayed = response.headers.get("idempotent-replayed") === "true"
    return { status: response.status, replayed, body: await response.json() }
  }

const vaultsAtOnce = 50

/** Vaults made in bulk, handed out one by one. */
const vaultsOf = (ask: Scene["ask"]): Scene["takeVault"] => {
  const ready: Array<Vault> = []
  let customers = 0
  const more = async () => {
    const job = await ask("POST", "/api/v1/provisioning/jobs", {
      chainId: "local",
      customers: Array.from({ length: vaultsAtOnce }, () => ({
        externalId: `customer_${++customers}`
      }))
    })
    return until("the vaults are made", async () => {
      const now = await ask("GET", `/api/v1/provisioning/jobs/${job.jobId}`)
      return now.status === "completed" ? (now.results as ReadonlyArray<Vault>) : undefined
    })
  }
  return async () => {
    if (ready.length === 0) ready.push(...(await more()))
    return ready.shift() as Vault
  }
}

interface Facts {
  readonly key?: string
  readonly agentKey?: string
  readonly agentWallet?: { readonly id: string; readonly address: string }
  readonly relayer: string
}

/** Opens everything and furnishes it: an account with a key, and a merchant who wants to hear. */
export const open = async (engine: EngineName, bundle: Child.Bundle): Promise<Scene> => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-kill-scene-"))
  const chain = await openChain(join(directory, "chain"))
  const server = engine === "PostgreSQL" ? await PostgresServer.start() : undefined
  let aheadMs = 0
  const receiver = await Receiver.open(() => Date.now() + aheadMs)
  const port = await freePort()
  const start = (furnishes: boolean) =>
    Child.start<Facts>(bundle, {
      port,
      directory: join(directory, "service"),
      databaseUrl: server?.url("postgres"),
      rpcUrl: chain.rpcUrl,
      usdc: chain.usdc,
      confirmations,
      idempotencyLeaseMs: 1000,
      aheadMs,
      furnishes
    } satisfies Settings)
  let child = await start(true)
  await chain.giveGas(child.facts.relayer)
  let armed: Point | undefined
  let deaths = 0

  const origin = `http://127.0.0.1:${port}`
  const call = callerOf(origin, child.facts.key)
  const { agentKey = "", agentWallet } = child.facts
  const ask: Scene["ask"] = async (method, path, body) => {
    const reply = await call(method, path, body)
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body.data
  }

  const endpoint = await ask("POST", "/api/merchant-webhooks", {
    url: receiver.url,
    events: ["payment_request.paid"]
  })
  receiver.trust(endpoint.secret)

  return {
    engine,
    receiver,
    call,
    ask,
    link: (pid, payment) =>
      fetch(`http://127.0.0.1:${port}/pay/${pid}`, {
        headers: payment === undefined ? {} : { "payment-signature": payment }
      }),
    takeVault: vaultsOf(ask),
    send: chain.send,
    mine: chain.mine,
    held: chain.held,
    agent: {
      key: agentKey,
      walletId: agentWallet?.id ?? "",
      address: agentWallet?.address ?? ""
    },
    callAsAgent: callerOf(origin, agentKey),
    directory: join(directory, "service"),
    question: (question) => child.ask(question),
    arm: async (point) => {
      armed = point
      await child.ask(point)
    },
    dies: async () => {
      const place = armed === undefined ? "nowhere" : labelOf(armed)
      const death = await within(`the service dies ${place}`, child.died)
      if (death.signal !== "SIGKILL" || death.lastWords !== `died ${place}`) {
        throw new Error(`It did not die ${place}: ${death.signal}, ${death.lastWords}`)
      }
      deaths += 1
    },
    deaths: () => deaths,
    restart: async (laterMs = 0) => {
      await child.stop()
      aheadMs += laterMs
      child = await start(false)
    },
    close: async () => {
      await child.stop()
      receiver.close()
      await server?.stop()
      await chain.close()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
