/** The sandbox's Solana is a Solana to those who use it: to kit's own client, in its commitments, its forks and its failures. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  createSolanaRpcSubscriptions,
  generateKeyPairSigner,
  sendAndConfirmTransactionFactory
} from "@solana/kit"
import { Effect, Logger, Option } from "effect"
import { ChainNotStarted } from "../../../apps/sandbox/chain-not-started.ts"
import * as LocalSolana from "../../../apps/sandbox/solana/local-solana.ts"
import * as Solana from "../../support/solana.ts"

const { LocalSolana: Chain } = LocalSolana

const someone = Effect.promise(async () => (await generateKeyPairSigner()).address)
const amountMicro = 1_500_000n

const statusOf = Effect.fnUntraced(function* (signature: string) {
  const client = yield* Solana.rpc
  const { value } = yield* Effect.promise(() =>
    client.getSignatureStatuses([signature as never], { searchTransactionHistory: true }).send()
  )
  return value[0]
})

const levelOf = (signature: string) =>
  Effect.map(statusOf(signature), (status) => status?.confirmationStatus ?? null)

/** What a JSON-RPC call answers, errors included. */
const call = (url: string, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.promise(async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const headers = { "content-type": "application/json" }
    const answer = await fetch(url, { method: "POST", headers, body })
    return (await answer.json()) as {
      readonly result?: { readonly value: unknown }
      readonly error?: { readonly code: number; readonly data?: unknown }
    }
  })

describe("the local Solana", () => {
  it.live("kit's own client sends and confirms on it, unmodified", () =>
    Effect.gen(function* () {
      const { wsUrl } = yield* Chain
      const client = yield* Solana.rpc
      const to = yield* someone
      const signer = yield* Solana.payer
      const paying = yield* Solana.payment(signer, { to, amountMicro })
      const { transaction } = yield* Solana.signed(signer, paying)
      const rpcSubscriptions = createSolanaRpcSubscriptions(wsUrl)
      const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc: client, rpcSubscriptions })
      yield* Effect.promise(() =>
        sendAndConfirm(transaction as Parameters<typeof sendAndConfirm>[0], {
          commitment: "finalized"
        })
      )
      assert.strictEqual(yield* Solana.held(to, "finalized"), amountMicro)
    }).pipe(Effect.provide(LocalSolana.layer({ directory: null, slotMs: 5 })))
  )

  it.effect("what lands is processed, then confirmed, and final only 32 slots later", () =>
    Effect.gen(function* () {
      const { advance } = yield* Chain
      const to = yield* someone
      const signature = yield* Solana.pay({ to, amountMicro })
      assert.strictEqual(yield* levelOf(signature), "processed")
      assert.strictEqual(yield* Solana.held(to, "processed"), amountMicro)
      assert.strictEqual(yield* Solana.held(to, "confirmed"), 0n)
      yield* advance(1)
      assert.strictEqual(yield* levelOf(signature), "confirmed")
      assert.strictEqual(yield* Solana.held(to, "confirmed"), amountMicro)
      assert.strictEqual(yield* Solana.held(to, "finalized"), 0n)
      yield* advance(30)
      assert.strictEqual(yield* Solana.held(to, "finalized"), 0n)
      yield* advance(1)
      assert.strictEqual(yield* levelOf(signature), "finalized")
      assert.strictEqual(yield* Solana.held(to, "finalized"), amountMicro)
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("finality that is held back leaves what is confirmed as it is", () =>
    Effect.gen(function* () {
      const { advance, holdFinality } = yield* Chain
      const to = yield* someone
      yield* holdFinality(true)
      const signature = yield* Solana.pay({ to, amountMicro })
      yield* advance(100)
      assert.strictEqual(yield* levelOf(signature), "confirmed")
      assert.strictEqual(yield* Solana.held(to, "finalized"), 0n)
      yield* holdFinality(false)
      assert.strictEqual(yield* Solana.held(to, "finalized"), amountMicro)
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect(
    "a transaction whose block is 150 blocks old never lands, and the same bytes land once",
    () =>
      Effect.gen(function* () {
        const { advance, rpcUrl } = yield* Chain
        const to = yield* someone
        const signer = yield* Solana.payer
        const paying = yield* Solana.payment(signer, { to, amountMicro })
        const once = yield* Solana.signed(signer, paying)
        const late = yield* Solana.signed(signer, paying)
        yield* Solana.handOver(once)
        yield* Solana.handOver(once)
        assert.strictEqual(yield* Solana.held(to), amountMicro)
        yield* advance(152)
        yield* Solana.handOver(late)
        assert.strictEqual(yield* Solana.held(to), amountMicro)
        assert.isNull(yield* levelOf(late.signature))
        const { error } = yield* call(rpcUrl, "sendTransaction", late.wire, { encoding: "base64" })
        assert.deepInclude(error, { code: -32002 })
        assert.deepInclude(error?.data, { err: "BlockhashNotFound" })
      }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("a fork drops what was confirmed, and lands again what it keeps", () =>
    Effect.gen(function* () {
      const { advance, fork } = yield* Chain
      const [kept, dropped] = [yield* someone, yield* someone]
      yield* advance(3)
      const stays = yield* Solana.pay({ to: kept, amountMicro })
      const goes = yield* Solana.pay({ to: dropped, amountMicro })
      yield* advance(2)
      assert.strictEqual(yield* levelOf(goes), "confirmed")
      assert.deepStrictEqual(yield* fork(3, [goes]), [stays, goes])
      assert.isNull(yield* levelOf(goes))
      assert.strictEqual(yield* levelOf(stays), "processed")
      assert.strictEqual(yield* Solana.held(kept), amountMicro)
      assert.strictEqual(yield* Solana.held(dropped), 0n)
      yield* advance(40)
      assert.strictEqual(yield* Solana.held(kept, "finalized"), amountMicro)
      assert.strictEqual(yield* Solana.held(dropped, "finalized"), 0n)
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("bad weather loses a transaction, or lands it late", () =>
    Effect.gen(function* () {
      const { advance, setWeather } = yield* Chain
      const [lost, late] = [yield* someone, yield* someone]
      yield* setWeather("lost")
      yield* Solana.pay({ to: lost, amountMicro })
      yield* setWeather({ lateSlots: 10n })
      yield* Solana.pay({ to: late, amountMicro })
      yield* advance(9)
      assert.strictEqual(yield* Solana.held(late), 0n)
      yield* advance(1)
      assert.strictEqual(yield* Solana.held(late), amountMicro)
      assert.strictEqual(yield* Solana.held(lost), 0n)
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("a node that is behind knows less, and refuses who asks for a later slot", () =>
    Effect.gen(function* () {
      const { advance, nodeBehind, usdc } = yield* Chain
      const to = yield* someone
      const signature = yield* Solana.pay({ to, amountMicro })
      yield* advance(1)
      const client = yield* Solana.rpc
      const slot = yield* Effect.promise(() => client.getSlot({ commitment: "confirmed" }).send())
      const url = yield* nodeBehind(3)
      const account = yield* Solana.tokenAccount(to, usdc)
      const asked = { commitment: "confirmed", encoding: "base64" }
      const known = yield* call(url, "getAccountInfo", account, asked)
      assert.isNull(known.result?.value)
      const statuses = yield* call(url, "getSignatureStatuses", [signature])
      assert.deepStrictEqual(statuses.result?.value, [null])
      const refused = yield* call(url, "getAccountInfo", account, {
        ...asked,
        minContextSlot: Number(slot)
      })
      assert.strictEqual(refused.error?.code, -32016)
      yield* advance(3)
      const later = yield* call(url, "getAccountInfo", account, {
        ...asked,
        minContextSlot: Number(slot)
      })
      assert.isNotNull(later.result?.value)
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("a frozen account's payment lands, fails and costs its fee", () =>
    Effect.gen(function* () {
      const { advance, mint, setFrozen } = yield* Chain
      const to = yield* someone
      yield* mint(to, 1n)
      yield* setFrozen(to, true)
      const signature = yield* Solana.pay({ to, amountMicro })
      yield* advance(1)
      const status = yield* statusOf(signature)
      assert.deepStrictEqual(status?.err, { InstructionError: [2n, { Custom: 17n }] } as never)
      const client = yield* Solana.rpc
      const told = yield* Effect.promise(() =>
        client
          .getTransaction(signature, {
            commitment: "confirmed",
            encoding: "json",
            maxSupportedTransactionVersion: 0
          })
          .send()
      )
      const { fee, postBalances, preBalances } = told?.meta ?? assert.fail("not told")
      assert.strictEqual(Number(preBalances[0]) - Number(postBalances[0]), Number(fee))
      yield* setFrozen(to, false)
      yield* Solana.pay({ to, amountMicro })
      assert.strictEqual(yield* Solana.held(to), amountMicro + 1n)
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("a payment is found by the key it names, with what it moved", () =>
    Effect.gen(function* () {
      const { advance } = yield* Chain
      const [to, reference] = [yield* someone, yield* someone]
      const signature = yield* Solana.pay({ to, amountMicro, references: [reference] })
      yield* advance(1)
      const client = yield* Solana.rpc
      const found = yield* Effect.promise(() =>
        client.getSignaturesForAddress(reference, { commitment: "confirmed" }).send()
      )
      assert.deepStrictEqual(
        found.map((each) => each.signature),
        [signature]
      )
      const told = yield* Effect.promise(() =>
        client
          .getTransaction(signature, {
            commitment: "confirmed",
            encoding: "json",
            maxSupportedTransactionVersion: 0
          })
          .send()
      )
      const after = told?.meta?.postTokenBalances?.find(({ owner }) => owner === to)
      assert.strictEqual(after?.uiTokenAmount.amount, String(amountMicro))
    }).pipe(Effect.provide(Solana.layer))
  )

  it.effect("a state that cannot be read is refused, not overwritten", () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "bursar-solana-"))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
      )
      const file = join(directory, "local-solana.bin")
      writeFileSync(file, "not a chain")
      const refused = yield* Effect.flip(LocalSolana.openWherePossible({ directory }))
      assert.propertyVal(refused, "reason", "state_unreadable")
      assert.strictEqual(readFileSync(file, "utf8"), "not a chain")
    })
  )

  it.effect("without a binary for the machine there is none, and the sandbox goes on", () =>
    Effect.gen(function* () {
      const detail = "litesvm has no binary here for plan9 mips"
      const runtime = Effect.fail(new ChainNotStarted({ reason: "not_installed", detail }))
      const said: Array<unknown> = []
      const listening = Logger.layer([Logger.make(({ message }) => said.push(message))])
      const chain = yield* LocalSolana.openWherePossible({ directory: null, runtime }).pipe(
        Effect.provide(listening)
      )
      assert.isTrue(Option.isNone(chain))
      assert.deepStrictEqual(said.flat(), [`There is no Solana here: ${detail}.`])
    })
  )

  it.effect("it goes on where it was stopped, in a file that is its owner's alone", () => {
    const directory = mkdtempSync(join(tmpdir(), "bursar-solana-"))
    const run = <A, E>(act: Effect.Effect<A, E, LocalSolana.LocalSolana>) =>
      act.pipe(Effect.provide(LocalSolana.layer({ directory, slotMs: null }), { local: true }))
    return Effect.gen(function* () {
      const to = yield* someone
      const before = yield* run(
        Effect.gen(function* () {
          const { payer, usdc } = yield* Chain
          return { payer, usdc, signature: yield* Solana.pay({ to, amountMicro }) }
        })
      )
      const mode = statSync(join(directory, "local-solana.bin")).mode & 0o777
      assert.strictEqual(mode, 0o600)
      yield* run(
        Effect.gen(function* () {
          const { payer, usdc } = yield* Chain
          assert.deepStrictEqual({ payer, usdc }, { payer: before.payer, usdc: before.usdc })
          assert.strictEqual(yield* levelOf(before.signature), "finalized")
          assert.strictEqual(yield* Solana.held(to, "finalized"), amountMicro)
          yield* Solana.pay({ to, amountMicro })
          assert.strictEqual(yield* Solana.held(to), amountMicro * 2n)
        })
      )
    }).pipe(Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true, force: true }))))
  })
})
