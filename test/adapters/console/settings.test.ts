/** Settings: an owner's passkey changes them, everybody reads them, and what payers could not read is refused. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { contrastWithWhite } from "../../../core/accounts/account-settings.ts"
import { authenticate, callerOf } from "../../../core/humans/authenticate.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { enrolled, signedCall } from "../../support/console-people.ts"
import type { Visitor } from "../../support/console-visitor.ts"
import * as Surfaces from "../../support/surfaces.ts"

const callsAt = Effect.fnUntraced(function* (at: Visitor) {
  return callsOf(callerOf(yield* authenticate([...at.cookies.values()][0])))
})

layer(Surfaces.layer())("account settings", (it) => {
  it.effect("are changed field by field and shown by get_account", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const calls = yield* callsAt(ada)
      const { settings: before } = yield* calls.get_account({})
      assert.deepInclude(before, { merchantName: null, secondPersonSigns: true })
      const logoUrl = "data:image/png;base64,iVBORw0KGgo="
      const first = { merchantName: "Corner Shop", brandColor: "#1d4ed8", logoUrl }
      const said = yield* signedCall(ada, "update_account_settings", first)
      assert.strictEqual(said.status, 200, JSON.stringify(said.body))
      const second = { logoUrl: null, secondPersonSigns: false }
      yield* signedCall(ada, "update_account_settings", second)
      const { settings } = yield* calls.get_account({})
      assert.deepStrictEqual(settings, { ...before, ...first, ...second })
    })
  )

  it.effect("refuse a colour white text is not read on, and a logo that is no plain picture", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const refused: ReadonlyArray<readonly [string, unknown]> = [
        ["brandColor", "#ffffff"],
        ["brandColor", "#7a7a7a"],
        ["brandColor", "#1D4ED8"],
        ["brandColor", "red"],
        ["brandColor", "#1d4ed8;}"],
        ["logoUrl", "http://shop.example/logo.png"],
        ["logoUrl", "javascript:alert(1)"],
        ["logoUrl", "data:image/svg+xml;base64,PHN2Zz4="],
        ["logoUrl", "data:text/html;base64,PHN2Zz4="],
        ["logoUrl", 'https://shop.example/"onerror="x y'],
        ["logoUrl", `data:image/png;base64,${"A".repeat(40_000)}`],
        ["logoUrl", `https://shop.example/${"a".repeat(2100)}`],
        ["merchantName", "x"]
      ]
      for (const [field, value] of refused) {
        const said = yield* signedCall(ada, "update_account_settings", { [field]: value })
        assert.strictEqual(said.body.error?.code, "INVALID_REQUEST", `${field} ${value}`)
        assert.strictEqual(said.body.error.param, field)
      }
      const taken = [
        { brandColor: "#767676" },
        { brandColor: "#000000" },
        { logoUrl: "https://shop.example:8443/logo.png?v=2" }
      ]
      for (const input of taken) {
        const said = yield* signedCall(ada, "update_account_settings", input)
        assert.strictEqual(said.status, 200, JSON.stringify(input))
      }
    })
  )
})

layer(Surfaces.layer())("contrast", (it) => {
  it("is counted as WCAG does", () => {
    const known = { "#000000": 21, "#ffffff": 1, "#767676": 4.54, "#0000ff": 8.59 }
    for (const [color, contrast] of Object.entries(known)) {
      assert.closeTo(contrastWithWhite(color), contrast, 0.01)
    }
  })
})
