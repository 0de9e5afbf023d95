/** The official x402 client pays a link of the service as it is deployed: REST, PostgreSQL and a real chain. */
import { assert, it } from "@effect/vitest"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as FreshDatabase from "../support/fresh-database.ts"
import { realWorld } from "./real-world.ts"
import * as Scene from "./scenes.ts"

const usdc = 1_000_000n
const copies = 64

it.live("64 copies of a stock client's payment pay its request once, and no twin of it", () =>
  Effect.gen(function* () {
    const world = yield* realWorld(FreshDatabase.engine, "REST")
    const { receiver } = yield* Scene.merchant(world)
    const vault = yield* Scene.vault(world)
    const twin = yield* Scene.request(world, vault.walletMappingId, 21)
    const request = yield* Scene.request(world, vault.walletMappingId, 21)
    const payer = privateKeyToAccount(generatePrivateKey())
    yield* world.pay(payer.address, 100n * usdc)
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(world.mine(1), Effect.sleep("100 millis")))
    )
    const url = `${world.siteUrl}/pay/${request.pid}`
    const statuses: Array<number> = []
    const often: typeof fetch = async (input, init) => {
      const asked = new Request(input, init)
      const header = asked.headers.get("payment-signature")
      if (header === null) return fetch(asked)
      const headers = { "payment-signature": header }
      const all = await Promise.all(Array.from({ length: copies }, () => fetch(url, { headers })))
      statuses.push(...all.map(({ status }) => status))
      return all[0] as Response
    }
    const client = wrapFetchWithPaymentFromConfig(often, {
      schemes: [{ network: "eip155:*", client: new ExactEvmScheme(payer) }],
      spendControls: false
    })
    const response = yield* Effect.promise(() => client(url))
    assert.deepStrictEqual(statuses, Array(copies).fill(200))
    const { data } = (yield* Effect.promise(() => response.json())) as {
      readonly data: { readonly status: string; readonly txHash: string }
    }
    assert.strictEqual(data.status, "paid")
    assert.strictEqual(yield* world.balanceOf(vault.address), 21n * usdc)
    assert.strictEqual(yield* world.balanceOf(payer.address), 79n * usdc)
    const paid = yield* world.calls.get_payment_request({ idOrPid: request.pid })
    assert.deepInclude(paid, { status: "paid", method: "x402", txHash: data.txHash })
    assert.deepInclude(paid.attempts[0], { method: "x402", status: "final" })
    const event = yield* Scene.hears(world, receiver, "payment_request.paid", request.pid)
    assert.deepInclude(event.data.object, {
      method: "x402",
      payer: { address: payer.address, method: "x402" }
    })
    yield* Scene.staysSo(world, twin.pid, "open")
    const { deposits } = yield* world.calls.list_deposits({ vaultId: vault.walletMappingId })
    assert.deepStrictEqual(deposits, [])
  }).pipe(Effect.scoped)
)
