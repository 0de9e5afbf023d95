/** What a key is listed: every tool that its scopes allow, no other, and in few bytes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Scope } from "../../../core/operation/caller.ts"
import { operations } from "../../../core/treasury/operations.ts"
import { everyScope, issued } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { callTool, rpc } from "../../support/surfaces.ts"

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
}

const listedTo = Effect.fnUntraced(function* (scopes: ReadonlyArray<Scope>) {
  const { body, text } = yield* rpc(
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
    yield* issued([...scopes])
  )
  const tools: ReadonlyArray<Tool> = body.result.tools
  assert.isUndefined(body.result.nextCursor)
  return { tools, bytes: text.length }
})

const allowedTo = (scopes: ReadonlyArray<Scope>) =>
  operations.filter(({ scope }) => scopes.includes(scope)).map(({ name }) => name)

const instructionsTo = Effect.fnUntraced(function* (scopes: ReadonlyArray<Scope>) {
  const message = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }
  return String((yield* rpc(message, yield* issued([...scopes]))).body.result.instructions)
})

/** What a host hands its model of each tool. */
const read = (tools: ReadonlyArray<Tool>) =>
  JSON.stringify(
    tools.map(({ description, inputSchema, name }) => ({ name, description, inputSchema }))
  ).length

layer(Surfaces.layer())("the list of tools", (it) => {
  it.effect("is that of the key's scopes, whichever they are", () =>
    Effect.gen(function* () {
      const pairs = Scope.literals.flatMap((one, at) =>
        Scope.literals.slice(at + 1).map((other) => [one, other] as const)
      )
      // More shapes than are kept, and the first ones again.
      const shapes = [...Scope.literals.map((scope) => [scope]), ...pairs.slice(0, 12)]
      for (const scopes of [...shapes, ...shapes.slice(0, 3)]) {
        const { tools } = yield* listedTo(scopes)
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          allowedTo(scopes),
          scopes.join(" ")
        )
      }
    })
  )

  it.effect("leaves out nothing that works, and what it leaves out says which scope it needs", () =>
    Effect.gen(function* () {
      const scopes = ["payment_requests:read", "balances:read"] as const
      const key = yield* issued([...scopes])
      const names = (yield* listedTo(scopes)).tools.map(({ name }) => name)
      for (const { name, scope } of operations) {
        const { body } = yield* callTool(name, {}, key)
        const { error } = body.result.structuredContent
        assert.strictEqual(error?.code === "INSUFFICIENT_SCOPE", !names.includes(name), name)
        if (!names.includes(name)) assert.strictEqual(error.details.scope, scope)
      }
    })
  )

  it.effect("costs a narrow key's reader a tenth, and the widest one no more than it must", () =>
    Effect.gen(function* () {
      const all = yield* listedTo(everyScope)
      assert.isBelow(all.bytes, 275_000)
      assert.isBelow(read(all.tools), 85_000)
      const narrow = yield* listedTo(["payment_requests:read"])
      assert.isBelow(narrow.bytes, 35_000)
      assert.isBelow(read(narrow.tools), 11_000)
    })
  )

  it.effect("is introduced by the guide only where the key may read it", () =>
    Effect.gen(function* () {
      assert.include(yield* instructionsTo(["account:read"]), "get_guide")
      assert.notInclude(yield* instructionsTo(["balances:read"]), "get_guide")
    })
  )
})
