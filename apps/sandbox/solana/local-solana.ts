/**
 * A Solana of the sandbox's own, with a USDC mint and a payer who has some: a real virtual machine behind the
 * interface of a node. It keeps its state in the data directory, and goes on from there, a second back at most.
 */
import { Context, Effect, Layer, Option, Scope } from "effect"
import type { ChainNotStarted } from "../chain-not-started.ts"
import * as Aggregator from "./aggregator.ts"
import * as BurnAndMint from "./burn-and-mint.ts"
import { addressIn } from "./front.ts"
import { type Issuer, issuer, newSecrets, type Secrets } from "./issuer.ts"
import { advance, fork } from "./landing.ts"
import { begin, type Ledger, slotAt } from "./ledger.ts"
import * as Market from "./market.ts"
import * as SavedState from "./saved-state.ts"
import { type Fault, serve } from "./server.ts"
import * as Svm from "./svm.ts"

export interface Options {
  /** Where the chain is kept between runs; null keeps nothing. One process at a time: whoever uses it locks it. */
  readonly directory: string | null
  /** A free one, unless one is given. */
  readonly port?: number
  /** Time from slot to slot; null makes slots only when told to. */
  readonly slotMs?: number | null
  /** What executes; litesvm, unless another is given. */
  readonly runtime?: typeof Svm.load
}

export class LocalSolana extends Context.Service<
  LocalSolana,
  {
    readonly rpcUrl: string
    readonly wsUrl: string
    /** The mint. */
    readonly usdc: string
    /** The private key as wallets export it: 64 bytes in base58. */
    readonly payer: { readonly address: string; readonly privateKey: string }
    /** Tokens that are sold there for USDC, and the aggregator that says how. */
    readonly market: {
      readonly url: string
      readonly tokens: ReadonlyArray<Market.Token>
      /** Makes tokens of a mint out of nothing, for an owner; the signature. */
      readonly issue: (mint: string, to: string, units: bigint) => Effect.Effect<string>
      /** Puts so many times as many of a mint into its pools, told as a fraction: its price falls. */
      readonly dilute: (mint: string, times: readonly [bigint, bigint]) => Effect.Effect<void>
      /** What a whole token costs now, in micro-USD; nought for what is not traded. */
      readonly priceOf: (mint: string) => Effect.Effect<bigint>
      /** What the aggregator makes of its answers from now on; nothing leaves them honest. */
      readonly twist: (twist?: Aggregator.Twist) => Effect.Effect<void>
      /** How often it was asked. */
      readonly asked: Effect.Effect<number>
    }
    /** The issuer's programs that burn and mint between chains. */
    readonly cctp: {
      /** The lookup table that their transactions need, once they are linked. */
      readonly table: string
      /** Puts them in place, linked with others; the lookup table that their transactions need. */
      readonly link: (linking: BurnAndMint.Linking) => Effect.Effect<string>
      /** What is there to be given to those who arrive. */
      readonly custody: Effect.Effect<bigint>
      readonly setPaused: (isPaused: boolean) => Effect.Effect<void>
      /** The message that a transaction sent; undefined when it sent none. */
      readonly sent: (signature: string) => Effect.Effect<BurnAndMint.Sent | undefined>
    }
    /** Lets so many slots pass. */
    readonly advance: (slots: number) => Effect.Effect<void>
    /** Makes USDC out of nothing, for an owner; the signature. */
    readonly mint: (to: string, amountMicro: bigint) => Effect.Effect<string>
    /** Gives an address as much SOL as it will ever need. */
    readonly giveGas: (address: string) => Effect.Effect<void>
    /** Gives an address so many lamports; the signature. */
    readonly give: (address: string, lamports: bigint) => Effect.Effect<string>
    /** Freezes the USDC of an owner, or lets it move again. */
    readonly setFrozen: (owner: string, isFrozen: boolean) => Effect.Effect<void>
    /** Another fork wins over the newest slots: what is not dropped lands again. The signatures that stood in them. */
    readonly fork: (
      depth: number,
      drop?: ReadonlyArray<string> | "all"
    ) => Effect.Effect<ReadonlyArray<string>>
    /** What becomes of transactions that are handed over from now on. */
    readonly setWeather: (weather: Ledger["weather"]) => Effect.Effect<void>
    /** What the network asks from now on for priority, in micro-lamports for a compute unit. */
    readonly setPriority: (asked: bigint) => Effect.Effect<void>
    /** While finality is held back, no further slot becomes final. */
    readonly holdFinality: (isHeld: boolean) => Effect.Effect<void>
    /** While its nodes have forgotten, they tell of no transaction that is final now. */
    readonly forget: (isForgotten: boolean) => Effect.Effect<void>
    /** What becomes of calls from now on; nothing answers them all. */
    readonly setFault: (fault?: Fault) => Effect.Effect<void>
    /** Another node of the same chain that hears of slots later; its address. */
    readonly nodeBehind: (slots: number) => Effect.Effect<string>
  }
>()("bursar/sandbox/LocalSolana") {}

const payerMicro = 1_000_000_000_000n
const plentyLamports = 1_000_000_000_000n
const saveMs = 1000
const slotsToSettle = 40

const newChain = async (ledger: Ledger) => {
  const secrets = await newSecrets()
  const issuing = await issuer(ledger, secrets)
  await issuing.give(issuing.payer, plentyLamports)
  await issuing.issue(issuing.payer, payerMicro)
  return { secrets, issuing }
}

const opened = Effect.fnUntraced(function* ({ directory, runtime: loading = Svm.load }: Options) {
  const runtime = yield* loading
  const kept = directory === null ? undefined : yield* SavedState.restore(runtime, directory)
  if (kept !== undefined) {
    const issuing = yield* Effect.promise(() => issuer(kept.ledger, kept.secrets))
    return { ...kept, issuing }
  }
  const ledger = begin(runtime)
  advance(ledger, 1, Date.now())
  const made = yield* Effect.promise(() => newChain(ledger))
  // As on a chain that is older than a minute, some slot is final from the start.
  advance(ledger, slotsToSettle, Date.now())
  return { ledger, ...made }
})

/** Saves a second after something has happened, and at the end. */
const keeping = Effect.fnUntraced(function* (ledger: Ledger, save: () => void) {
  let savedEntries = -1
  const saveChanged = () => {
    if (ledger.entries.size === savedEntries) return
    savedEntries = ledger.entries.size
    save()
  }
  yield* every(saveMs, saveChanged)
  yield* Effect.addFinalizer(() => Effect.ignoreCause(Effect.sync(save)))
})

/** By the machine's own clock: a chain's slots wait for nobody's. */
const every = (milliseconds: number, act: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => setInterval(act, milliseconds).unref()),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

/** What a test or the sandbox does to the chain, as the service tells it. */
const acts = (ledger: Ledger, issuing: Issuer, setFault: (fault?: Fault) => void) => ({
  advance: (slots: number) => Effect.sync(() => advance(ledger, slots, Date.now())),
  mint: (to: string, amountMicro: bigint) =>
    Effect.promise(() => issuing.issue(addressIn(to), amountMicro)),
  giveGas: (to: string) =>
    Effect.asVoid(Effect.promise(() => issuing.give(addressIn(to), plentyLamports))),
  give: (to: string, lamports: bigint) =>
    Effect.promise(() => issuing.give(addressIn(to), lamports)),
  setFrozen: (owner: string, isFrozen: boolean) =>
    Effect.asVoid(Effect.promise(() => issuing.setFrozen(addressIn(owner), isFrozen))),
  fork: (depth: number, drop: ReadonlyArray<string> | "all" = []) =>
    Effect.sync(() => fork(ledger, { depth, drop }, Date.now())),
  setWeather: (weather: Ledger["weather"]) =>
    Effect.sync(() => {
      ledger.weather = weather
    }),
  setPriority: (asked: bigint) =>
    Effect.sync(() => {
      ledger.askedPriority = asked
    }),
  holdFinality: (isHeld: boolean) =>
    Effect.sync(() => {
      ledger.heldRoot = isHeld ? slotAt(ledger, "finalized") : undefined
    }),
  forget: (isForgotten: boolean) =>
    Effect.sync(() => {
      ledger.historyFrom = isForgotten ? slotAt(ledger, "finalized") + 1n : 0n
    }),
  setFault: (fault?: Fault) => Effect.sync(() => setFault(fault))
})

/** The market; its pools are opened when the aggregator is first asked, once. */
const marketOf = Effect.fnUntraced(function* (
  ledger: Ledger,
  issuing: Issuer,
  secrets: Secrets
): Effect.fn.Return<LocalSolana["Service"]["market"], ChainNotStarted, Scope.Scope> {
  const tokens = yield* Effect.promise(() => Market.openMints(ledger, issuing, secrets))
  let opened: Promise<Market.Market> | undefined
  const market = () => {
    opened ??= Market.openMarket(ledger, issuing, secrets, tokens)
    return opened
  }
  let twist: Aggregator.Twist | undefined
  let questions = 0
  const asked = () => {
    questions++
  }
  const url = yield* Aggregator.serve({ ledger, market, twist: () => twist, asked })
  return {
    url: `${url}/swap/v2`,
    tokens,
    issue: (mint, to, units) =>
      Effect.promise(() => issuing.issueOf(addressIn(mint), addressIn(to), units)),
    dilute: (mint, times) =>
      Effect.promise(async () =>
        Market.dilute(ledger, issuing, await market(), addressIn(mint), times)
      ),
    priceOf: (mint) =>
      Effect.promise(async () => {
        const { pools = [] } = (await opened) ?? {}
        return Market.priceIn(ledger, { pools, tokens, usdc: issuing.mint }, mint)
      }),
    twist: (next) =>
      Effect.sync(() => {
        twist = next
      }),
    asked: Effect.sync(() => questions)
  }
})

const open = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<LocalSolana["Service"], ChainNotStarted, Scope.Scope> {
  const { directory, port = 0, slotMs = 200 } = options
  const { issuing, ledger, secrets } = yield* opened(options)
  const market = yield* marketOf(ledger, issuing, secrets)
  if (directory !== null) {
    yield* keeping(ledger, () => SavedState.save(ledger, secrets, directory))
  }
  let fault: Fault | undefined
  const serving = {
    airdrop: (to: string, amount: number) => issuing.give(addressIn(to), BigInt(amount)),
    fault: () => fault
  }
  const urls = yield* serve({ ...serving, front: { ledger, behind: 0n }, port })
  if (slotMs !== null) yield* every(slotMs, () => advance(ledger, 1, Date.now()))
  const scope = yield* Effect.scope
  return {
    ...urls,
    usdc: issuing.mint,
    payer: { address: issuing.payer, privateKey: secrets.payer },
    market,
    cctp: {
      table: yield* Effect.promise(() => BurnAndMint.tableOf(secrets)),
      link: (linking) => Effect.promise(() => BurnAndMint.link(ledger, issuing, secrets, linking)),
      custody: Effect.sync(() => BurnAndMint.custodyOf(ledger, issuing)),
      setPaused: (isPaused) => Effect.sync(() => BurnAndMint.setPaused(ledger, isPaused)),
      sent: (signature) => Effect.sync(() => BurnAndMint.sentIn(ledger, signature))
    },
    ...acts(ledger, issuing, (next) => {
      fault = next
    }),
    nodeBehind: (slots) =>
      serve({ ...serving, front: { ledger, behind: BigInt(slots) }, port: 0 }).pipe(
        Effect.map(({ rpcUrl }) => rpcUrl),
        Scope.provide(scope),
        Effect.orDie
      )
  }
})

/** The chain; none, which is said in one line, on a machine that has no binary of what executes. */
export const openWherePossible = (options: Options) =>
  open(options).pipe(
    Effect.map(Option.some),
    Effect.catchTag("ChainNotStarted", (error) =>
      error.reason === "not_installed"
        ? Effect.as(Effect.logWarning(`There is no Solana here: ${error.detail}.`), Option.none())
        : Effect.fail(error)
    )
  )

export const layer = (options: Options): Layer.Layer<LocalSolana, ChainNotStarted> =>
  Layer.effect(LocalSolana, open(options))
