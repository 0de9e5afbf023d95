/** The load, in a process of its own: autocannon as often as it is asked, over connections kept alive. */
import autocannon from "autocannon"
import { offer } from "../child.ts"

offer("ready", async (question) => {
  const result = await autocannon(question as autocannon.Options)
  const failed = result.errors + result.non2xx + result.mismatches
  if (failed > 0) throw new Error(`${failed} requests failed under load`)
  return {
    perSecond: result["2xx"] / result.duration,
    answered: result["2xx"],
    p99Ms: result.latency.p99
  }
})
