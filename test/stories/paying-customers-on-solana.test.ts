/** A customer's payment on Solana from the vault to the webhook and the audit log, and money that nobody asked for. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { WebhookSenderScript } from "../../adapters/memory/webhook-sender.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { TokenAccounts } from "../../core/ports/token-accounts.ts"
import { seedAccounts } from "../../core/treasury/seed.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import * as Value from "../support/chain-values.ts"
import * as Solana from "../support/solana.ts"
import * as Market from "../support/solana-market.ts"
import { addressOf } from "../support/solana-world.ts"

const chainId = "local-solana"
const hook = "https://shop.example/hooks"

/** Asks again until it is there. */
const until = <A, E, R>(asking: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(asking, (found) =>
    found === undefined
      ? Effect.andThen(Effect.sleep("50 millis"), until(asking))
      : Effect.succeed(found)
  )

layer(Market.layer(), { excludeTestServices: true, timeout: "60 seconds" })(
  "a merchant on Solana",
  (it) => {
    it.effect(
      "is paid by the reference, hears of it, resolves a deposit, and its log says all of it",
      () =>
        Effect.gen(function* () {
          const { apiKey } = yield* (yield* Atomically).run(
            seedAccounts({
              kind: "developer",
              name: "Northwind Supply",
              tier: "startup",
              chainId,
              customer: { externalId: "first_customer", namespace: "default" },
              payee: { label: "Payee", address: addressOf("p") }
            })
          )
          const call = callsOf(yield* authenticate(apiKey))
          const { captured, route } = yield* WebhookSenderScript
          yield* route(hook, { _tag: "answers", status: 200 })
          yield* call.create_merchant_webhook({
            url: hook,
            events: ["payment_request.created", "payment_request.paid"]
          })
          const customers = [{ externalId: "customer_7" }]
          const { jobId } = yield* call.create_provisioning_job({ chainId, customers })
          yield* until(
            Effect.map(call.get_provisioning_job({ jobId }), ({ status }) =>
              status === "completed" ? status : undefined
            )
          )
          const customer = { externalId: "customer_7" }
          const session = yield* call.create_checkout_session({ customer, amountUsd: 12.5 })
          const twin = yield* call.create_checkout_session({ customer, amountUsd: 12.5 })
          const { payToAddress, pid, qrPayload, vaultId } = session
          const { isOpen } = yield* TokenAccounts
          yield* until(
            Effect.map(isOpen(chainId, Value.address(payToAddress)), (open) => open || undefined)
          )
          const reference = new URL(qrPayload).searchParams.get("reference") ?? ""
          const txHash = yield* Solana.pay({
            to: payToAddress,
            amountMicro: 12_500_000n,
            references: [reference]
          })
          const paid = yield* until(
            Effect.map(call.get_payment_request({ idOrPid: pid }), (request) =>
              request.status === "paid" ? request : undefined
            )
          )
          const payer = yield* Solana.payer
          assert.deepInclude(paid, { txHash, settlementIssue: "none", method: "direct" })
          assert.deepInclude(paid.attempts[0], { status: "final", payerAddress: payer.address })
          const event = yield* until(
            Effect.map(captured, (all) =>
              all
                .map(({ body }) => JSON.parse(String(body)))
                .find(({ type }) => type === "payment_request.paid")
            )
          )
          assert.deepInclude(event.data.object, {
            paymentRequestPid: pid,
            chainId,
            txHash,
            amountUsd: "12.50",
            payToAddress,
            payer: { address: payer.address, method: "direct" }
          })
          assert.strictEqual(
            (yield* call.get_payment_request({ idOrPid: twin.pid })).status,
            "open"
          )

          // Two that ask for the amount and a payment that names none: nobody is paid by a guess.
          yield* call.create_checkout_session({ customer, amountUsd: 12.5 })
          yield* Solana.pay({ to: payToAddress, amountMicro: 12_500_000n })
          const deposit = yield* until(
            Effect.map(call.list_deposits({ vaultId }), ({ deposits }) => deposits[0])
          )
          assert.deepInclude(deposit, { settlementIssue: "ambiguous", payerAddress: payer.address })
          yield* until(
            call
              .resolve_deposit({ depositId: deposit.depositId, action: "attach", pid: twin.pid })
              .pipe(
                // Until it is final it may still be dropped.
                Effect.catch(() => Effect.undefined)
              )
          )
          yield* until(
            Effect.map(call.get_payment_request({ idOrPid: twin.pid }), ({ status }) =>
              status === "paid" ? status : undefined
            )
          )
          const { entries } = yield* call.list_audit_log({ limit: 100 })
          const actions = entries.map(({ action }) => action)
          for (const wanted of [
            "payment_request.created",
            "wallet.token_account_opened",
            "transfer.seen",
            "payment_request.paid",
            "deposit.attached"
          ]) {
            assert.include(actions, wanted)
          }
        })
    )
  }
)
