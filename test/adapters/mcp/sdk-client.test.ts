/** A stock MCP client connects, lists, calls, and gets refusals it can read. */
import { assert, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { operations } from "../../../core/operations.ts"
import { everyScope, issued } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { Origin } from "../../support/surfaces.ts"

const connected = (key: string) =>
  Effect.flatMap(Origin, (origin) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ name: "test", version: "1.0.0" })
        const requestInit = { headers: { authorization: `Bearer ${key}` } }
        const url = new URL(`${origin}/api/mcp`)
        // The transport's own type disagrees with its interface under exact optional properties.
        const transport = new StreamableHTTPClientTransport(url, { requestInit }) as never
        await client.connect(transport)
        return client
      }),
      (client) => Effect.promise(() => client.close())
    )
  )

layer(Surfaces.layer())("a stock client", (it) => {
  it.effect("lists the catalogue and calls a tool whose answer fits its schema", () =>
    Effect.gen(function* () {
      const client = yield* connected(yield* issued(everyScope))
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.lengthOf(tools, operations.length)
      const result = yield* Effect.promise(() =>
        client.callTool({ name: "list_wallets", arguments: { limit: 2 } })
      )
      assert.isFalse(result.isError)
      assert.property(result.structuredContent, "wallets")
    })
  )

  it.effect("reads every refusal, though it checks what it gets against the schema", () =>
    Effect.gen(function* () {
      const client = yield* connected(yield* issued(["account:read"]))
      yield* Effect.promise(() => client.listTools())
      for (const { name } of operations) {
        const result = yield* Effect.promise(() =>
          client.callTool({ name, arguments: { strayProperty: 1 } })
        )
        assert.isTrue(result.isError, name)
        assert.property(result.structuredContent, "error")
      }
    })
  )

  it.effect("is told at once that its key is not in force", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.scoped(connected("nonsense")))
      assert.strictEqual(exit._tag, "Failure")
      assert.match(String(exit), /UNAUTHENTICATED/u)
    })
  )
})
