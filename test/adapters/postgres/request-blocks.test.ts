/** A payment request is found by its pid or its id with one look: into the index of the one that was asked for. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { copies, often, stores } from "../../support/many-rows.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Stored from "../../support/stored-rows.ts"

layer(stores)("a payment request among thousands", (it) => {
  it.effect("is found by its pid and by its id, each with one look", () =>
    Effect.gen(function* () {
      const { accountId, id, pid } = yield* Stored.paymentRequest(yield* Stored.vault())
      yield* copies("payment_request", id, {
        id: Numbered.inSql("request"),
        pid: "'pr_' || lpad(n::text, 22, '0')",
        reference: "null"
      })
      const { find } = yield* PaymentRequests
      for (const asked of [pid, id]) {
        const { blocks, found } = yield* often(find(accountId, asked))
        assert.strictEqual(found?.id, id)
        assert.isAtMost(blocks, 4)
      }
    })
  )
})
