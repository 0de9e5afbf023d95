/** A payment request has an id and a pid, and a caller may send one in the path and the other beside it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AccountId } from "../../support/small-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { posted, withKey } from "../../support/surfaces.ts"

const at = (idOrPid: string) => `/api/v1/payment-requests/${idOrPid}`

/** Whether the path and what is said again were taken for one, by reads and writes, in query and body. */
const statuses = Effect.fnUntraced(function* (inPath: string, again: string) {
  const replies = [
    yield* withKey(`${at(inPath)}?idOrPid=${again}`),
    yield* posted(`${at(inPath)}/extend`, { expiryDays: 9, idOrPid: again }),
    yield* posted(`${at(inPath)}/extend?idOrPid=${again}`, { expiryDays: 9 })
  ]
  for (const { body, status } of replies) {
    if (status === 400) {
      assert.deepInclude(body.error, { code: "INVALID_REQUEST", param: "idOrPid" })
    }
  }
  return replies.map(({ status }) => status)
})

layer(Surfaces.layer())("a request named twice", (it) => {
  it.effect("is taken by its id beside its pid, and not beside another's", () =>
    Effect.gen(function* () {
      const accountId = yield* AccountId
      const vault = yield* Stored.vault({ accountId })
      const one = yield* Stored.paymentRequest(vault)
      const other = yield* Stored.paymentRequest(vault)
      assert.deepStrictEqual(yield* statuses(one.pid, one.id), [200, 200, 200])
      assert.deepStrictEqual(yield* statuses(one.id, one.pid), [200, 200, 200])
      assert.deepStrictEqual(yield* statuses(one.pid, other.id), [400, 400, 400])
      assert.deepStrictEqual(yield* statuses(one.id, other.pid), [400, 400, 400])
      assert.deepStrictEqual(yield* statuses(one.id, other.id), [400, 400, 400])
    })
  )

  it.effect("of another account is told from none by nothing", () =>
    Effect.gen(function* () {
      const foreign = yield* Stored.paymentRequest(yield* Stored.vault())
      const ask = (again: string) =>
        Effect.map(withKey(`${at(foreign.pid)}?idOrPid=${again}`), ({ body, status }) => [
          status,
          { ...body.error, requestId: "" }
        ])
      assert.deepStrictEqual(yield* ask(foreign.id), yield* ask(crypto.randomUUID()))
    })
  )
})
