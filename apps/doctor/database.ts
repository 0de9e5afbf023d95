/** The database, looked at as it stands: nothing is migrated, no key is made and none is wrapped anew. */
import { Effect } from "effect"
import { Accounts } from "../../core/accounts/account-store.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import type { Configuration } from "../server/configuration.ts"
import { databaseOf } from "../server/database.ts"
import { unreadChains } from "../server/timeline.ts"
import { relayerAddresses } from "../server/wiring.ts"
import type { Records } from "./examine.ts"
import { ok, warning } from "./finding.ts"
import { most } from "./trades.ts"
import { hasKeys, pending, records } from "./wiring.ts"

const part = "database"

const behind = (names: ReadonlyArray<string>) =>
  warning(
    part,
    `It is of an older version and lacks ${names.join(", ")}. The next start of this version adds that, and no older version can be started then: take a backup first.`
  )

const read = Effect.gen(function* () {
  yield* (yield* Accounts).list({ limit: 1 })
  const relayers = yield* relayerAddresses
  const stuck = yield* (yield* WaitStore).stuck(most)
  return { relayers, stuck, unread: yield* unreadChains }
})

/** Opens it with the keys of the keyring, as the service does. */
export const examine = (configuration: Configuration) =>
  Effect.gen(function* () {
    const { isEmpty, names } = yield* pending
    if (isEmpty) {
      const message = "It opens and is empty; the first start makes its tables and its keys."
      return { finding: warning(part, message) }
    }
    if (names.length > 0) return { finding: behind(names) }
    if (!(yield* hasKeys)) {
      const message = "It opens and its schema is current; the first start makes its keys."
      return { finding: ok(part, message), stuck: [] }
    }
    const told = yield* Effect.provide(read, records(configuration))
    const message = "It opens, its schema is current, and the keyring is its own."
    return { ...told, finding: ok(part, message) } satisfies Records
  }).pipe(Effect.provide(databaseOf(configuration)))
