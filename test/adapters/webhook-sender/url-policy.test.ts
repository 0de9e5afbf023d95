/** Every hostile URL is refused, every ordinary one passes, and the sandbox's exception is exact. */
import { assert, describe, it } from "@effect/vitest"
import * as AddressPolicy from "../../../adapters/webhook-sender/address-policy.ts"
import * as UrlPolicy from "../../../adapters/webhook-sender/url-policy.ts"
import { furtherUrls } from "./further-urls.ts"
import { knownUrls, type Vector } from "./hostile-urls.ts"

const vectors = [...knownUrls, ...furtherUrls]

const shown = (url: string) => JSON.stringify(url.length > 80 ? `${url.slice(0, 77)}…` : url)

const title = ({ family, url }: Vector) => `${family}: ${shown(url)}`

it("the vectors name each family, and no URL twice with the same verdict", () => {
  assert.strictEqual(knownUrls.length, 196)
  assert.strictEqual(new Set(vectors.map(({ url }) => url)).size, vectors.length)
})

describe("in public mode", () => {
  for (const vector of vectors) {
    const { url, verdict, resolves = [] } = vector
    if (verdict === "deny") {
      it(`refuses ${title(vector)}`, () => {
        assert.isString(UrlPolicy.violation("public", url))
      })
    } else {
      it(`may register ${title(vector)}`, () => {
        assert.isUndefined(UrlPolicy.violation("public", url))
        const kept = UrlPolicy.normalized(url)
        assert.isUndefined(UrlPolicy.violation("public", kept))
        assert.strictEqual(UrlPolicy.normalized(kept), kept)
        assert.match(kept, /^https:\/\/[a-z0-9.[\]:-]+\//u)
        assert.strictEqual(resolves.every(AddressPolicy.isPublic), verdict === "allow")
      })
    }
  }
})

const localOnly = [
  "http://127.0.0.1",
  "http://127.0.0.1/",
  "http://127.0.0.1:8080",
  "http://127.0.0.1:8080/hooks?a=1",
  "http://127.0.0.1:1/",
  "http://127.0.0.1:65535/",
  "HTTP://127.0.0.1/"
]

const neverLocal = [
  "http://127.0.0.1:0/",
  "http://127.0.0.1:65536/",
  "http://127.0.0.1:080/",
  "http://127.0.0.1:/",
  "http://127.0.0.1./",
  "http://127.0.0.2/",
  "http://127.0.0.1.example.com/",
  "http://127.0.0.1@example.com/",
  "http://127.0.0.1:8080@example.com/",
  "http://a@127.0.0.1/",
  "http://127.0.0.1\\@example.com/",
  "http://127.0.0.1#/",
  "http://localhost/",
  "http://[::1]:8080/",
  "http://10.0.0.1/",
  "http://example.com/",
  "https://127.0.0.1/",
  "https://127.0.0.1:8443/",
  "https://localhost/"
]

describe("in local mode", () => {
  for (const url of localOnly) {
    it(`${url} may be registered, and only there`, () => {
      assert.isUndefined(UrlPolicy.violation("local", url))
      assert.isString(UrlPolicy.violation("public", url))
    })
  }
  for (const url of neverLocal) {
    it(`refuses ${url}`, () => {
      assert.isString(UrlPolicy.violation("local", url))
    })
  }
  it("changes no other verdict", () => {
    for (const { url } of vectors.filter(({ url }) => !localOnly.includes(url))) {
      assert.strictEqual(
        UrlPolicy.violation("local", url),
        UrlPolicy.violation("public", url),
        shown(url)
      )
    }
  })
})

it("an violation is the end of a sentence and repeats nothing of the URL", () => {
  for (const { url } of vectors) {
    const violation = UrlPolicy.violation("public", url)
    if (violation !== undefined) assert.match(violation, /^its? [ -~]*[^.]$/u)
  }
})
