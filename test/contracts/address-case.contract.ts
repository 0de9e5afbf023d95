/**
 * What every store that is keyed on an address or a transaction must do on chains where the case of a letter
 * counts: two that differ in case alone are two.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as FastCheck from "fast-check"
import { Accounts } from "../../core/accounts/account-store.ts"
import {
  type Address,
  type AddressKey,
  keyOf,
  type TransactionId,
  transactionKeyOf
} from "../../core/chains/address.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { PaymentClaims, Transfers } from "../../core/payments/transfer-store.ts"
import { Purchases } from "../../core/policy/spending-ledger.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { AnyStore } from "../../core/treasury/stores.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as SettlementRows from "../support/settlement-rows.ts"
import * as Stored from "../support/stored-rows.ts"

const chainId = "solana"
const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** Base58 texts that differ in the case of one letter. */
const pair = FastCheck.tuple(
  FastCheck.string({
    unit: FastCheck.constantFrom(...alphabet),
    minLength: 31,
    maxLength: 43
  }),
  FastCheck.constantFrom(..."abcdefghjkmnpqrstuvwxyz"),
  FastCheck.nat(30)
).map(([rest, letter, at]) => {
  const having = (each: string) => rest.slice(0, at) + each + rest.slice(at)
  return [having(letter), having(letter.toUpperCase())] as const
})

interface Twin {
  readonly address: Address
  readonly key: AddressKey
  readonly transaction: TransactionId
}

const twinOf = (text: string): Twin => ({
  address: text as Address,
  key: keyOf(chainId, text),
  transaction: transactionKeyOf(chainId, text)
})

/** Each is kept beside its twin, and found alone. */
const both = Effect.fnUntraced(function* (twins: readonly [Twin, Twin]) {
  const { id: accountId } = yield* Stored.account()
  const [accounts, recipients, wallets] = [yield* Accounts, yield* Recipients, yield* Wallets]
  const [claims, transfers] = [yield* PaymentClaims, yield* Transfers]
  const [purchases, submissions] = [yield* Purchases, yield* SubmissionStore]
  const { nonce, token } = SettlementRows.anAuthorization()
  const signed = { chainId, nonce, token }
  const vault = yield* Stored.vault({ accountId, chainId })
  const rows = yield* Effect.forEach(twins, ({ address, key, transaction }) =>
    Effect.gen(function* () {
      const funded = yield* Stored.account({ fundingWallet: { chainId, address } })
      const recipient = SendingRows.aRecipient(accountId, { chainId, address })
      assert.isTrue(yield* recipients.add(recipient), "a recipient")
      const wallet = yield* Stored.vault({ chainId, address })
      const paid = yield* Stored.paymentRequest(vault, {
        status: "paid",
        paidAt: Rows.at(1),
        payerAddress: key
      })
      const ofPayer = {
        chainId,
        txHash: twins[0].transaction,
        payerAddress: key,
        requestId: paid.id,
        claimedAt: Rows.at(0)
      }
      assert.strictEqual(yield* claims.add(ofPayer, 9), "kept", "a claim by its payer")
      const transfer = Rows.aTransfer(vault, { txHash: transaction, logIndex: 0 })
      assert.strictEqual((yield* transfers.record(transfer)).outcome, "recorded", "a transfer")
      const sequence = yield* submissions.takeSequences(chainId, key, 5, 1)
      assert.strictEqual(sequence, 5, "a relayer's sequence number")
      const purchase = SettlementRows.anOnboarding(accountId, { chainId, txHash: transaction })
      assert.isTrue(yield* purchases.record(purchase), "a purchase")
      const settlement = SettlementRows.aSettlement(
        { _tag: "renewal", accountId, plan: "startup" },
        {},
        SettlementRows.anAuthorization({ ...signed, from: key })
      )
      assert.isTrue(yield* submissions.open(settlement), "a payment by signature")
      return { funded, recipient, wallet, paid, ofPayer, transfer, purchase, settlement }
    })
  )
  for (const [at, { address, key, transaction }] of twins.entries()) {
    const row = rows[at] ?? assert.fail("there is a row for each")
    const { rows: funded } = yield* accounts.fundedBy({ chainId, address }, { limit: 9 })
    assert.deepStrictEqual(funded, [row.funded])
    assert.deepStrictEqual(yield* recipients.standing(accountId, chainId, address), row.recipient)
    assert.deepStrictEqual(yield* wallets.vaultsAt(chainId, [key]), [row.wallet])
    assert.strictEqual(yield* wallets.ownerOf(chainId, key), row.wallet.accountId)
    assert.deepStrictEqual(yield* claims.find(chainId, row.ofPayer.txHash, key), row.ofPayer)
    assert.deepStrictEqual(yield* transfers.ofTransaction(chainId, transaction), [row.transfer])
    const like = { vaultId: vault.id, amountMicro: row.paid.amountMicro, since: Rows.at(9) }
    const repeated = yield* (yield* PaymentRequests).paidLike({ ...like, payerAddress: key })
    assert.deepStrictEqual(repeated, [row.paid])
    const bought = yield* purchases.ofSettlement(row.purchase.settlementId)
    assert.deepStrictEqual(bought, row.purchase)
    assert.deepStrictEqual(yield* submissions.find(row.settlement.key), row.settlement)
  }
})

export const suite = (name: string, stores: Layer.Layer<AnyStore>) =>
  layer(stores)(`${name}: addresses in which case counts`, (it) => {
    it.effect("are kept apart by every store that is keyed on one", () =>
      Effect.gen(function* () {
        const run = Effect.runPromiseWith(yield* Effect.context<AnyStore>())
        const property = FastCheck.asyncProperty(pair, ([one, other]) =>
          run(both([twinOf(one), twinOf(other)]))
        )
        yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 12 }))
      })
    )
  })
