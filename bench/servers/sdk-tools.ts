/**
 * The peer for tools: the official SDK's server with one tool, over node:http. Stateless as its own example
 * shows it, a server and a transport for each request; with `sessions`, one of each that is kept.
 */

import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { z } from "zod"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { offer } from "../child.ts"

const [file = "", mode = "stateless"] = process.argv.slice(2)
const { data } = JSON.parse(readFileSync(file, "utf8")) as { data: Record<string, unknown> }
const port = await freePort()

const wallet = z.object({
  id: z.string(),
  name: z.string(),
  nickname: z.string().nullable(),
  address: z.string(),
  chain: z.string(),
  chainId: z.string(),
  isDefault: z.boolean(),
  metadata: z.record(z.string(), z.string()),
  kind: z.enum(["standard", "collection"]),
  createdAt: z.string()
})

const connected = async (isKept: boolean) => {
  const server = new McpServer({ name: "peer", version: "1.0.0" })
  server.registerTool(
    "list_wallets",
    {
      inputSchema: { limit: z.number().int().min(1).max(100).optional() },
      outputSchema: {
        wallets: z.array(wallet),
        hasMore: z.boolean(),
        nextCursor: z.string().nullable()
      }
    },
    async () => ({
      content: [{ type: "text", text: JSON.stringify(data) }],
      structuredContent: data
    })
  )
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    ...(isKept ? { sessionIdGenerator: randomUUID } : {})
  })
  // The transport's own type disagrees with its interface under exact optional properties.
  await server.connect(transport as never)
  return { server, transport }
}

const kept = mode === "sessions" ? await connected(true) : undefined

const server = createServer(async (request, response) => {
  const { server, transport } = kept ?? (await connected(false))
  if (kept === undefined) {
    response.on("close", () => {
      void transport.close()
      void server.close()
    })
  }
  await transport.handleRequest(request, response)
}).listen(port, "127.0.0.1")
await once(server, "listening")

offer({ origin: `http://127.0.0.1:${port}` })
