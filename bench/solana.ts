/**
 * Sends on a local Solana with PostgreSQL, from the proposal to the final block and all of it written down, against raw
 * transfers on the same chain; and one look at 10,000 vaults, against asking the same node for the same accounts.
 */
import { address, createSolanaRpc, generateKeyPairSigner } from "@solana/kit"
import { type Context, Effect, Layer } from "effect"
import * as LocalSolana from "../apps/sandbox/solana/local-solana.ts"
import { authenticate } from "../core/accounts/authenticate.ts"
import { Address, keyOf } from "../core/chains/address.ts"
import * as Chain from "../core/chains/chain.ts"
import * as Usdc from "../core/money/usdc.ts"
import { Chains } from "../core/ports/chains.ts"
import { SolanaRelay } from "../core/solana/relay.ts"
import { seedAccounts } from "../core/treasury/seed.ts"
import { callsOf } from "../core/treasury/treasury.ts"
import { work } from "../core/treasury/workers.ts"
import * as Solana from "../test/support/solana.ts"
import * as Database from "./database.ts"
import { interleaved, type Measurement, quoted, ratio, runAlone } from "./measure.ts"
import * as Ports from "./ports.ts"

const sends = 48
const atOnce = 16
const slotMs = 50
const vaults = 10_000
const accountsInACall = 100
const amountMicro = 10_000n
const chainId = "local-solana"

/** Makes nothing but an owner's address. */
const owners = () =>
  Promise.all(Array.from({ length: vaults }, async () => (await generateKeyPairSigner()).address))

const perSecond = (once: () => Promise<unknown>) => async (): Promise<number> => {
  let left = sends
  const startedAt = performance.now()
  const lane = async () => {
    while (left-- > 0) await once()
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return sends / ((performance.now() - startedAt) / 1000)
}

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

/** Signed by a key of its own, handed over, and awaited until a final block has it. */
const rawTransfers = Effect.fnUntraced(function* (payee: string) {
  const context = yield* Effect.context<LocalSolana.LocalSolana>()
  const client = yield* Solana.rpc
  const once = async () => {
    const paying = Solana.pay({ to: payee, amountMicro })
    const signature = await Effect.runPromiseWith(context)(paying)
    const isFinal = async () => {
      const { value } = await client.getSignatureStatuses([signature]).send()
      return value[0]?.confirmationStatus === "finalized"
    }
    while (!(await isFinal())) await new Promise((resume) => setTimeout(resume, 5))
  }
  return once
})

/** The service's own way, as functions: an agent with a wallet, and the workers that carry its sends. */
const treasury = Effect.fnUntraced(function* (payee: string, ports: Context.Context<never>) {
  const chain = yield* LocalSolana.LocalSolana
  const { apiKey, wallet } = yield* seedAccounts({
    kind: "agent",
    name: "Purchasing agent",
    tier: "startup",
    chainId,
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Address.make(payee) }
  })
  yield* chain.mint(wallet.address, amountMicro * 1_000_000n)
  yield* chain.giveGas(yield* (yield* SolanaRelay).relayerAddress(chainId))
  const calls = callsOf(yield* authenticate(apiKey))
  const { recipients } = yield* calls.list_recipients({})
  const input = {
    recipientId: recipients[0]?.id ?? "",
    fromWalletId: wallet.id,
    amountUsdc: "0.01"
  }
  const once = Effect.gen(function* () {
    const { proposalId } = yield* calls.propose_transfer(input)
    const { status } = yield* calls.confirm_proposal({ proposalId, waitMs: 30_000 })
    if (status !== "completed") throw new Error(`A send is ${status}.`)
  })
  // The ports that were built are all that a call needs.
  return () => Effect.runPromiseWith(ports as Context.Context<Effect.Services<typeof once>>)(once)
})

/** One look of the watcher's at vaults of which none has been paid, and the same accounts asked for bare. */
const looks = Effect.fnUntraced(function* (ports: Context.Context<Chains>) {
  const { rpcUrl, usdc } = yield* LocalSolana.LocalSolana
  const addresses = yield* Effect.promise(owners)
  const accounts = yield* Effect.forEach(addresses, (owner) => Solana.tokenAccount(owner, usdc))
  const client = createSolanaRpc(rpcUrl)
  const run = Effect.runPromiseWith(ports)
  const ours = async () => {
    const { look, newestFinal } = await run(Chains)
    const from = await run(newestFinal(chainId))
    const asSettled = (owner: string) => ({
      address: keyOf(chainId, owner),
      number: from.number,
      heldMicro: Usdc.make(0n)
    })
    const watched = { addresses: addresses.map(asSettled), recorded: [] }
    return timed(() => run(look(chainId, { blocks: [from], watched })))
  }
  const bare = () =>
    timed(async () => {
      for (let at = 0; at < vaults; at += accountsInACall) {
        const some = accounts.slice(at, at + accountsInACall).map((each) => address(each))
        await client.getMultipleAccounts(some, { encoding: "base64" }).send()
      }
    })
  return { ours, bare }
})

const measured = Effect.fnUntraced(function* (url: string) {
  const local = yield* LocalSolana.LocalSolana
  const chain = Chain.find(chainId)
  if (chain === undefined) return yield* Effect.die(new Error("The local Solana is not known."))
  const { rpcUrl, usdc } = local
  const connection = { chain, usdc, rpcUrls: [rpcUrl] as const, confirmations: 32, pollMs: 50 }
  const ports = yield* Layer.build(Ports.onPostgres(url, { solana: [connection] }))
  const payee = (yield* Effect.promise(() => generateKeyPairSigner())).address
  yield* local.mint(payee, 1n)
  const ours = yield* Effect.provideContext(treasury(payee, ports as never), ports)
  const raw = yield* rawTransfers(payee)
  const look = yield* looks(ports)
  yield* Effect.forkScoped(Effect.provideContext(work(), ports))
  return yield* Effect.promise(() =>
    interleaved({
      oursPerSecond: perSecond(ours),
      rawPerSecond: perSecond(raw),
      oursLook: look.ours,
      bareLook: look.bare
    })
  )
})

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  try {
    const taken = await Effect.runPromise(
      Effect.scoped(measured(database.url)).pipe(
        Effect.provide(LocalSolana.layer({ directory: null, slotMs }))
      )
    )
    return {
      file: "solana.ts",
      figures: [
        {
          what: `propose, confirm and final block on a local Solana, ${atOnce} at once, PostgreSQL`,
          against: "raw signed transfers on the same chain, until final",
          ours: quoted(taken.oursPerSecond, "/s"),
          theirs: quoted(taken.rawPerSecond, "/s"),
          ratio: ratio(taken.oursPerSecond, taken.rawPerSecond)
        },
        {
          what: `one look at ${vaults} vaults on Solana, at the pace of twenty calls a second`,
          against: "the same accounts asked of the same node, one call after the other",
          ours: quoted(taken.oursLook, "ms"),
          theirs: quoted(taken.bareLook, "ms"),
          ratio: ratio(taken.oursLook, taken.bareLook)
        }
      ]
    }
  } finally {
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
