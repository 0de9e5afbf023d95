/** One address behind which two nodes of a chain answer in turns, as a provider's do; it counts what it is asked. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface AlternatingNode {
  readonly rpcUrl: string
  /** The methods asked since the last time. */
  readonly asked: () => ReadonlyArray<string>
}

const listening = (rpcUrls: ReadonlyArray<string>) => {
  let turn = 0
  let methods: Array<string> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    methods.push(String((JSON.parse(body.toString()) as { method: string }).method))
    const url = rpcUrls[turn++ % rpcUrls.length] ?? ""
    const headers = { "content-type": "application/json" }
    const answer = await fetch(url, { method: "POST", headers, body })
    response.writeHead(answer.status, headers).end(await answer.text())
  })
  const asked = () => {
    const since = methods
    methods = []
    return since
  }
  return { server, asked }
}

export const alternating = (rpcUrls: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof listening> & AlternatingNode>((resume) => {
      const node = listening(rpcUrls)
      node.server.listen(0, "127.0.0.1", () => {
        const { port } = node.server.address() as AddressInfo
        resume(Effect.succeed({ ...node, rpcUrl: `http://127.0.0.1:${port}` }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
