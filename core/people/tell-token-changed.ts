/**
 * Tells every account that another contract stands behind the USDC of a chain than the accepted one. An account has one
 * notice of a change, so that whoever repeats this goes on where another stopped.
 */
import { Effect } from "effect"
import type { Account } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { giveNotice } from "../notices/give-notice.ts"
import type * as Page from "../operation/page.ts"
import { Atomically } from "../ports/atomically.ts"
import { UsdcImplementations } from "../tokens/usdc-implementation-store.ts"
import { named } from "../tokens/usdc-stop.ts"

/** As many accounts as one transaction tells. */
const perTransaction = 100

/**
 * The change is named by its chain, when it was seen first, and what was seen. One that was accepted meanwhile, undone,
 * or followed by another is told to nobody; of two to the same contract, people see by the time which is which.
 */
export const tellTokenChanged = Effect.fnUntraced(function* (change: string) {
  const [chainId = "", at = "", seen] = change.split(" ")
  const found = yield* (yield* UsdcImplementations).find(chainId)
  if (found === undefined || found.accepted === found.seen || found.seen !== seen) return
  const { list } = yield* Accounts
  const tell = ({ id }: Account) =>
    giveNotice({
      accountId: id,
      type: "token_changed",
      subject: `${chainId} ${at}`,
      role: "owner",
      summary: `The contract behind USDC on ${chainId} was ${named(found.accepted)} and is ${named(seen)}, first seen at ${at}. No wallet signs on ${chainId} until whoever runs the service accepts it.`,
      path: "/console/wallets"
    })
  let after: Page.Position | undefined
  do {
    const page = yield* list({ limit: perTransaction, ...(after === undefined ? {} : { after }) })
    yield* (yield* Atomically).run(Effect.forEach(page.rows, tell, { discard: true }))
    after = page.next
  } while (after !== undefined)
})
