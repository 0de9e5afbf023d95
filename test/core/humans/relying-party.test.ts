/** Whose passkeys these are follows from the public address, as browsers see it. */
import { assert, it } from "@effect/vitest"
import { relyingPartyOf } from "../../../core/humans/passkey.ts"

const addresses = [
  "http://localhost:4000",
  "http://localhost",
  "https://pay.example.com",
  "https://pay.example.com:443",
  "http://pay.example.com:80",
  "https://Pay.Example.com:8443",
  "https://pay.example.com/treasury",
  "http://[::1]:4000",
  "http://127.0.0.1:4000"
]

it.each(addresses)("%s has the host and origin that a browser reads in it", (siteUrl) => {
  const { hostname, origin } = new URL(siteUrl)
  assert.deepStrictEqual(relyingPartyOf({ siteUrl }), { relyingPartyId: hostname, origin })
})
