/** A person at a browser: keeps cookies as one does, posts as the console's own pages do, and holds an authenticator. */
import { Effect } from "effect"
import { relyingPartyOf } from "../../core/humans/passkey.ts"
import type { RegistrationAnswer } from "../../core/ports/passkeys.ts"
import { type Lie, type Site, SoftAuthenticator } from "./soft-authenticator.ts"

export interface Said {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the answer's form itself.
  readonly body: any
}

interface Signer {
  readonly sign: SoftAuthenticator["sign"]
}

export class Visitor {
  readonly authenticator: SoftAuthenticator
  readonly cookies = new Map<string, string>()
  readonly #address: string
  readonly #site: Site

  /** `address` is where the service listens, `siteUrl` what it takes for its public address. */
  constructor(address: string, siteUrl: string, options: { readonly synced?: boolean } = {}) {
    this.#address = address
    this.#site = relyingPartyOf({ siteUrl })
    this.authenticator = new SoftAuthenticator(this.#site, options)
  }

  /** Posts as a script of our own page; `headers` say otherwise. */
  post(path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) {
    return Effect.promise(async (): Promise<Said> => {
      const response = await fetch(`${this.#address}/console/${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "sec-fetch-site": "same-origin",
          origin: this.#site.origin,
          ...this.cookie,
          ...headers
        },
        body: typeof body === "string" ? body : JSON.stringify(body)
      })
      this.#keep(response.headers.getSetCookie())
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(await response.text())
      }
    })
  }

  /** The cookies as they are sent with any request to the site. */
  get cookie(): Record<string, string> {
    const all = [...this.cookies].map(([name, value]) => `${name}=${value}`)
    return all.length === 0 ? {} : { cookie: all.join("; ") }
  }

  /** Opens a one-time link and makes a passkey there; what the last post answered. */
  enrol(url: string, answering: (honest: RegistrationAnswer) => unknown = (honest) => honest) {
    return Effect.gen({ self: this }, function* () {
      const token = new URL(url).hash.slice(1)
      const asked = yield* this.post("enrol/options", { token })
      if (asked.status !== 200) return asked
      const { passkeyChallengeId, options } = asked.body.data
      const answer = answering(this.authenticator.register(options))
      return yield* this.post("enrol/verify", { passkeyChallengeId, answer, label: "Test key" })
    })
  }

  logIn(lie: Lie = {}) {
    return this.signing("login/options", "login/verify", { lie })
  }

  /** Asks at one address and answers at another. */
  signing(
    ask: string,
    reply: string,
    how: { readonly lie?: Lie; readonly by?: Signer } = {}
  ): Effect.Effect<Said> {
    return Effect.gen({ self: this }, function* () {
      const asked = yield* this.post(ask)
      if (asked.status !== 200) return asked
      const { passkeyChallengeId, options } = asked.body.data
      const answer = (how.by ?? this.authenticator).sign(options, how.lie)
      return yield* this.post(reply, { passkeyChallengeId, answer })
    })
  }

  #keep(set: ReadonlyArray<string>): void {
    for (const line of set) {
      const [pair = "", ...attributes] = line.split("; ")
      const [name = "", value = ""] = pair.split("=")
      const isOver = attributes.some((attribute) => /^max-age=0$/iu.test(attribute))
      if (isOver) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}
