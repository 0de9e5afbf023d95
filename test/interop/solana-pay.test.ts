/** Solana Pay's own client, unmodified, reads our URL, pays by it, finds the payment and agrees that it is right. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import * as View from "../../core/payments/view.ts"
import * as Solana from "../support/solana.ts"
import * as Market from "../support/solana-market.ts"
import { toolFolder } from "../support/tool-folder.ts"

const folder = toolFolder("solana-pay")
if (folder.absence !== undefined) console.warn(`Left out: ${folder.absence}`)

layer(Market.layer(), { excludeTestServices: true, timeout: "60 seconds" })("Solana Pay", (it) => {
  it.effect.skipIf(folder.absence !== undefined)(
    "its client pays by our URL, and the request that the reference names is paid",
    () =>
      Effect.gen(function* () {
        const chain = yield* LocalSolana
        const pay = yield* Effect.promise(() => folder.load("@solana/pay"))
        const kit = yield* Effect.promise(() => folder.load("@solana/kit"))
        // A twin of the same amount: only the reference tells which one is meant.
        const { request: twin, vault } = yield* Market.aRequest("local-solana", 2_500_000n)
        const { request } = yield* Market.aRequest("local-solana", 2_500_000n, vault)
        const { qrPayload } = yield* View.view(request)

        const fields = pay.parseURL(qrPayload)
        assert.strictEqual(fields.recipient, vault.address)
        assert.strictEqual(fields.amount, 2.5)
        assert.strictEqual(fields.splToken, chain.usdc)
        assert.lengthOf(fields.reference, 1)

        const rpc = kit.createSolanaRpc(chain.rpcUrl)
        const signature = yield* Effect.promise(async () => {
          const bytes = kit.getBase58Encoder().encode(chain.payer.privateKey)
          const payer = await kit.createKeyPairSignerFromBytes(bytes)
          const instructions = await pay.createTransfer(rpc, payer, fields)
          const { value } = await rpc.getLatestBlockhash().send()
          const message = kit.pipe(
            kit.createTransactionMessage({ version: 0 }),
            (empty: unknown) => kit.setTransactionMessageFeePayerSigner(payer, empty),
            (paid: unknown) => kit.setTransactionMessageLifetimeUsingBlockhash(value, paid),
            (alive: unknown) => kit.appendTransactionMessageInstructions(instructions, alive)
          )
          const transaction = await kit.signTransactionMessageWithSigners(message)
          const rpcSubscriptions = kit.createSolanaRpcSubscriptions(chain.wsUrl)
          const send = kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })
          await send(transaction, { commitment: "confirmed" })
          return kit.getSignatureFromTransaction(transaction)
        })
        const [reference] = fields.reference
        const found = yield* Effect.promise(
          (): Promise<{ readonly signature: string }> => pay.findReference(rpc, reference)
        )
        assert.strictEqual(found.signature, signature)
        const validated = yield* Effect.promise(() => pay.validateTransfer(rpc, signature, fields))
        assert.isOk(validated)
        const wrong = { ...fields, amount: 2.6 }
        const refusal = yield* Effect.promise(() =>
          pay.validateTransfer(rpc, signature, wrong).then(
            () => undefined,
            (error: Error) => error.name
          )
        )
        assert.strictEqual(refusal, "ValidateTransferError")

        const now = (pid: string) => PaymentRequests.use((requests) => requests.findPublic(pid))
        let paid = yield* now(request.pid)
        while (paid?.status !== "paid") {
          yield* Effect.sleep("50 millis")
          paid = yield* now(request.pid)
        }
        assert.deepInclude(paid, { method: "direct", txHash: signature })
        assert.strictEqual((yield* now(twin.pid))?.status, "open")
        assert.strictEqual(yield* Solana.held(vault.address), 2_500_000n)
      })
  )
})
