/**
 * Port Bridges over scripted chains: what leaves is a payment out of one chain, what arrives a payment into another,
 * and both are read from the blocks alone. The provider is away, behind or slow when a script says so.
 */
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import type { AddressKey, TransactionId } from "../../core/chains/address.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import {
  type Asked,
  type Bridge,
  BridgeContradicted,
  Bridges,
  BridgeUnavailable,
  type Journey,
  NoRoute,
  type Offer,
  OutOfBounds,
  type Route,
  type Standing
} from "../../core/ports/bridge.ts"
import * as Mempool from "./mempool.ts"
import { callOf, contract, doneOn, feeOf, isSame, saidIn } from "./scripted-bridge.ts"
import * as ScriptedChain from "./scripted-chain.ts"

/**
 * How the provider is: it may be away, not have heard of what left, not let it go on, tell of another amount, or have
 * told what is taken no more until it is asked anew. Or whoever brings it gives out less than was signed for, or it asks
 * for a twentieth of the amount.
 */
export type Provider =
  | "answers"
  | "is away"
  | "is behind"
  | "holds back"
  | "lies"
  | "ran out"
  | "gives less"
  | "is dear"

export class BridgeScript extends Context.Service<
  BridgeScript,
  {
    readonly provider: (how: Provider) => Effect.Effect<void>
    /** Why one of the ends lets nothing pass; null when both do. */
    readonly close: (reason: string | null) => Effect.Effect<void>
    /** Somebody brings everything there that has left, in blocks of its own. */
    readonly deliverAll: Effect.Effect<void>
    /** Somebody brings all of it there in one transaction. */
    readonly deliverTogether: Effect.Effect<void>
    /** Mines a block in which somebody makes the call; undefined when the chain refuses it. */
    readonly land: (
      chainId: string,
      call: Schema.JsonObject
    ) => Effect.Effect<TransactionId | undefined>
  }
>()("bursar/memory/BridgeScript") {}

const minUnits = 1_000n
const maxUnits = 10_000_000_000_000n
interface Passage {
  readonly journey: Journey
  left: TransactionId
  arrived: TransactionId | undefined
}

interface Book {
  readonly passages: Map<string, Passage>
  provider: Provider
  closed: string | null
}

/** What is on its way outlives the processes over one state of chains. */
const books = new WeakMap<ScriptedChain.State, Book>()

const bookOf = (state: ScriptedChain.State): Book => {
  const known = books.get(state)
  if (known !== undefined) return known
  const book: Book = { passages: new Map(), provider: "answers", closed: null }
  books.set(state, book)
  return book
}

const blockWith = (chain: ScriptedChain.Scripted, txId: TransactionId) =>
  chain.blocks.find(({ payments }) => payments.some(({ txHash }) => txHash === txId))

const isFinal = (chain: ScriptedChain.Scripted, number: number) =>
  number <= Mempool.finalizedNumber(chain)

/** What left under an identity: by a wallet's own call, or because the script said so. */
const passageOf = (state: ScriptedChain.State, { from, identity, to }: Journey) => {
  const known = bookOf(state).passages.get(identity)
  const left = doneOn(ScriptedChain.find(state, from.chainId), "depart", identity)
  const said = left?.own === undefined ? undefined : saidIn(left.own)
  if (left === undefined || said === undefined) return known
  const arrived =
    doneOn(ScriptedChain.find(state, to.chainId), "deliver", identity)?.txHash ?? known?.arrived
  return { journey: said.journey, left: left.txHash, arrived }
}

/** Does in a block what a call says, once; false when the chain refuses it. */
const landing = (state: ScriptedChain.State, chainId: string, call: Schema.JsonObject) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const book = bookOf(state)
    const chain = ScriptedChain.find(state, chainId)
    const said = saidIn({ to: String(call.to), data: String(call.data) })
    if (said === undefined) return undefined
    const { act, journey } = said
    const pay = (from: AddressKey, to: AddressKey, amountMicro: bigint) => {
      const payment = ScriptedChain.sign(state, { chainId, from, to, amountMicro })
      ScriptedChain.mine(state, chain, nowMs, [{ ...payment, signedAs: journey.identity }])
      return payment.txHash
    }
    if (act === "depart") {
      const { sender, units } = journey
      if (ScriptedChain.balance(chain, sender) < units) return undefined
      const left = pay(sender, contract, units)
      book.passages.set(journey.identity, { journey, left, arrived: undefined })
      return left
    }
    const before = passageOf(state, journey)
    if (before === undefined || stands(chain, before.arrived)) return undefined
    const given = book.provider === "gives less" ? journey.minBuyUnits - 1n : arriving(journey)
    const arrived = pay(contract, journey.receiver, given)
    book.passages.set(journey.identity, { journey, left: before.left, arrived })
    return arrived
  })

const arriving = ({ units }: Journey): bigint => units - feeOf(units)

/** What a block says that a journey brought: by its identity, unless the receiver brought it by a call of its own. */
const broughtIn = ({ payments }: ScriptedChain.Mined, journey: Journey): bigint =>
  payments.find(({ signedAs }) => signedAs === journey.identity)?.amountMicro ?? arriving(journey)

const stands = (chain: ScriptedChain.Scripted, txId: TransactionId | undefined): boolean =>
  txId !== undefined && blockWith(chain, txId) !== undefined

const dearOneIn = 20n

const offerFor = ({ from, units }: Asked, provider: Provider): Offer => {
  const fee = provider === "is dear" ? units / dearOneIn : feeOf(units)
  return {
    buyUnits: units - fee,
    minBuyUnits: units - 2n * fee,
    fees: [{ kind: "bridge", token: from, units: fee }],
    estimatedSeconds: 30,
    expiresInMs: 60_000,
    terms: {},
    wayBack: null
  }
}

const routesOf = (state: ScriptedChain.State): ReadonlyArray<Route> => {
  const ends = [...state.scripted.values()]
    .filter(({ connected }) => connected.chain.family === "evm")
    .map(({ connected }) => ({ chainId: connected.chain.id, token: connected.usdc }))
  return ends.flatMap((from) =>
    ends
      .filter((to) => to.chainId !== from.chainId)
      .map((to) => ({
        from,
        to,
        fees: "0.01 %",
        minUnits,
        maxUnits,
        typicalSeconds: 30,
        notes: "A scripted bridge."
      }))
  )
}

const bridgeOver = (state: ScriptedChain.State): Bridge => {
  const book = bookOf(state)
  const routes = routesOf(state)
  const on = (chainId: string) => ScriptedChain.present(state, chainId)
  const answered = Effect.suspend(() =>
    book.provider === "is away"
      ? Effect.fail(new BridgeUnavailable({ detail: "the script says the provider is away" }))
      : Effect.void
  )
  return {
    protocol: "cctp",
    slips: false,
    routes,
    quote: Effect.fnUntraced(function* (asked) {
      const { from, to, units } = asked
      const isThere = routes.some(
        (route) =>
          route.from.chainId === from.chainId &&
          route.from.token === from.token &&
          route.to.chainId === to.chainId &&
          route.to.token === to.token
      )
      if (!isThere) return yield* new NoRoute()
      if (units < minUnits || units > maxUnits) {
        return yield* new OutOfBounds({ minUnits, maxUnits })
      }
      yield* answered
      return [offerFor(asked, book.provider)] as const
    }),
    departure: (journey) => ({
      spender: contract,
      call: callOf("depart", journey),
      coinUnits: 0n
    }),
    isArrival: (journey, call) => canonical(call) === canonical(callOf("deliver", journey)),
    start: Effect.fnUntraced(function* (journey) {
      const chain = yield* on(journey.from.chainId)
      const passage = passageOf(state, journey)
      const block = passage && blockWith(chain, passage.left)
      if (passage !== undefined && block !== undefined) {
        const _tag = isSame(passage.journey, journey) ? "left" : "taken"
        return { _tag, txId: passage.left, isFinal: isFinal(chain, block.number) } as const
      }
      const there = yield* Effect.result(on(journey.to.chainId))
      if (there._tag === "Failure") {
        return { _tag: "closed", reason: there.failure.message } as const
      }
      return book.closed === null
        ? ({ _tag: "open" } as const)
        : ({ _tag: "closed", reason: book.closed } as const)
    }),
    status: Effect.fnUntraced(function* (journey, departed) {
      const source = yield* on(journey.from.chainId)
      const destination = yield* on(journey.to.chainId)
      const passage = passageOf(state, journey)
      if (passage?.left !== departed || !stands(source, departed)) {
        return { _tag: "absent" } satisfies Standing as Standing
      }
      yield* answered
      if (book.provider === "lies") {
        return yield* new BridgeContradicted({ detail: "The script tells of another amount." })
      }
      const { arrived } = passage
      const block = arrived && blockWith(destination, arrived)
      if (arrived !== undefined && block !== undefined) {
        const units = broughtIn(block, journey)
        const final = isFinal(destination, block.number)
        return { _tag: "delivered", txId: arrived, units, isFinal: final } satisfies Standing
      }
      if (book.provider === "ran out") {
        book.provider = "answers"
        return { _tag: "travelling", reason: "It ran out; a new one was asked for." } as const
      }
      return book.provider === "answers"
        ? ({ _tag: "deliverable", call: callOf("deliver", journey) } satisfies Standing)
        : ({ _tag: "travelling", reason: null } satisfies Standing)
    }),
    refund: () => Effect.succeed({ _tag: "never" })
  }
}

const departedOn = (state: ScriptedChain.State): ReadonlyArray<Journey> =>
  [...state.scripted.values()].flatMap(({ landed }) =>
    landed.flatMap(({ isPaid, own }) => {
      const said = isPaid && own !== undefined ? saidIn(own) : undefined
      return said?.act === "depart" ? [said.journey] : []
    })
  )

/** All that has left and is not there, in one block of one chain and under one transaction. */
const landTogether = (state: ScriptedChain.State, nowMs: number): void => {
  const waiting = departedOn(state).flatMap((journey) => {
    const passage = passageOf(state, journey)
    const chain = ScriptedChain.find(state, journey.to.chainId)
    return passage === undefined || stands(chain, passage.arrived) ? [] : [{ journey, passage }]
  })
  const [first] = waiting
  if (first === undefined) return
  const { chainId } = first.journey.to
  const payments = waiting.map(({ journey: { identity, receiver, units } }) => ({
    ...ScriptedChain.sign(state, {
      ...{ chainId, from: contract, to: receiver, amountMicro: units - feeOf(units) }
    }),
    signedAs: identity
  }))
  const txHash = payments[0]?.txHash as TransactionId
  const together = payments.map((payment) => ({ ...payment, txHash }))
  ScriptedChain.mine(state, ScriptedChain.find(state, chainId), nowMs, together)
  for (const { journey, passage } of waiting) {
    bookOf(state).passages.set(journey.identity, { journey, left: passage.left, arrived: txHash })
  }
}

const scriptOver = (state: ScriptedChain.State): BridgeScript["Service"] => ({
  provider: (how) =>
    Effect.sync(() => {
      bookOf(state).provider = how
    }),
  close: (reason) =>
    Effect.sync(() => {
      bookOf(state).closed = reason
    }),
  land: (chainId, call) => landing(state, chainId, call),
  deliverAll: Effect.suspend(() =>
    Effect.forEach(
      departedOn(state),
      (journey) => landing(state, journey.to.chainId, callOf("deliver", journey)),
      { discard: true }
    )
  ),
  deliverTogether: Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.sync(() => landTogether(state, nowMs))
  )
})

export const layer = (state: ScriptedChain.State): Layer.Layer<BridgeScript> =>
  Layer.mergeAll(
    Layer.effect(
      Bridges,
      Effect.sync(() => [bridgeOver(state)])
    ),
    Layer.sync(BridgeScript, () => scriptOver(state))
  )

/** No bridge is connected. */
export const none: Layer.Layer<never> = Layer.succeed(Bridges, [])
