/**
 * Roles: a viewer's session does nothing but read, whatever it posts and from wherever; an approver acts and gives
 * nobody power; an owner's passkey says who may do what, and never takes the last owner away.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Audit } from "../../../core/audit/audit-store.ts"
import { authenticate, callerOf } from "../../../core/humans/authenticate.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import type * as Operation from "../../../core/operation/operation.ts"
import { operations, peopleOperations } from "../../../core/treasury/operations.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import * as Accounts from "../../support/accounts.ts"
import { enrolled, signedCall, visitor } from "../../support/console-people.ts"
import type { Said, Visitor } from "../../support/console-visitor.ts"
import { AccountId } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"

const every: ReadonlyArray<Operation.Any> = [...operations, ...peopleOperations]
const writes = every.filter(({ sideEffect }) => sideEffect !== "read")
const reads = operations.filter(({ sideEffect }) => sideEffect === "read")

const aPasskey = { passkeyChallengeId: "x", answer: { id: "x" } }

/** What only the account's records can be changed by; coming, going and one's own passkeys stand beside it. */
const otherPosts = [
  "pause",
  "proposals/x/options",
  "proposals/x/cancel",
  "governance/x/cancel"
] as const

const codeOf = ({ body }: Said): string => body.error?.code ?? "ok"

const signedInAt = (at: Visitor) => authenticate([...at.cookies.values()][0])

const actionsIn = Effect.gen(function* () {
  const { rows } = yield* (yield* Audit).list(yield* AccountId, { limit: 100 })
  return rows.map(({ action }) => action)
})

const personOf = Effect.fnUntraced(function* (at: Visitor) {
  const passkey = yield* (yield* Humans).byCredential(at.authenticator.credentialId)
  return passkey?.humanId ?? "none"
})

layer(Surfaces.layer())("a viewer", (it) => {
  it.effect("posts every write and every form in vain, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const eve = yield* enrolled({ role: "viewer" })
      const before = yield* actionsIn
      for (const { name } of writes) {
        for (const path of [`do/${name}`, `sign/${name}/options`]) {
          const code = codeOf(yield* eve.post(path, { input: {} }))
          assert.include(["INSUFFICIENT_ROLE", "NOT_FOUND"], code, path)
        }
        const code = codeOf(yield* signedCall(eve, name, {}))
        assert.include(["INSUFFICIENT_ROLE", "NOT_FOUND"], code, name)
        const verified = yield* eve.post(`sign/${name}/verify`, { input: {}, ...aPasskey })
        assert.notStrictEqual(verified.status, 200, name)
      }
      for (const path of otherPosts) {
        assert.strictEqual(codeOf(yield* eve.post(path)), "INSUFFICIENT_ROLE", path)
      }
      assert.deepStrictEqual(yield* actionsIn, before)
    })
  )

  it.effect("is refused every write by core itself, and may call every read", () =>
    Effect.gen(function* () {
      const signedIn = yield* signedInAt(yield* enrolled({ role: "viewer" }))
      const calls = callsOf(callerOf(signedIn, { hasSigned: true }))
      for (const { name } of operations) {
        const call = calls[name] as (input: unknown) => ReturnType<typeof calls.get_account>
        const said = yield* Effect.result(call({ strayProperty: 1 }))
        const code = said._tag === "Failure" ? said.failure._tag : "ok"
        const isRead = reads.some((each) => each.name === name)
        assert.strictEqual(code, isRead ? "UNKNOWN_FIELD" : "INSUFFICIENT_ROLE", name)
      }
    })
  )
})

layer(Surfaces.layer())("an approver", (it) => {
  it.effect("gives nobody power: no keys, no people, no rules", () =>
    Effect.gen(function* () {
      const ben = yield* enrolled({ role: "approver" })
      const ofOwners = every.filter(({ role }) => role === "owner").map(({ name }) => name)
      assert.includeMembers(ofOwners, ["create_api_key", "update_cosigner_rules", "change_role"])
      for (const name of ofOwners) {
        for (const path of [`do/${name}`, `sign/${name}/options`]) {
          const said = yield* ben.post(path, { input: {} })
          assert.include(["INSUFFICIENT_ROLE", "NOT_FOUND"], codeOf(said), path)
        }
        assert.include(["INSUFFICIENT_ROLE", "NOT_FOUND"], codeOf(yield* signedCall(ben, name, {})))
      }
      const paused = yield* ben.post("pause")
      assert.strictEqual(paused.status, 200)
    })
  )
})

const rowsOf = Effect.fnUntraced(function* (at: Visitor) {
  const { people } = yield* callsOf(callerOf(yield* signedInAt(at))).list_people({})
  return people
})

layer(Surfaces.layer())("an owner's passkey", (it) => {
  it.effect("invites a person, who joins with a passkey, is given a role, and is removed", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const input = { name: "Ben", email: "ben@example.com", role: "viewer" }
      const first = yield* signedCall(ada, "invite_person", input)
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      assert.deepInclude(first.body.data, { status: "invited", role: "viewer", name: "Ben" })
      const second = yield* signedCall(ada, "invite_person", input)
      const ben = yield* visitor()
      const stale = yield* ben.enrol(first.body.data.url)
      assert.strictEqual(codeOf(stale), "ENROLMENT_NOT_OPEN")
      assert.strictEqual((yield* ben.enrol(second.body.data.url)).status, 200)
      const { personId } = first.body.data
      assert.strictEqual(yield* personOf(ben), personId)
      const listed = (yield* rowsOf(ben)).find((each) => each.personId === personId)
      assert.include(listed, { status: "active", role: "viewer", email: "ben@example.com" })
      const again = yield* signedCall(ada, "invite_person", { ...input, email: "BEN@example.com" })
      assert.strictEqual(codeOf(again), "INVALID_REQUEST")

      assert.strictEqual(codeOf(yield* ben.post("pause")), "INSUFFICIENT_ROLE")
      const changed = yield* signedCall(ada, "change_role", { personId, role: "approver" })
      assert.strictEqual(changed.body.data.role, "approver")
      assert.strictEqual((yield* ben.post("pause")).status, 200, "at once, in the same session")

      const removed = yield* signedCall(ada, "remove_person", { personId })
      assert.strictEqual(removed.status, 200)
      assert.strictEqual(codeOf(yield* ben.post("pause")), "SIGN_IN_REQUIRED")
      assert.notStrictEqual((yield* ben.logIn()).status, 200)
      assert.notInclude(
        (yield* rowsOf(ada)).map((each) => each.personId),
        personId
      )
      const done = yield* actionsIn
      for (const action of ["person.invited", "person.role_changed", "person.removed"]) {
        assert.include(done, action)
      }
    })
  )

  it.effect("never takes the last owner away, and a session alone changes nobody", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const people = (yield* rowsOf(ada)).filter(({ role }) => role === "owner")
      const own = yield* personOf(ada)
      for (const { personId } of people.filter((each) => each.personId !== own)) {
        const said = yield* signedCall(ada, "change_role", { personId, role: "approver" })
        assert.strictEqual(said.status, 200)
      }
      for (const role of ["approver", "viewer"]) {
        const said = yield* signedCall(ada, "change_role", { personId: own, role })
        assert.strictEqual(codeOf(said), "LAST_OWNER")
      }
      const removed = yield* signedCall(ada, "remove_person", { personId: own })
      assert.strictEqual(codeOf(removed), "LAST_OWNER")
      const input = { personId: own, role: "owner" }
      assert.strictEqual(codeOf(yield* ada.post("do/change_role", { input })), "NOT_FOUND")
    })
  )

  it.effect("does not reach people of another account", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const { accountId } = yield* Accounts.opened({ kind: "developer" })
      const foreign = { id: "foreign-person", accountId, name: "Zoe", email: null }
      const now = (yield* signedInAt(ada)).human.createdAt
      yield* (yield* Humans).add({
        ...foreign,
        role: "viewer",
        createdAt: now,
        joinedAt: now,
        removedAt: null
      })
      for (const [name, more] of [
        ["change_role", { role: "owner" }],
        ["remove_person", {}]
      ] as const) {
        const said = yield* signedCall(ada, name, { personId: foreign.id, ...more })
        const none = yield* signedCall(ada, name, { personId: "nobody", ...more })
        assert.strictEqual(said.status, 404)
        assert.strictEqual(said.body.error.message, none.body.error.message)
      }
    })
  )
})
