/** How people come and go at the console: by a link, a passkey and a cookie that is good for nothing else (threat 35). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { enrolled, link, visitor, whoIs } from "../../support/console-people.ts"
import type { Visitor } from "../../support/console-visitor.ts"
import { AccountId } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"

const passkeyOf = (ada: Visitor) =>
  Effect.flatMap(Humans, (humans) => humans.byCredential(ada.authenticator.credentialId))

/** Asks to remove one passkey, of `asked` when another is told at the end. */
const remove = Effect.fnUntraced(function* (
  ada: Visitor,
  passkeyId: string | undefined,
  how: { readonly asked?: string | undefined; readonly by?: Visitor["authenticator"] } = {}
) {
  const question = { passkeyId: how.asked ?? passkeyId }
  const asked = yield* ada.post("passkeys/remove/options", question)
  if (asked.status !== 200) return asked
  const { passkeyChallengeId, options } = asked.body.data
  const answer = (how.by ?? ada.authenticator).sign(options)
  return yield* ada.post("passkeys/remove/verify", { passkeyId, passkeyChallengeId, answer })
})

const actions = Effect.gen(function* () {
  const page = yield* (yield* Audit).list(yield* AccountId, { limit: 100 })
  return page.rows.map(({ action, actor, facts }) => ({ action, actor, facts }))
})

layer(Surfaces.layer())("the console", (it) => {
  it.effect("lets a person in by a one-time link, once, with a passkey they keep", () =>
    Effect.gen(function* () {
      const url = yield* link()
      const ada = yield* visitor()
      const asked = yield* ada.post("enrol/options", { token: new URL(url).hash.slice(1) })
      assert.deepInclude(asked.body.data, { name: "Ada", purpose: "operator" })
      const { options } = asked.body.data
      assert.deepStrictEqual(options.rp, { id: "treasury.test", name: "Bursar at treasury.test" })
      assert.deepStrictEqual(
        options.pubKeyCredParams.map(({ alg }: { readonly alg: number }) => alg),
        [-8, -7, -257]
      )
      assert.deepStrictEqual(options.authenticatorSelection, {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required"
      })
      const done = yield* ada.enrol(url)
      assert.strictEqual(done.status, 200)
      assert.strictEqual(done.body.data.human.name, "Ada")
      const cookies = done.headers.getSetCookie()
      const session = cookies.find((each) => each.startsWith("__Host-bursar_session="))
      for (const attribute of ["Secure", "HttpOnly", "SameSite=Strict", "Path=/"]) {
        assert.include(session?.split("; ") ?? [], attribute)
      }
      assert.notMatch(session ?? "", /domain/iu)
      assert.strictEqual((yield* whoIs(ada)).status, 200)
      const again = yield* (yield* visitor()).enrol(url)
      assert.strictEqual(again.body.error.code, "ENROLMENT_NOT_OPEN")
      const human = (yield* passkeyOf(ada))?.humanId
      const did = (yield* actions).filter(({ actor }) => actor === `human:${human}`)
      assert.sameMembers(
        did.map(({ action }) => action),
        ["human.enrolled", "passkey.added", "session.opened"]
      )
    })
  )

  it.effect("of sixty-four people with one link, one gets in", () =>
    Effect.gen(function* () {
      const token = new URL(yield* link()).hash.slice(1)
      const before = (yield* (yield* Humans).of(yield* AccountId)).length
      const ready = yield* Effect.forEach(Array.from({ length: 64 }), () =>
        Effect.gen(function* () {
          const one = yield* visitor()
          const { passkeyChallengeId, options } = (yield* one.post("enrol/options", { token })).body
            .data
          const answer = one.authenticator.register(options)
          return one.post("enrol/verify", { passkeyChallengeId, answer })
        })
      )
      const said = yield* Effect.all(ready, { concurrency: "unbounded" })
      assert.lengthOf(
        said.filter(({ status }) => status === 200),
        1
      )
      for (const { body, status } of said) {
        if (status !== 200) assert.strictEqual(body.error.code, "ENROLMENT_NOT_OPEN")
      }
      assert.strictEqual((yield* (yield* Humans).of(yield* AccountId)).length, before + 1)
    })
  )

  it.effect("takes no link that ran out, is unknown or is misspelt, and says the same of all", () =>
    Effect.gen(function* () {
      const url = yield* link()
      const token = new URL(url).hash.slice(1)
      const over = yield* link(-1)
      const tokens = [new URL(over).hash.slice(1), "x".repeat(43), "short", `${token}x`]
      const said = yield* Effect.forEach(tokens, (each) =>
        Effect.flatMap(visitor(), (one) => one.post("enrol/options", { token: each }))
      )
      const facts = said.map(({ status, body }) => ({ status, ...body.error, requestId: "" }))
      for (const each of facts) assert.deepStrictEqual(each, facts[0])
      assert.strictEqual(facts[0]?.code, "ENROLMENT_NOT_OPEN")
    })
  )

  it.effect("signs people in with any passkey of theirs, and out again", () =>
    Effect.gen(function* () {
      for (const synced of [false, true]) {
        const ada = yield* enrolled({ synced })
        const first = ada.cookies.get("__Host-bursar_session")
        assert.strictEqual((yield* ada.post("sign-out")).status, 200)
        assert.strictEqual((yield* whoIs(ada)).body.error.code, "SIGN_IN_REQUIRED")
        ada.cookies.set("__Host-bursar_session", first as string)
        assert.strictEqual((yield* whoIs(ada)).body.error.code, "SIGN_IN_REQUIRED")
        ada.cookies.clear()
        for (let n = 0; n < 2; n++) assert.strictEqual((yield* ada.logIn()).status, 200)
        assert.notStrictEqual(ada.cookies.get("__Host-bursar_session"), first)
        assert.strictEqual((yield* whoIs(ada)).status, 200)
      }
    })
  )

  it.effect("believes no answer of another site, person or question", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const stranger = yield* visitor()
      const lies = {
        origin: "https://evil.example",
        relyingPartyId: "evil.example",
        challenge: "A".repeat(43),
        type: "webauthn.create",
        userHandle: "AAAA"
      }
      for (const [field, lie] of Object.entries(lies)) {
        const said = yield* ada.logIn({ [field]: lie })
        assert.strictEqual(said.body.error.code, "PASSKEY_REJECTED", field)
      }
      for (const lie of [{ userVerified: false }, { userPresent: false }, { flippedBit: 100 }]) {
        assert.strictEqual((yield* ada.logIn(lie)).body.error.code, "PASSKEY_REJECTED")
      }
      // A passkey nobody knows.
      assert.strictEqual((yield* stranger.logIn()).body.error.code, "PASSKEY_REJECTED")
      assert.strictEqual((yield* ada.logIn()).status, 200)
    })
  )

  it.effect("takes an answer once, from the browser that was asked, in time", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      ada.cookies.clear()
      const asked = (yield* ada.post("login/options")).body.data
      const answer = {
        passkeyChallengeId: asked.passkeyChallengeId,
        answer: ada.authenticator.sign(asked.options)
      }
      const thief = yield* visitor()
      yield* thief.post("login/options")
      const stolen = yield* thief.post("login/verify", answer)
      assert.strictEqual(stolen.body.error.code, "PASSKEY_CHALLENGE_EXPIRED")
      assert.strictEqual((yield* ada.post("login/verify", answer)).status, 200)
      ada.cookies.set("__Host-bursar_visit", "x".repeat(43))
      const replayed = yield* ada.post("login/verify", answer)
      assert.strictEqual(replayed.body.error.code, "PASSKEY_CHALLENGE_EXPIRED")
      // An answer to one question under the name of another.
      const [one, other] = [
        (yield* ada.post("login/options")).body.data,
        (yield* ada.post("login/options")).body.data
      ]
      const swapped = yield* ada.post("login/verify", {
        passkeyChallengeId: other.passkeyChallengeId,
        answer: ada.authenticator.sign(one.options)
      })
      assert.strictEqual(swapped.body.error.code, "PASSKEY_REJECTED")
    })
  )

  it.effect("suspends a copied passkey at once, with every session it opened", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      yield* ada.logIn()
      const { counter } = ada.authenticator
      yield* ada.logIn()
      const signedIn = new Map(ada.cookies)
      // The copy goes on from where it was made.
      const copy = yield* ada.logIn({ counter })
      assert.strictEqual(copy.body.error.code, "PASSKEY_SUSPENDED")
      ada.cookies.clear()
      for (const [name, value] of signedIn) ada.cookies.set(name, value)
      assert.strictEqual((yield* whoIs(ada)).body.error.code, "SIGN_IN_REQUIRED")
      const original = yield* ada.logIn({ counter: counter + 9 })
      assert.strictEqual(original.body.error.code, "PASSKEY_SUSPENDED")
      const told = (yield* actions).filter(({ action }) => action === "passkey.suspended")
      assert.lengthOf(told, 1)
      assert.strictEqual(told[0]?.facts.reason, "cloned")
    })
  )

  it.effect("does not suspend anything for a low counter that is not signed", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      yield* ada.logIn()
      const forged = yield* ada.logIn({ counter: 1, flippedBit: 100 })
      assert.strictEqual(forged.body.error.code, "PASSKEY_REJECTED")
      assert.strictEqual((yield* ada.logIn({ counter: 9 })).status, 200)
    })
  )

  it.effect("gives a second passkey to whoever signs for it, and takes any but the last away", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const only = (yield* passkeyOf(ada))?.id
      const kept = yield* remove(ada, only)
      assert.strictEqual(kept.body.error.code, "INVALID_REQUEST")
      const phone = yield* visitor()
      const unsigned = yield* ada.signing("passkeys/options", "passkeys/verify", {
        by: phone.authenticator
      })
      assert.strictEqual(unsigned.body.error.code, "PASSKEY_REJECTED")
      const allowed = yield* ada.signing("passkeys/options", "passkeys/verify")
      assert.strictEqual((yield* phone.enrol(allowed.body.data.url)).status, 200)
      assert.strictEqual((yield* passkeyOf(phone))?.humanId, (yield* passkeyOf(ada))?.humanId)
      const removed = yield* remove(phone, only)
      assert.isString(removed.body.data.suspendedAt)
      assert.strictEqual((yield* whoIs(ada)).body.error.code, "SIGN_IN_REQUIRED")
      assert.strictEqual((yield* whoIs(phone)).status, 200)
      const stranger = yield* enrolled()
      const foreign = yield* remove(phone, (yield* passkeyOf(stranger))?.id)
      assert.strictEqual(foreign.body.error.code, "NOT_FOUND")
      const last = yield* remove(phone, (yield* passkeyOf(phone))?.id)
      assert.strictEqual(last.body.error.code, "INVALID_REQUEST")
    })
  )

  it.effect("a passkey that is taken away takes the links with it that it has signed for", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const thief = yield* visitor()
      const first = yield* ada.signing("passkeys/options", "passkeys/verify")
      assert.strictEqual((yield* thief.enrol(first.body.data.url)).status, 200)
      const another = yield* thief.signing("passkeys/options", "passkeys/verify")
      assert.strictEqual(another.status, 200)
      assert.strictEqual((yield* remove(ada, (yield* passkeyOf(thief))?.id)).status, 200)
      const back = yield* (yield* visitor()).enrol(another.body.data.url)
      assert.strictEqual(back.body.error?.code, "ENROLMENT_NOT_OPEN")
      const fresh = yield* ada.signing("passkeys/options", "passkeys/verify")
      assert.strictEqual((yield* (yield* visitor()).enrol(fresh.body.data.url)).status, 200)
    })
  )

  it.effect("takes a passkey away by a passkey over that very removal, which a session lacks", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const phone = yield* visitor()
      const allowed = yield* ada.signing("passkeys/options", "passkeys/verify")
      assert.strictEqual((yield* phone.enrol(allowed.body.data.url)).status, 200)
      const passkeyId = (yield* passkeyOf(phone))?.id
      const own = (yield* passkeyOf(ada))?.id
      const thief = yield* visitor()
      const byThief = yield* remove(ada, passkeyId, { by: thief.authenticator })
      assert.strictEqual(byThief.body.error.code, "PASSKEY_REJECTED")
      const swapped = yield* remove(ada, own, { asked: passkeyId })
      assert.strictEqual(swapped.body.error.code, "PASSKEY_REJECTED")
      const asked = (yield* ada.post("passkeys/options")).body.data
      const answer = ada.authenticator.sign(asked.options)
      const unasked = { passkeyId, passkeyChallengeId: asked.passkeyChallengeId, answer }
      const forAnother = yield* ada.post("passkeys/remove/verify", unasked)
      assert.strictEqual(forAnother.body.error.code, "PASSKEY_CHALLENGE_EXPIRED")
      const alone = yield* ada.post("passkeys/remove/verify", { passkeyId })
      assert.strictEqual(alone.body.error.code, "INVALID_REQUEST")
      assert.strictEqual((yield* ada.post("passkeys/remove", { passkeyId })).status, 404)
      for (const each of [ada, phone]) {
        assert.isNull((yield* passkeyOf(each))?.suspendedAt)
        assert.strictEqual((yield* whoIs(each)).status, 200)
      }
      assert.strictEqual((yield* remove(ada, passkeyId)).status, 200)
      assert.strictEqual((yield* whoIs(phone)).body.error.code, "SIGN_IN_REQUIRED")
    })
  )
})
