/** A stock MCP client connects, lists, calls, and gets refusals it can read. */
import { assert, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { type ClientCapabilities, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Deferred, Effect } from "effect"
import { operations } from "../../../core/treasury/operations.ts"
import { owner } from "../../support/full-account.ts"
import { everyScope, issued, siteUrl } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { Origin } from "../../support/surfaces.ts"

const connected = (key: string, capabilities: ClientCapabilities = {}) =>
  Effect.flatMap(Origin, (origin) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ name: "test", version: "1.0.0" }, { capabilities })
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

  it.effect.each([
    { opens: "opens pages", capabilities: { elicitation: { url: {} } }, asked: 1 },
    { opens: "fills in forms only", capabilities: { elicitation: { form: {} } }, asked: 0 },
    { opens: "asks nobody", capabilities: {}, asked: 0 }
  ])("that $opens learns what a confirmation waits for", ({ asked, capabilities }) =>
    Effect.gen(function* () {
      const { apiKey, recipientId, walletId } = yield* owner(
        `merchant-${JSON.stringify(capabilities)}`
      )
      const client = yield* connected(apiKey, capabilities)
      const opened: Array<unknown> = []
      const answered = yield* Deferred.make<void>()
      if (capabilities.elicitation !== undefined) {
        client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
          opened.push(params)
          Deferred.doneUnsafe(answered, Effect.void)
          return { action: "accept" }
        })
      }
      const call = (name: string, args: Record<string, unknown>) =>
        Effect.promise(async () => {
          const { structuredContent } = await client.callTool({ name, arguments: args })
          return structuredContent as Record<string, unknown>
        })
      const { proposalId, summary } = yield* call("propose_transfer", {
        recipientId,
        fromWalletId: walletId,
        amountUsdc: "5"
      })
      const confirmed = yield* call("confirm_proposal", { proposalId })
      assert.strictEqual(confirmed.status, "requires_action")
      const url = `${siteUrl}/console/proposals/${proposalId}`
      assert.deepInclude((confirmed.nextAction as Array<unknown>)[0], {
        type: "passkey_approval",
        url
      })
      if (asked > 0) yield* Deferred.await(answered)
      assert.deepStrictEqual(
        opened,
        Array(asked).fill({
          mode: "url",
          elicitationId: `approve-${proposalId}`,
          message: `Approve with your passkey: ${summary}`,
          url
        })
      )
      // The answer of the person was taken, and the session goes on.
      assert.deepInclude(yield* call("get_proposal", { proposalId }), { status: "requires_action" })
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
