/** The store of humans and their passkeys on SQL. The guarded update lets one of two equal counters through. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Human } from "../../core/humans/human.ts"
import { Humans } from "../../core/humans/human-store.ts"
import type { Passkey } from "../../core/humans/passkey.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { bool, integer, table, text, texts, timestamp, uuid } from "./table.ts"

const human = table<Human>("human", {
  id: uuid,
  accountId: uuid,
  name: text,
  email: text,
  role: text,
  createdAt: timestamp,
  joinedAt: timestamp,
  removedAt: timestamp
})

const passkey = table<Passkey>("passkey", {
  id: uuid,
  accountId: uuid,
  humanId: uuid,
  credentialId: text,
  publicKey: text,
  counter: integer,
  transports: texts,
  backedUp: bool,
  label: text,
  createdAt: timestamp,
  lastUsedAt: timestamp,
  suspendedAt: timestamp
})

export const layer = Layer.effect(
  Humans,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const humans = Rows.rows(sql, human)
    const passkeys = Rows.rows(sql, passkey)
    const oldestFirst = sql` order by created_at, id`
    return {
      add: (added) => humans.insert(added),
      find: (accountId, id) => humans.first({ accountId, id }),
      hold: (accountId, id) => humans.first({ accountId, id }, Rows.forShare),
      of: (accountId) => humans.all({ accountId, removedAt: null }, oldestFirst),
      lock: (accountId) =>
        humans.all({ accountId, removedAt: null }, sql`${oldestFirst}${Rows.forUpdate}`),
      page: (accountId, request) => humans.page({ accountId, removedAt: null }, request),
      join: (accountId, id, joinedAt) =>
        humans.updateIf({ accountId, id, joinedAt: null, removedAt: null }, { joinedAt }),
      changeRole: (accountId, id, role) =>
        humans.updateIf({ accountId, id, removedAt: null }, { role }),
      remove: (accountId, id, removedAt) =>
        humans.updateIf({ accountId, id, removedAt: null }, { removedAt }),
      addPasskey: (added) => passkeys.insertNew(added, sql`(credential_id)`),
      passkey: (accountId, id) => passkeys.first({ accountId, id }),
      byCredential: (credentialId) => passkeys.first({ credentialId }),
      passkeysOf: (humanId) => passkeys.all({ humanId }, oldestFirst),
      use: (id, counter, lastUsedAt) =>
        passkeys.updateIf(
          sql`id = ${Column.soughtUuid(id)} and suspended_at is null
            and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`,
          { counter, lastUsedAt }
        ),
      suspend: (accountId, id, suspendedAt) =>
        passkeys.updateIf({ accountId, id, suspendedAt: null }, { suspendedAt })
    }
  })
)
