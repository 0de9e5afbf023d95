/** Settings: an owner's passkey changes them, everybody reads them, and what payers could not read is refused. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { PicturesScript } from "../../../adapters/memory/pictures.ts"
import { contrastWithWhite, textOn } from "../../../core/accounts/account-settings.ts"
import { authenticate, callerOf } from "../../../core/humans/authenticate.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { enrolled, signedCall } from "../../support/console-people.ts"
import type { Visitor } from "../../support/console-visitor.ts"
import * as Pictures from "../../support/pictures.ts"
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
      const logoUrl = Pictures.png(120, 40).dataUrl
      const first = { merchantName: "Corner Shop", brandColor: "#1d4ed8", logoUrl }
      const said = yield* signedCall(ada, "update_account_settings", first)
      assert.strictEqual(said.status, 200, JSON.stringify(said.body))
      const second = { logoUrl: null, secondPersonSigns: false }
      yield* signedCall(ada, "update_account_settings", second)
      const { settings } = yield* calls.get_account({})
      assert.deepStrictEqual(settings, { ...before, ...first, ...second })
    })
  )

  it.effect(
    "keep the picture of a logo's address, and take what answers there for nothing else",
    () =>
      Effect.gen(function* () {
        const ada = yield* enrolled()
        const calls = yield* callsAt(ada)
        const { serve } = yield* PicturesScript
        const at = (name: string) => `https://shop.example:8443/${name}?v=2`
        const { bytes, dataUrl } = Pictures.png(300, 60)
        yield* serve(at("logo"), { status: 200, bytes })
        yield* serve(at("page"), { status: 200, bytes: Buffer.from("<svg onload='alert(1)'/>") })
        yield* serve(at("gone"), { status: 404, bytes })
        yield* serve(at("huge"), { status: 200, bytes: new Uint8Array(24_001) })
        yield* serve(at("wide"), { status: 200, bytes: Pictures.png(2049, 1).bytes })
        const set = (name: string) =>
          signedCall(ada, "update_account_settings", { logoUrl: at(name), merchantName: name })
        assert.strictEqual((yield* set("logo")).status, 200)
        const reasons = {
          page: "it is no such picture",
          gone: "it answered 404",
          huge: "it is over 24000 bytes",
          wide: "it is no such picture",
          nowhere: "nobody answers there"
        }
        for (const [name, reason] of Object.entries(reasons)) {
          const { body } = yield* set(name)
          assert.strictEqual(body.error?.param, "logoUrl", name)
          assert.include(body.error.message, reason)
        }
        const { settings } = yield* calls.get_account({})
        assert.strictEqual(settings.logoUrl, dataUrl)
        assert.strictEqual(settings.merchantName, "logo")
      })
  )

  it.effect("refuse what is no colour, and a logo that is no plain picture", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const refused: ReadonlyArray<readonly [string, unknown]> = [
        ["brandColor", "#1D4ED8"],
        ["brandColor", "red"],
        ["brandColor", "#1d4ed8;}"],
        ["logoUrl", "http://shop.example/logo.png"],
        ["logoUrl", "javascript:alert(1)"],
        ["logoUrl", "data:image/svg+xml;base64,PHN2Zz4="],
        ["logoUrl", "data:text/html;base64,PHN2Zz4="],
        ["logoUrl", "data:image/png;base64,PHN2Zz4="],
        ["logoUrl", Pictures.png(9, 9).dataUrl.replace("png", "jpeg")],
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
      for (const brandColor of ["#767676", "#ffffff", "#000000"]) {
        const said = yield* signedCall(ada, "update_account_settings", { brandColor })
        assert.strictEqual(said.status, 200, brandColor)
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

  it("of text on any colour is 4.5 or more", () => {
    const hex = fc.integer({ min: 0, max: 0xffffff }).map((n) => n.toString(16).padStart(6, "0"))
    fc.assert(
      fc.property(hex, (digits) => {
        const color = `#${digits}`
        const white = contrastWithWhite(color)
        return (textOn(color) === "#ffffff" ? white : 21 / white) >= 4.5
      })
    )
  })
})
