/**
 * Sends on anvil with PostgreSQL, from the proposal to the receipt and all of it written down, against raw
 * transfers of the same token on the same chain: signed, handed over, and their receipts awaited.
 */
import { type Context, Effect, Layer, type Scope } from "effect"
import { generatePrivateKey, privateKeyToAddress, signTransaction } from "viem/accounts"
import { encodeFunctionData } from "viem/utils"
import { abi, address } from "../adapters/evm/contract.ts"
import * as Anvil from "../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../apps/sandbox/circle-usdc.ts"
import { authenticate } from "../core/accounts/authenticate.ts"
import { Address } from "../core/chains/address.ts"
import * as Chain from "../core/chains/chain.ts"
import { EvmRelay } from "../core/evm/relay.ts"
import { seedAccounts } from "../core/treasury/seed.ts"
import { callsOf } from "../core/treasury/treasury.ts"
import { work } from "../core/treasury/workers.ts"
import * as Database from "./database.ts"
import {
  atLeast,
  atMost,
  type Figure,
  interleaved,
  type Measurement,
  quoted,
  ratio,
  runAlone,
  type Spread,
  spreadOf
} from "./measure.ts"
import * as Ports from "./ports.ts"
import * as ByHand from "./send-by-hand.ts"

/** Sends of a round, and how many of them are under way at once. */
export const sends = 96
export const atOnce = 16
const burst = 50

/**
 * Sends by each that is compared before anything is measured, so that it is compiled: the CPU for one of ours falls by half
 * over so many. On a chain and in a database of their own, so that what is measured begins on new ones.
 */
const warming = 2_000

/** As many one after the other, with nobody beside them, and how long each may take. */
const alone = 12
const maxAloneMs = 60

const payee = `0x${"70".repeat(20)}`
const amountMicro = 10_000n
const plentyWei = `0x${(10n ** 24n).toString(16)}`
const gas = 90_000n
const gwei = 10n ** 9n

const openChain = Effect.gen(function* () {
  const anvil = yield* Anvil.start()
  const usdc = yield* CircleUsdc.deploy(anvil)
  return { anvil, usdc }
})

type Ground = Effect.Success<typeof openChain>

/** Blocks come as transactions do; whoever is to pay has money. */
const fund = Effect.fnUntraced(function* ({ anvil, usdc }: Ground, holder: string) {
  yield* anvil.call("evm_setAutomine", false)
  yield* CircleUsdc.mint(anvil, usdc, holder, amountMicro * 1_000_000n)
  yield* anvil.call("evm_setAutomine", true)
})

/** Transfers signed by a key of its own, each with the nonce after the one before. */
const rawTransfers = Effect.fnUntraced(function* (ground: Ground) {
  const { anvil, usdc } = ground
  const privateKey = generatePrivateKey()
  const holder = privateKeyToAddress(privateKey)
  yield* fund(ground, holder)
  yield* anvil.call("anvil_setBalance", holder, plentyWei)
  const data = encodeFunctionData({
    abi,
    functionName: "transfer",
    args: [address(payee), amountMicro]
  })
  let nonce = 0
  const handOver = async () => {
    const raw = await signTransaction({
      privateKey,
      transaction: {
        type: "eip1559",
        chainId: Anvil.chainId,
        nonce: nonce++,
        to: address(usdc),
        data,
        gas,
        maxFeePerGas: 100n * gwei,
        maxPriorityFeePerGas: gwei
      }
    })
    return String(await Effect.runPromise(anvil.call("eth_sendRawTransaction", raw)))
  }
  const received = async (hash: string) => {
    while ((await Effect.runPromise(anvil.call("eth_getTransactionReceipt", hash))) === null) {
      await new Promise((resume) => setTimeout(resume, 5))
    }
  }
  return { handOver, once: async () => received(await handOver()) }
})

/** Those that go together by hand; two groups of them, so that one is at work while the other waits. */
const handGroups = 2

/** The same steps written down with nothing around them. */
const byHand = Effect.fnUntraced(function* (ground: Ground, databaseUrl: string) {
  const { anvil, usdc } = ground
  const [walletKey, relayerKey] = [generatePrivateKey(), generatePrivateKey()]
  yield* fund(ground, privateKeyToAddress(walletKey))
  yield* anvil.call("anvil_setBalance", privateKeyToAddress(relayerKey), plentyWei)
  const told = (selector: string) =>
    Effect.map(anvil.call("eth_call", { to: usdc, data: selector }, "latest"), (word) => {
      const bytes = Buffer.from(String(word).slice(2), "hex")
      return bytes.subarray(64, 64 + bytes.readUInt32BE(60)).toString()
    })
  const token = { name: yield* told("0x06fdde03"), version: yield* told("0x54fd4d50") }
  return yield* Effect.acquireRelease(
    Effect.promise(() =>
      ByHand.open({
        databaseUrl,
        rpcUrl: anvil.rpcUrl,
        chainId: Anvil.chainId,
        usdc,
        token,
        payee,
        gas: 2n * gas,
        feePerGas: gwei,
        walletKey,
        relayerKey
      })
    ),
    ({ close }) => Effect.promise(close)
  )
})

/** The service's own way, as functions: an agent with a wallet, and the workers that carry its sends. */
const treasury = Effect.fnUntraced(function* (ground: Ground, ports: Context.Context<never>) {
  const { apiKey, wallet } = yield* seedAccounts({
    kind: "agent",
    name: "Purchasing agent",
    tier: "startup",
    chainId: "local",
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Address.make(payee) }
  })
  yield* fund(ground, wallet.address)
  const relayer = yield* (yield* EvmRelay).relayerAddress("local")
  yield* ground.anvil.call("anvil_setBalance", relayer, plentyWei)
  const calls = callsOf(yield* authenticate(apiKey))
  const { recipients } = yield* calls.list_recipients({})
  const input = {
    recipientId: recipients[0]?.id ?? "",
    fromWalletId: wallet.id,
    amountUsdc: "0.01"
  }
  const propose = calls.propose_transfer(input)
  const confirm = Effect.fnUntraced(function* (proposalId: string) {
    const { status } = yield* calls.confirm_proposal({ proposalId, waitMs: 30_000 })
    if (status !== "completed") throw new Error(`A send is ${status}.`)
  })
  // The ports that were built are all that a call needs.
  const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.runPromiseWith(ports as Context.Context<R>)(effect)
  return {
    propose: async () => (await run(propose)).proposalId,
    confirm: (proposalId: string) => run(confirm(proposalId)),
    once: () => run(Effect.flatMap(propose, ({ proposalId }) => confirm(proposalId)))
  }
})

/** How long something took, and how long this process ran on a CPU for it, garbage and compiling included. */
interface Taken {
  readonly ms: number
  readonly cpuMs: number
}

const timed = async (all: ReadonlyArray<() => Promise<unknown>>): Promise<Taken> => {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await Promise.all(all.map((each) => each()))
  const { system, user } = process.cpuUsage(before)
  return { ms: performance.now() - startedAt, cpuMs: (system + user) / 1000 }
}

/** So many, of which some are under way at once. */
export const carried = (once: () => Promise<unknown>, howMany: number, lanes: number) => () => {
  let left = howMany
  const lane = async () => {
    while (left-- > 0) await once()
  }
  return timed(Array.from({ length: lanes }, () => lane))
}

const perSecond = (taken: ReadonlyArray<Taken>) => taken.map(({ ms }) => sends / (ms / 1000))
const cpuEach = (taken: ReadonlyArray<Taken>) => taken.map(({ cpuMs }) => cpuMs / sends)
const ms = (taken: ReadonlyArray<Taken>) => taken.map((each) => each.ms)
const msEach = (taken: ReadonlyArray<Taken>) => taken.map((each) => each.ms / alone)

/** Both ways of sending on a chain of their own, with the workers that carry ours. */
export const opened = Effect.fnUntraced(function* (url: string) {
  const ground = yield* openChain
  const chain = Chain.find("local")
  if (chain === undefined) return yield* Effect.die(new Error("The local chain is not known."))
  const connection = {
    chain,
    usdc: ground.usdc,
    rpcUrl: ground.anvil.rpcUrl,
    confirmations: 1,
    pollMs: 50
  }
  const ports = yield* Layer.build(Ports.onPostgres(url, { chains: [connection] }))
  const raw = yield* rawTransfers(ground)
  const hand = yield* byHand(ground, url)
  const ours = yield* Effect.provideContext(treasury(ground, ports as never), ports)
  yield* Effect.forkScoped(Effect.provideContext(work(), ports))
  return { ours, raw, hand }
})

/** So many by each, sixteen at once. */
const manyOf = ({ hand, ours, raw }: Effect.Success<ReturnType<typeof opened>>, count: number) => ({
  ours: carried(ours.once, count, atOnce),
  raw: carried(raw.once, count, atOnce),
  hand: carried(() => hand.once(atOnce / handGroups), (count * handGroups) / atOnce, handGroups)
})

const warmed = Effect.fnUntraced(function* (url: string) {
  const contenders = yield* opened(url)
  yield* Effect.promise(async () => {
    for (const warm of Object.values(manyOf(contenders, warming))) await warm()
  })
})

const measured = Effect.fnUntraced(function* (url: string) {
  const contenders = yield* opened(url)
  const { hand, ours, raw } = contenders
  const times = Array.from({ length: burst })
  return yield* Effect.promise(() =>
    interleaved({
      ...manyOf(contenders, sends),
      oursAlone: carried(ours.once, alone, 1),
      rawAlone: carried(raw.once, alone, 1),
      oursBurst: async () => {
        const proposals = await Promise.all(times.map(ours.propose))
        return timed(proposals.map((proposalId) => () => ours.confirm(proposalId)))
      },
      handBurst: async () => {
        const ids = await hand.propose(burst)
        return timed([() => hand.confirm(ids)])
      },
      rawBurst: () => timed(times.map(() => raw.once))
    })
  )
})

const againstRaw = "raw signed transfers of the same token on the same anvil"
const againstHand =
  "the same steps written down by hand, nothing judged, those that go together in one statement"

interface Compared {
  readonly what: string
  readonly against: string
  readonly unit: "/s" | "ms"
  readonly ours: ReadonlyArray<number>
  readonly theirs: ReadonlyArray<number>
  /** By the ratios, and by our own values. */
  readonly target?: (ratios: Spread, values: Spread) => NonNullable<Figure["target"]>
}

const figureOf = ({ against, ours, target, theirs, unit, what }: Compared): Figure => {
  const ratios = ratio(ours, theirs)
  return {
    what,
    against,
    ours: quoted(ours, unit),
    theirs: quoted(theirs, unit),
    ratio: ratios,
    ...(target === undefined ? {} : { target: target(ratios, spreadOf(ours)) })
  }
}

const comparedOf = (
  taken: Effect.Success<ReturnType<typeof measured>>
): ReadonlyArray<Compared> => {
  const sent = `propose, confirm and receipt, ${atOnce} at once, PostgreSQL`
  const cost = `CPU of this process for one of them, ${atOnce} at once`
  const [ours, byHand] = [perSecond(taken.ours), perSecond(taken.hand)]
  const confirmed = `${burst} confirmations at once, until all receipts`
  return [
    {
      what: sent,
      against: againstRaw,
      unit: "/s",
      ours,
      theirs: perSecond(taken.raw),
      target: (ratios) => atLeast(0.3, ratios)
    },
    { what: sent, against: againstHand, unit: "/s", ours, theirs: byHand },
    {
      what: `the same by hand, ${atOnce} at once`,
      against: againstRaw,
      unit: "/s",
      ours: byHand,
      theirs: perSecond(taken.raw)
    },
    {
      what: cost,
      against: againstRaw,
      unit: "ms",
      ours: cpuEach(taken.ours),
      theirs: cpuEach(taken.raw)
    },
    {
      what: cost,
      against: againstHand,
      unit: "ms",
      ours: cpuEach(taken.ours),
      theirs: cpuEach(taken.hand)
    },
    {
      what: "propose, confirm and receipt of one alone",
      against: againstRaw,
      unit: "ms",
      ours: msEach(taken.oursAlone),
      theirs: msEach(taken.rawAlone),
      target: (_, values) => ({ ...atMost(maxAloneMs, values), said: `≤ ${maxAloneMs} ms` })
    },
    {
      what: confirmed,
      against: againstRaw,
      unit: "ms",
      ours: ms(taken.oursBurst),
      theirs: ms(taken.rawBurst),
      target: (ratios) => atMost(6, ratios)
    },
    {
      what: confirmed,
      against: againstHand,
      unit: "ms",
      ours: ms(taken.oursBurst),
      theirs: ms(taken.handBurst)
    }
  ]
}

const onDatabase = async <A>(work: (url: string) => Effect.Effect<A, unknown, Scope.Scope>) => {
  const database = await Database.open()
  try {
    return await Effect.runPromise(Effect.scoped(work(database.url)))
  } finally {
    await database.stop()
  }
}

export const measure = async (): Promise<Measurement> => {
  await onDatabase(warmed)
  return { file: "send.ts", figures: comparedOf(await onDatabase(measured)).map(figureOf) }
}

await runAlone(import.meta.main, measure)
