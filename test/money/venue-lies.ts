/**
 * I10 of swaps: a venue that lies gets no signature. Every field, account, flag and byte of an honest swap is changed,
 * one at a time, on both families of chains: the check refuses all of it, and the operator hears of what a venue did.
 */
import { Effect } from "effect"
import * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import { apart, sales, stranger } from "../support/honest-swaps.ts"
import { memoryTreasury } from "../support/memory-treasury.ts"
import * as OrderMutants from "../support/order-mutants.ts"
import { solana, solanaRelayer } from "../support/real-send-worlds.ts"
import * as Mutants from "../support/swap-mutants.ts"
import * as VenueLies from "../support/venue-lies.ts"
import type { Figure, Part, Run } from "./part.ts"
import { called, openScene, type Replica, type Scene } from "./swap-scene.ts"

const figure = (
  what: string,
  all: ReadonlyArray<{ readonly isSigned: boolean; readonly isTold: boolean }>
): Figure => {
  const refused = all.filter(({ isSigned }) => !isSigned).length
  const told = all.filter(({ isTold }) => isTold).length
  return {
    invariant: "I10",
    what,
    seen: `${all.length} changes, ${refused} refused, ${told} told to the operator`,
    holds: all.length > 0 && refused === all.length && told === all.length
  }
}

/** Messages on Solana, of each form that may be signed. */
const messages = Effect.gen(function* () {
  const other = yield* stranger
  let [all, kept] = [0, 0]
  for (const sale of Object.values(sales)) {
    const given = yield* sale().pipe(apart)
    const mutants = Mutants.mutantsOf(given, other)
    all += mutants.length
    kept += Mutants.survivors(mutants, given).length
  }
  const seen: Figure = {
    invariant: "I10",
    what: "fields, accounts, flags and bytes of swaps on Solana, judged as they would be signed",
    seen: `${Object.keys(sales).length} forms, ${all} changes, ${all - kept} refused`,
    holds: all > 0 && kept === 0
  }
  return seen
})

const split = { sellAmount: 100_000_000_000n, minBuyAmount: 150_000_000_000n }

const onSolana = ({ quick }: Run) =>
  Effect.gen(function* () {
    const relayer = yield* solanaRelayer().address
    const each = quick ? 6 : 1
    const lies = [
      ...(yield* VenueLies.all({}, relayer, each)),
      ...(yield* VenueLies.all(split, relayer, each))
    ]
    return [
      yield* messages,
      figure("routes that an aggregator on Solana lied about, told to the service", lies)
    ]
  }).pipe(Effect.provide(solana), Effect.scoped)

const orders = Effect.gen(function* () {
  const { honest, mutants } = yield* OrderMutants.all
  const { holds, ...told } = figure(
    "fields of orders on EVM chains, written down and to be signed",
    mutants
  )
  return { ...told, holds: holds && honest.isSigned && !honest.isTold }
}).pipe(Effect.provide(memoryTreasury), Effect.scoped)

const nobody = `0x${"ab".repeat(20)}`

/** What an order book says otherwise of what it was asked, field by field. */
const bookLies = [
  { receiver: nobody },
  { sellToken: nobody },
  { buyToken: nobody },
  { sellAmount: "1" },
  { feeAmount: "999000001" },
  { buyAmount: "-5" },
  { buyAmount: "1.5" },
  { buyAmount: null },
  { kind: "buy" }
]

const heardOf = async (scene: Scene, service: Replica, lie: object) => {
  const { account, chain } = scene
  const before = chain.book.orders.size
  await Effect.runPromise(chain.book.meddle())
  const { proposalId } = await called(scene, service, "propose_swap", {
    fromWalletId: account.walletId,
    ...{ sellSymbol: "USDC", sellTokenAddress: chain.usdc },
    ...{ buySymbol: "WETH", buyTokenAddress: chain.weth },
    amountUsd: "100.00"
  })
  await Effect.runPromise(
    chain.book.meddle(async ({ body }, answer) => {
      const said = await answer(body)
      const told = said.body as { readonly quote?: object }
      return { ...said, body: { ...told, quote: { ...told.quote, ...lie } } }
    })
  )
  await called(scene, service, "confirm_proposal", { proposalId })
  const words = `did not answer what it was asked for proposal ${proposalId}`
  const isTold = await until("the operator hears of it", async () =>
    service.child.hasSaid(words) ? true : undefined
  ).catch(() => false)
  await called(scene, service, "cancel_proposal", { proposalId })
  await until("the swap has stopped", async () => {
    const { status } = await called(scene, service, "get_proposal", { proposalId })
    return status === "executing" ? undefined : true
  })
  return { isSigned: chain.book.orders.size > before, isTold }
}

const onEvm = async ({ quick }: Run): Promise<Figure> => {
  const bundle = await Child.bundle("test/money/swap-service.ts")
  const scene = await openScene(bundle, "nobody")
  try {
    const service = await scene.start()
    const heard: Array<{ isSigned: boolean; isTold: boolean }> = []
    for (const lie of bookLies.filter((_, at) => !quick || at % 3 === 0)) {
      heard.push(await heardOf(scene, service, lie))
    }
    return figure("quotes that an order book lied about, told to the service", heard)
  } finally {
    await scene.close()
    bundle.remove()
  }
}

export const part: Part = {
  name: "venue-lies",
  promise: "whatever a venue changes of a swap gets no signature, and the operator hears of it",
  run: async (run) => [
    ...(await Effect.runPromise(onSolana(run))),
    await Effect.runPromise(orders),
    await onEvm(run)
  ]
}
