/** The load, in a process of its own: autocannon as often as it is asked, over connections kept alive. */
import autocannon from "autocannon"
import { offer } from "../child.ts"
import type { Request } from "../load.ts"

type Asked = autocannon.Options & Pick<Request, "inTurn">

/** Each connection asks for all in turn, and no two of them for the same at once. */
const spread = ({ connections = 1, inTurn = [] }: Asked): autocannon.Options => {
  if (inTurn.length === 0) return {}
  let opened = 0
  return {
    setupClient: (client) => {
      const from = Math.floor((opened++ % connections) * (inTurn.length / connections))
      const turned = [...inTurn.slice(from), ...inTurn.slice(0, from)]
      client.setRequests(turned.map((headers) => ({ headers })))
    }
  }
}

offer("ready", async (question) => {
  const { inTurn, ...asked } = question as Asked
  const result = await autocannon({ ...asked, ...spread({ ...asked, ...(inTurn && { inTurn }) }) })
  const failed = result.errors + result.non2xx + result.mismatches
  if (failed > 0) throw new Error(`${failed} requests failed under load`)
  return {
    perSecond: result["2xx"] / result.duration,
    answered: result["2xx"],
    p99Ms: result.latency.p99
  }
})
