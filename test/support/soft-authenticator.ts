/**
 * An authenticator without a device: makes ES256 passkeys and signs with them as WebAuthn level 3 says,
 * and lies in whatever way a test asks for. It answers options as a browser at an origin would.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import type { AssertionAnswer, RegistrationAnswer } from "../../core/ports/passkeys.ts"

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest()
const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url")

const head = (major: number, length: number) =>
  length < 24
    ? Buffer.from([(major << 5) | length])
    : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
const bytes = (value: Uint8Array) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])

/** {1: 2 (EC2), 3: alg, -1: 1 (P-256), -2: x, -3: y}. */
const coseOf = (publicKey: KeyObject, algorithm: number) => {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  return Buffer.concat([
    Buffer.from([0xa5, 1, 2, 3]),
    head(1, -1 - algorithm),
    Buffer.from([0x20, 1, 0x21]),
    bytes(Buffer.from(x, "base64url")),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, "base64url"))
  ])
}

/** How an answer is to differ from an honest one. */
export interface Lie {
  readonly origin?: string
  readonly relyingPartyId?: string
  readonly challenge?: string
  readonly type?: string
  readonly userVerified?: boolean
  readonly userPresent?: boolean
  /** The counter it claims from now on. */
  readonly counter?: number
  readonly userHandle?: string
  readonly algorithm?: number
  /** Which bit of the signature is turned. */
  readonly flippedBit?: number
}

export interface Site {
  readonly origin: string
  readonly relyingPartyId: string
}

interface ToSign {
  readonly challenge: string
}

interface ToRegister extends ToSign {
  readonly user: { readonly id: string }
}

const flag = (isSet: boolean, value: number) => (isSet ? value : 0)

export class SoftAuthenticator {
  readonly credentialId = base64url(randomBytes(32))
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" })
  readonly #site: Site
  readonly #isSynced: boolean
  #counter = 0
  #userHandle = ""

  /** A synced one always says 0 and that it is backed up. */
  constructor(site: Site, { synced = false }: { readonly synced?: boolean } = {}) {
    this.#site = site
    this.#isSynced = synced
  }

  /** What a copy of it would go on counting from. */
  get counter(): number {
    return this.#counter
  }

  register(options: ToRegister, lie: Lie = {}): RegistrationAnswer {
    this.#userHandle = options.user.id
    const id = Buffer.from(this.credentialId, "base64url")
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      coseOf(this.#keys.publicKey, lie.algorithm ?? -7)
    ])
    const data = Buffer.concat([this.#data(lie, 0x40), credential])
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      text("fmt"),
      text("none"),
      text("attStmt"),
      Buffer.from([0xa0]),
      text("authData"),
      bytes(data)
    ])
    return {
      ...this.#named,
      response: {
        clientDataJSON: this.#client("webauthn.create", options, lie),
        attestationObject: base64url(attestationObject),
        transports: ["internal"]
      }
    }
  }

  sign(options: ToSign, lie: Lie = {}): AssertionAnswer {
    const data = this.#data(lie, 0)
    const clientDataJSON = this.#client("webauthn.get", options, lie)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, "base64url"))])
    const signature = sign("sha256", signed, this.#keys.privateKey)
    if (lie.flippedBit !== undefined) {
      const at = lie.flippedBit >> 3
      signature[at] = (signature[at] ?? 0) ^ (1 << (lie.flippedBit & 7))
    }
    return {
      ...this.#named,
      response: {
        clientDataJSON,
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: lie.userHandle ?? (this.#userHandle === "" ? null : this.#userHandle)
      }
    }
  }

  get #named() {
    return { id: this.credentialId, rawId: this.credentialId, type: "public-key" } as const
  }

  #client(type: string, { challenge }: ToSign, lie: Lie): string {
    const { origin } = this.#site
    const client = { type, challenge, origin, crossOrigin: false }
    return base64url(
      JSON.stringify({
        ...client,
        type: lie.type ?? type,
        challenge: lie.challenge ?? challenge,
        origin: lie.origin ?? origin
      })
    )
  }

  #data(lie: Lie, flags: number): Buffer {
    if (lie.counter !== undefined) this.#counter = lie.counter
    else if (!this.#isSynced) this.#counter += 1
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.#counter)
    return Buffer.concat([
      sha256(lie.relyingPartyId ?? this.#site.relyingPartyId),
      Buffer.from([
        flags |
          flag(lie.userPresent ?? true, 0x01) |
          flag(lie.userVerified ?? true, 0x04) |
          flag(this.#isSynced, 0x18)
      ]),
      counter
    ])
  }
}
