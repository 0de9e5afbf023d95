/** An agent's own wallet becomes a recipient by its funding wallet's signature alone, and no cap bounds it then. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { families } from "../../../core/chains/address.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { seedAccounts } from "../../../core/treasury/seed.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import * as Rows from "../../support/rows.ts"
import { addSigned, refusalOf } from "../../support/trade-authority.ts"

const chainId = "local"

it("an own wallet is asked a signature for, and stored with it alone", async () => {
  const treasury = await openTreasury()
  const { call, vault, wallet } = treasury.agent
  const own = { chainId, address: wallet.address }
  const before = await call.list_recipients({})
  const { challenge, ...rest } = await call.add_recipient(own)
  assert.include(
    challenge?.message,
    `to pay ${wallet.address}, a wallet of its own, without caps, on`
  )
  assert.deepStrictEqual(rest, {})
  assert.deepStrictEqual(await call.list_recipients({}), before)
  assert.strictEqual((await addSigned(treasury, own)).status, "completed")
  // What the account's customers have paid is gathered, above the account's cap of 1,000.
  await treasury.send(vault.address, "1500")
  const { recipients } = await call.list_recipients({})
  const gathered = await call.propose_transfer({
    recipientId: recipients.find(({ address }) => address === wallet.address)?.id ?? "",
    fromWalletId: vault.id,
    amountUsdc: "1500"
  })
  assert.strictEqual(gathered.status, "pending_confirm")
  // Any other wallet is not called its own.
  const another = await call.add_recipient({ chainId, address: families.evm.exampleAddress })
  assert.notInclude(another.challenge?.message, "of its own")
  const twice = await refusalOf(call.add_recipient(own))
  assert.deepInclude(twice, { _tag: "INVALID_REQUEST", param: "address" })
  await treasury.close()
})

it.effect("without a funding wallet an agent adds nobody, its own wallet included", () =>
  Effect.gen(function* () {
    const seeded = yield* (yield* Atomically).run(
      seedAccounts({
        kind: "agent",
        name: "Purchasing agent",
        tier: "personal",
        chainId,
        customer: { externalId: "first_customer", namespace: "default" },
        payee: { label: "Payee", address: Rows.anAddress() }
      })
    )
    const call = callsOf(yield* authenticate(seeded.apiKey))
    for (const address of [seeded.wallet.address, families.evm.exampleAddress]) {
      const refused = yield* Effect.flip(call.add_recipient({ chainId, address }))
      assert.strictEqual(refused._tag, "INVALID_REQUEST")
      assert.include(String(refused.message), "no funding wallet")
    }
    assert.lengthOf((yield* call.list_recipients({})).recipients, 1)
  }).pipe(
    Effect.provide(Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain([chainId]) }, 1))
  )
)
