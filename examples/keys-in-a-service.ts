/**
 * Keys that never leave a key management service: what to hand to `Kms.holders` for AWS and for Google
 * Cloud, and the layers that sign with it. The shapes are those of their own clients for Node.
 */
import { createPublicKey } from "node:crypto"
import * as SigningPolicy from "bursar/core/treasury/signing-policy"
import * as Kms from "bursar/evm/kms"
import type { Connection } from "bursar/evm/node"
import * as Signer from "bursar/evm/signer"
import * as Submitter from "bursar/evm/submitter"
import { Layer } from "effect"

/** `new KMS({})` of `@aws-sdk/client-kms`; keys of spec ECC_SECG_P256K1 with these aliases. */
export const awsKeys = (kms: Aws): Kms.Client => ({
  publicKeyOf: async (name, abortSignal) =>
    (await kms.getPublicKey({ KeyId: `alias/${name}` }, { abortSignal })).PublicKey ?? none,
  sign: async (name, Message, abortSignal) => {
    const how = { MessageType: "DIGEST", SigningAlgorithm: "ECDSA_SHA_256" } as const
    const signed = await kms.sign({ KeyId: `alias/${name}`, Message, ...how }, { abortSignal })
    return signed.Signature ?? none
  }
})

/** `new KeyManagementServiceClient()` of `@google-cloud/kms`; keys of EC_SIGN_SECP256K1_SHA256 on a ring. */
export const googleKeys = (kms: Google, ring: string): Kms.Client => {
  const versionOf = (name: string) => `${ring}/cryptoKeys/${name}/cryptoKeyVersions/1`
  return {
    publicKeyOf: async (name) => {
      const [{ pem }] = await kms.getPublicKey({ name: versionOf(name) })
      return createPublicKey(pem ?? "").export({ type: "spki", format: "der" })
    },
    sign: async (name, sha256) => {
      const [{ signature }] = await kms.asymmetricSign({
        name: versionOf(name),
        digest: { sha256 }
      })
      return signature instanceof Uint8Array ? signature : none
    }
  }
}

/** In the place of the layers that hold a seed; the records and the secrets are still to be provided. */
export const signing = (client: Kms.Client, connections: ReadonlyArray<Connection>) => {
  const holders = Kms.holders(client, { prefix: "treasury" })
  return Layer.merge(
    Signer.layer(holders.wallets),
    Submitter.layer({ holders, connections }).pipe(Layer.provide(SigningPolicy.layer))
  )
}

/** No bytes are no key and no signature, and are refused as such. */
const none = new Uint8Array()

interface Aws {
  readonly getPublicKey: (
    asked: { readonly KeyId: string },
    options: { readonly abortSignal: AbortSignal }
  ) => Promise<{ readonly PublicKey?: Uint8Array }>
  readonly sign: (
    asked: {
      readonly KeyId: string
      readonly Message: Uint8Array
      readonly MessageType: "DIGEST"
      readonly SigningAlgorithm: "ECDSA_SHA_256"
    },
    options: { readonly abortSignal: AbortSignal }
  ) => Promise<{ readonly Signature?: Uint8Array }>
}

interface Google {
  readonly getPublicKey: (asked: {
    readonly name: string
  }) => Promise<readonly [{ readonly pem?: string | null }, ...ReadonlyArray<unknown>]>
  readonly asymmetricSign: (asked: {
    readonly name: string
    readonly digest: { readonly sha256: Uint8Array }
  }) => Promise<
    readonly [{ readonly signature?: Uint8Array | string | null }, ...ReadonlyArray<unknown>]
  >
}
