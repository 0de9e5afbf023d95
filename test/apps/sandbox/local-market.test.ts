/** Tokens are sold on the sandbox's Solana as its aggregator says, on a program that is what was compiled. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import {
  AccountRole,
  address,
  type Instruction,
  type KeyPairSigner,
  type ReadonlyUint8Array
} from "@solana/kit"
import { getCreateAssociatedTokenIdempotentInstructionAsync } from "@solana-program/token"
import { Effect } from "effect"
import type { Build } from "../../../apps/sandbox/solana/aggregator.ts"
import * as Solana from "../../support/solana.ts"

const { SolanaChain } = Solana

const folder = new URL("../../../apps/sandbox/solana/router/", import.meta.url)

const asked = Effect.fnUntraced(function* (
  sale: Readonly<Record<"inputMint" | "outputMint" | "amount" | "taker", string>>
) {
  const { market } = yield* SolanaChain
  const query = new URLSearchParams({ ...sale, slippageBps: "50" })
  return yield* Effect.promise(async () => {
    const answer = await fetch(`${market.url}/build?${query}`)
    return { status: answer.status, body: (await answer.json()) as Build }
  })
})

/** The instruction that was told, as the wallet's own, and the account that is paid. */
const instructionsOf = Effect.fnUntraced(function* (build: Build, wallet: KeyPairSigner) {
  const told = build.swapInstruction ?? (yield* Effect.die(new Error("There is no instruction.")))
  const opening = yield* Effect.promise(() =>
    getCreateAssociatedTokenIdempotentInstructionAsync({
      payer: wallet,
      owner: wallet.address,
      mint: address(build.outputMint)
    })
  )
  const accounts = told.accounts.map(({ isSigner, isWritable, pubkey }) => ({
    address: address(pubkey),
    role: isWritable ? AccountRole.WRITABLE : AccountRole.READONLY,
    ...(isSigner ? { role: AccountRole.READONLY_SIGNER, signer: wallet } : {})
  }))
  const data: ReadonlyUint8Array = Uint8Array.from(Buffer.from(told.data, "base64"))
  const selling: Instruction = { programAddress: address(told.programId), accounts, data }
  return [opening, selling]
})

const unitsOf = Effect.fnUntraced(function* (owner: string, mint: string) {
  const client = yield* Solana.rpc
  const account = yield* Solana.tokenAccount(owner, mint)
  const { value } = yield* Effect.promise(() =>
    client.getTokenAccountBalance(account, { commitment: "processed" }).send()
  )
  return BigInt(value.amount)
})

const errorOf = Effect.fnUntraced(function* (signature: string) {
  const client = yield* Solana.rpc
  const { value } = yield* Effect.promise(() =>
    client.getSignatureStatuses([signature as never]).send()
  )
  return JSON.stringify(value[0]?.err ?? null, (_, each) =>
    typeof each === "bigint" ? Number(each) : each
  )
})

const sell = Effect.fnUntraced(function* (build: Build) {
  const wallet = yield* Solana.payer
  const signed = yield* Solana.signed(wallet, yield* instructionsOf(build, wallet))
  return yield* errorOf(yield* Solana.handOver(signed))
})

const mintOf = Effect.fnUntraced(function* (symbol: string) {
  const { market } = yield* SolanaChain
  return market.tokens.find((token) => token.symbol === symbol)?.mint ?? ""
})

describe("the local market", () => {
  it.each(["pools", "router", "splitter"])(
    "its program %s was compiled from the sources beside it",
    (name) => {
      const read = (file: string) => readFileSync(new URL(file, folder))
      const built = JSON.parse(String(read(`${name}.json`))) as { readonly sourceSha256: string }
      const sources = ["../cctp/runtime.h", "selling.h", `${name}.c`].map(read)
      const digest = createHash("sha256").update(Buffer.concat(sources)).digest("hex")
      assert.strictEqual(built.sourceSha256, digest)
    }
  )

  it.effect("a sale gives exactly what was quoted, through the pool that gives most", () =>
    Effect.gen(function* () {
      const { usdc } = yield* SolanaChain
      const { address: taker } = yield* Solana.payer
      const outputMint = yield* mintOf("JUP")
      const { body } = yield* asked({ inputMint: usdc, outputMint, amount: "100000000", taker })
      assert.strictEqual(yield* sell(body), "null")
      assert.strictEqual(String(yield* unitsOf(taker, outputMint)), body.outAmount)
      // Two hundred for a hundred dollars, less 0.3 %.
      assert.isAbove(Number(body.outAmount), 199_000_000)
      assert.deepEqual(
        body.routePlan.map((step) => (step as { swapInfo: { label: string } }).swapInfo.label),
        ["Lake"]
      )
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("two tokens without a pool of their own are sold through USDC, all or nothing", () =>
    Effect.gen(function* () {
      const { market } = yield* SolanaChain
      const { address: taker } = yield* Solana.payer
      const [inputMint, outputMint] = [yield* mintOf("JUP"), yield* mintOf("JitoSOL")]
      yield* market.issue(inputMint, taker, 800_000_000n)
      const { body } = yield* asked({ inputMint, outputMint, amount: "400000000", taker })
      assert.lengthOf(body.routePlan, 2)
      assert.strictEqual(yield* sell(body), "null")
      assert.strictEqual(String(yield* unitsOf(taker, outputMint)), body.outAmount)
      assert.strictEqual(yield* unitsOf(taker, inputMint), 400_000_000n)
      const again = yield* asked({ inputMint, outputMint, amount: "400000000", taker })
      yield* market.dilute(inputMint, [11n, 10n])
      assert.include(yield* sell(again.body), '"Custom":6001')
      assert.strictEqual(yield* unitsOf(taker, inputMint), 400_000_000n)
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("the router that gives most sells: one pool, or a large sale split over two", () =>
    Effect.gen(function* () {
      const { mint, market, usdc } = yield* SolanaChain
      const { address: taker } = yield* Solana.payer
      const outputMint = yield* mintOf("JUP")
      yield* mint(taker, 200_000_000_000n)
      const routerFor = (amount: string) =>
        Effect.map(asked({ inputMint: usdc, outputMint, amount, taker }), ({ body }) => body)
      assert.strictEqual((yield* routerFor("100000000")).router, "metis")
      const large = yield* routerFor("100000000000")
      assert.strictEqual(large.router, "okx")
      assert.lengthOf(large.routePlan, 2)
      // The larger pool alone would take a hundred thousand dollars for less.
      assert.isAbove(Number(large.outAmount), 190_400_000_000)
      assert.strictEqual(yield* sell(large), "null")
      assert.strictEqual(String(yield* unitsOf(taker, outputMint)), large.outAmount)
      const again = yield* routerFor("100000000000")
      yield* market.dilute(usdc, [11n, 10n])
      assert.include(yield* sell(again), '"Custom":6001')
      assert.strictEqual(String(yield* unitsOf(taker, outputMint)), large.outAmount)
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("what nobody sells has no route", () =>
    Effect.gen(function* () {
      const { usdc } = yield* SolanaChain
      const { address: taker } = yield* Solana.payer
      const { status } = yield* asked({
        inputMint: usdc,
        outputMint: taker,
        amount: "1000000",
        taker
      })
      assert.strictEqual(status, 400)
    }).pipe(Effect.provide(Solana.layer))
  )
})
