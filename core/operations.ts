/** The catalogue: every operation, in the order of the manual. Nothing is served that is not in it. */
import { getAccount } from "./accounts/account.ts"
import { listApiKeys } from "./accounts/key.ts"
import { listAuditLog } from "./audit/entry.ts"
import type * as Operation from "./operation.ts"
import { listWallets } from "./wallets/wallet.ts"

export const operations = [getAccount, listWallets, listApiKeys, listAuditLog] as const

export type Operations = typeof operations
export type Name = Operations[number]["name"]
/** What the whole catalogue asks of its surroundings. */
export type Needs = Operation.Needs<Operations[number]>
