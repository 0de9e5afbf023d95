/** The official x402 client pays a payment link, on anvil with Circle's own contract. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect, Layer } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Rpc from "../../../adapters/evm/rpc.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as CircleUsdc from "../../../apps/sandbox/circle-usdc.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { work } from "../../../core/treasury/workers.ts"
import * as Anvil from "../../support/anvil.ts"
import { payouts } from "../../support/anvil-sending-chain.ts"
import * as Value from "../../support/chain-values.ts"
import * as LinkServer from "../../support/payment-link-server.ts"
import * as Rows from "../../support/rows.ts"
import * as Steps from "../../support/settlement-steps.ts"
import * as Stored from "../../support/stored-rows.ts"

const usdc = 1_000_000n

/** A block every tenth of a second, gas for the relayer, and workers that carry what comes. */
const living = Layer.effectDiscard(
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const { relayerAddress } = yield* EvmRelay
    yield* chain.call("anvil_setBalance", yield* relayerAddress("local"), "0xde0b6b3a7640000")
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(chain.mine(1), Effect.sleep("100 millis")))
    )
    yield* Effect.forkScoped(work())
  })
)

const world = Layer.suspend(() =>
  Layer.merge(LinkServer.served({ patience: { landMs: 15_000, finalMs: 15_000 } }), living).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1),
        Anvil.chains,
        payouts()
      )
    ),
    Layer.provideMerge(Anvil.layer)
  )
)

const root = join(import.meta.dirname, "../../..")

const fund = Effect.fnUntraced(function* (to: string, amountMicro: bigint) {
  const chain = yield* Anvil.AnvilChain
  const anvil = { rpcUrl: chain.rpcUrl, rpc: Rpc.make(chain.rpcUrl), call: chain.call }
  yield* CircleUsdc.mint(anvil, chain.usdc, to, amountMicro)
})

/** A payer who holds so much. */
const payerWith = Effect.fnUntraced(function* (amountMicro: bigint) {
  const account = privateKeyToAccount(generatePrivateKey())
  yield* fund(account.address, amountMicro)
  return account
})

type Account = ReturnType<typeof privateKeyToAccount>

/** Above a dollar, and for a token it does not know by heart, the client wants to be allowed. */
const clientOf = (account: Account, token: string, asking: typeof fetch = fetch) =>
  wrapFetchWithPaymentFromConfig(asking, {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
    spendControls: {
      maxAmountPerPayment: false,
      allowedAssets: [{ network: "eip155:31337", asset: token }]
    }
  })

const answerTo = async (client: typeof fetch, url: string) => {
  const response = await client(url)
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the answer's form itself.
  return { response, body: (await response.json()) as any }
}

const aRequest = Effect.fnUntraced(function* (amountMicro: bigint) {
  const vault = yield* Stored.vault({ chainId: "local", address: Value.lower(Rows.anAddress()) })
  const request = yield* Stored.paymentRequest(vault, {
    amountMicro,
    description: "Zwölf Kaffee ☕"
  })
  const url = `${yield* LinkServer.Origin}/pay/${request.pid}`
  return { vault, request, url }
})

const held = Effect.fnUntraced(function* (address: string) {
  const [amountMicro] = yield* (yield* Chains).balances("local", [Value.address(address)])
  return amountMicro
})

layer(world, { excludeTestServices: true })("the official client", (it) => {
  it.effect("pays a link in one call, and its answer is the request, paid", () =>
    Effect.gen(function* () {
      const { usdc: token } = yield* Anvil.AnvilChain
      const { request, url, vault } = yield* aRequest(49n * usdc)
      const payer = yield* payerWith(100n * usdc)
      const { body, response } = yield* Effect.promise(() => answerTo(clientOf(payer, token), url))
      assert.strictEqual(response.status, 200, JSON.stringify(body))
      const settled = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "")
      assert.deepInclude(settled, { success: true, network: "eip155:31337" })
      assert.deepInclude(body.data, {
        pid: request.pid,
        status: "paid",
        method: "x402",
        txHash: settled.transaction,
        amountUsd: "49.00",
        amountReceivedSmallestUnit: "49000000"
      })
      assert.notProperty(body.data, "metadata")
      assert.strictEqual(response.headers.get("cache-control"), "private, no-store")
      const now = yield* Steps.now(request)
      assert.strictEqual(now.payerAddress, payer.address.toLowerCase())
      assert.strictEqual(yield* held(vault.address), 49n * usdc)
    })
  )

  it.effect("is answered alike 64 times for one payload, and pays once (threat 29)", () =>
    Effect.gen(function* () {
      const { usdc: token } = yield* Anvil.AnvilChain
      const { url, vault } = yield* aRequest(7n * usdc)
      const payer = yield* payerWith(100n * usdc)
      const answers: Array<{ readonly status: number; readonly said: string | null }> = []
      const often: typeof fetch = async (input, init) => {
        const asked = new Request(input, init)
        const header = asked.headers.get("payment-signature")
        if (header === null) return fetch(asked)
        const headers = { "payment-signature": header }
        const all = await Promise.all(Array.from({ length: 64 }, () => fetch(url, { headers })))
        for (const { status, headers: told } of all) {
          answers.push({ status, said: told.get("payment-response") })
        }
        return all[0] as Response
      }
      yield* Effect.promise(() => clientOf(payer, token, often)(url))
      assert.lengthOf(answers, 64)
      assert.isTrue(answers.every(({ status }) => status === 200))
      assert.strictEqual(new Set(answers.map(({ said }) => said)).size, 1)
      assert.strictEqual(yield* held(vault.address), 7n * usdc)
    })
  )

  it.effect("is asked for what is missing, and each of many payers pays their own request", () =>
    Effect.gen(function* () {
      const chain = yield* Anvil.AnvilChain
      const partly = yield* aRequest(50n * usdc)
      yield* chain.pay(partly.vault.address, 20n * usdc)
      while ((yield* Steps.now(partly.request)).status === "open") yield* Effect.sleep("20 millis")
      const many = yield* Effect.forEach(Array(8).fill(3n * usdc), aRequest)
      const paying = yield* Effect.forEach([partly, ...many], ({ url }) =>
        Effect.map(payerWith(100n * usdc), (payer) => ({ url, payer }))
      )
      const responses = yield* Effect.forEach(
        paying,
        ({ url, payer }) => Effect.promise(() => answerTo(clientOf(payer, chain.usdc), url)),
        { concurrency: "unbounded" }
      )
      for (const { body, response } of responses) {
        assert.strictEqual(response.status, 200, JSON.stringify(body))
        assert.strictEqual(body.data.status, "paid")
        assert.strictEqual(body.data.settlementIssue, "none")
      }
      assert.strictEqual(yield* held(partly.vault.address), 50n * usdc)
    })
  )

  it.effect("of the example pays a link and says so", () =>
    Effect.gen(function* () {
      const { usdc: token } = yield* Anvil.AnvilChain
      const { request, url } = yield* aRequest(49n * usdc)
      const key = generatePrivateKey()
      yield* fund(privateKeyToAccount(key).address, 49n * usdc)
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(process.execPath, ["examples/pay-with-x402.ts", url], {
          cwd: root,
          env: {
            PATH: process.env.PATH,
            BURSAR_PAYER_KEY: key,
            BURSAR_NETWORK: "eip155:31337",
            BURSAR_TOKEN: token
          }
        })
      )
      assert.match(stdout, new RegExp(`^${request.pid} is paid, by 0x[0-9a-f]{64}\\.\n$`, "u"))
    })
  )
})
