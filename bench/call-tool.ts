/**
 * tools/call of `list_wallets`, twenty wallets: ours over memory stores, with key, scope, budget and schemas,
 * against the official SDK's server that answers the same with neither key nor budget.
 */
import * as Answer from "./answer.ts"
import { start } from "./child.ts"
import { cpuMicros, open, perCpuSecond, perSecond, type Request } from "./load.ts"
import { atLeast, interleaved, type Measurement, quoted, ratio, runAlone } from "./measure.ts"
import type { Facts } from "./servers/seeding.ts"

const message = (method: string, params: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

const calling = (url: string, headers: Readonly<Record<string, string>> = {}): Request => ({
  url,
  method: "POST",
  headers: {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers
  },
  body: message("tools/call", { name: "list_wallets", arguments: {} })
})

/** The peer with sessions wants to be shaken hands with first. */
const session = async (url: string) => {
  const { headers = {} } = calling(url)
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" }
  }
  const body = message("initialize", params)
  const response = await fetch(url, { method: "POST", headers, body })
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" }
}

export const measure = async (): Promise<Measurement> => {
  const ours = await start<Facts>("servers/bursar.ts", "memory")
  const answer = await Answer.keep(ours.facts)
  const stateless = await start<{ origin: string }>("servers/sdk-tools.ts", answer.file)
  const kept = await start<{ origin: string }>("servers/sdk-tools.ts", answer.file, "sessions")
  const load = await open()
  try {
    const { apiKey, origin } = ours.facts
    const asked = calling(`${origin}/api/mcp`, { authorization: `Bearer ${apiKey}` })
    const inSession = calling(kept.facts.origin, await session(kept.facts.origin))
    for (const request of [asked, inSession, calling(stateless.facts.origin)]) {
      await load.warm(request)
    }
    const taken = await interleaved({
      ours: () => load.slice(ours, asked),
      stateless: () => load.slice(stateless, calling(stateless.facts.origin)),
      kept: () => load.slice(kept, inSession)
    })
    const perCall = ratio(perSecond(taken.ours), perSecond(taken.stateless))
    return {
      file: "call-tool.ts",
      figures: [
        {
          what: "tools/call, memory stores",
          against: "the SDK's server, stateless as ours is",
          ours: quoted(perSecond(taken.ours), "/s"),
          theirs: quoted(perSecond(taken.stateless), "/s"),
          ratio: perCall,
          target: atLeast(5, perCall)
        },
        {
          what: "tools/call, calls per CPU second",
          against: "the SDK's server, stateless as ours is",
          ours: quoted(cpuMicros(taken.ours), "µs CPU"),
          theirs: quoted(cpuMicros(taken.stateless), "µs CPU"),
          ratio: ratio(perCpuSecond(taken.ours), perCpuSecond(taken.stateless))
        },
        {
          what: "tools/call, memory stores",
          against: "the SDK's server, one session kept for all calls",
          ours: quoted(perSecond(taken.ours), "/s"),
          theirs: quoted(perSecond(taken.kept), "/s"),
          ratio: ratio(perSecond(taken.ours), perSecond(taken.kept))
        }
      ]
    }
  } finally {
    await Promise.all([ours, stateless, kept, load].map((each) => each.stop()))
    await answer.drop()
  }
}

await runAlone(import.meta.main, measure)
