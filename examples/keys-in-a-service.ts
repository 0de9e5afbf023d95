/**
 * Keys that never leave a key management service: what to hand to `Kms.backend` for AWS and for Google
 * Cloud, and the layers that sign with it. The shapes are those of their own clients for Node.
 */
import { createPublicKey } from "node:crypto"
import { SigningPolicy } from "bursar"
import { addressOf, type Connection, relayerKey, Submitter } from "bursar/evm"
import { Kms, WalletKeys } from "bursar/keys"
import { Submitter as Solana } from "bursar/solana"
import { Layer } from "effect"

/** `new KMS({})` of `@aws-sdk/client-kms`; keys of spec ECC_SECG_P256K1 with these aliases. */
export const awsKeys = (kms: Aws): Kms.Client => ({
  make: async (name, abortSignal) => {
    const AliasName = `alias/${name}`
    const missing = kms.describeKey({ KeyId: AliasName }, { abortSignal }).then(() => false)
    if (await missing.catch(only((cause) => cause.name === "NotFoundException"))) {
      const how = { KeySpec: "ECC_SECG_P256K1", KeyUsage: "SIGN_VERIFY" } as const
      const { KeyMetadata } = await kms.createKey(how, { abortSignal })
      await kms.createAlias({ AliasName, TargetKeyId: KeyMetadata?.KeyId }, { abortSignal })
    }
    return name
  },
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
    make: async (name) => {
      const versionTemplate = { algorithm: "EC_SIGN_SECP256K1_SHA256" } as const
      const cryptoKey = { purpose: "ASYMMETRIC_SIGN", versionTemplate } as const
      const made = kms.createCryptoKey({ parent: ring, cryptoKeyId: name, cryptoKey })
      await made.catch(only((cause) => cause.code === alreadyExists))
      return name
    },
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

/**
 * In the place of the layers that hold a seed; the records, the secrets and the identity are still to be
 * provided.
 */
export const signing = (client: Kms.Client, connections: ReadonlyArray<Connection>) => {
  const options = { prefix: "treasury" }
  const backend = Kms.backend(client, options)
  const relayer = relayerKey(backend, Kms.relayerRef(options))
  return Layer.merge(Submitter.layer({ relayer, connections }), Solana.none).pipe(
    Layer.provideMerge(WalletKeys.layer({ backends: [backend], addressOf: { evm: addressOf } })),
    Layer.provide(SigningPolicy.layer)
  )
}

/** No bytes are no key and no signature, and are refused as such. */
const none = new Uint8Array()

/** True for the failure that is meant; any other goes on. */
const only = (isMeant: (cause: { name?: string; code?: number }) => boolean) => (cause: Error) => {
  if (isMeant(cause)) return true
  throw cause
}

/** What gRPC calls it when a key of that name is there. */
const alreadyExists = 6

interface Aws {
  readonly describeKey: (
    asked: { readonly KeyId: string },
    options: { readonly abortSignal: AbortSignal }
  ) => Promise<unknown>
  readonly createKey: (
    asked: { readonly KeySpec: "ECC_SECG_P256K1"; readonly KeyUsage: "SIGN_VERIFY" },
    options: { readonly abortSignal: AbortSignal }
  ) => Promise<{ readonly KeyMetadata?: { readonly KeyId: string | undefined } }>
  readonly createAlias: (
    asked: { readonly AliasName: string; readonly TargetKeyId: string | undefined },
    options: { readonly abortSignal: AbortSignal }
  ) => Promise<unknown>
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
  readonly createCryptoKey: (asked: {
    readonly parent: string
    readonly cryptoKeyId: string
    readonly cryptoKey: {
      readonly purpose: "ASYMMETRIC_SIGN"
      readonly versionTemplate: { readonly algorithm: "EC_SIGN_SECP256K1_SHA256" }
    }
  }) => Promise<unknown>
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
