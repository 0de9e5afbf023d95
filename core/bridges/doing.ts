/** What a bridge does at each of its steps, who does it, and when the account is told that it takes too long. */
import type { Doing } from "../proposals/kind.ts"
import { fillWithinMinutes, stuckAfterMinutes } from "./on-the-way.ts"
import { openWithinMinutes } from "./steps.ts"

export const doing: Doing = {
  // What is placed for a bridge is only an offer until the wallet lets something go.
  ordering: `The bridge is asked for its offer. If none is as good as approved within ${openWithinMinutes} minutes, this ends and nothing was moved.`,
  attesting: `It left the first chain, and the token's issuer attests that by itself. The issuer names no last moment: after ${stuckAfterMinutes} minutes the account is told, and the service goes on asking.`,
  minting: `The issuer has attested it. The service receives it on the other chain, and tries again by itself; after ${stuckAfterMinutes} minutes the account is told.`,
  fulfilling: `It left the first chain as an order that solvers may fill on the other chain. If none has after ${fillWithinMinutes} minutes, the service takes it back.`,
  refunding: `Nobody filled the order. It is cancelled on the other chain, and the first chain gives back what was sent; after ${stuckAfterMinutes} minutes the account is told.`
}
