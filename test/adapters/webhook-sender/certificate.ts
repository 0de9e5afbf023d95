/**
 * A throwaway certificate for a name, made in memory, so that TLS can be proven on a bare machine. It is
 * its own authority: a client that trusts it trusts nothing else.
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

const tlv = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  const short = content.length < 128
  const length = short ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...contents: ReadonlyArray<Uint8Array>) => tlv(0x30, ...contents)
const oid = (...bytes: ReadonlyArray<number>) => tlv(0x06, Buffer.from(bytes))
const octets = (content: Uint8Array) => tlv(0x04, content)
const utcTime = (text: string) => tlv(0x17, Buffer.from(text, "latin1"))
const yes = tlv(0x01, Buffer.from([0xff]))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const commonName = oid(0x55, 0x04, 0x03)
const subjectAlternativeName = oid(0x55, 0x1d, 0x11)
const basicConstraints = oid(0x55, 0x1d, 0x13)

const nameOf = (name: string) =>
  sequence(tlv(0x31, sequence(commonName, tlv(0x0c, Buffer.from(name, "utf8")))))

/** Key and certificate, both PEM. */
export const certificateFor = (name: string): { readonly key: string; readonly cert: string } => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const signed = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(name),
    sequence(utcTime("200101000000Z"), utcTime("491231235959Z")),
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" }),
    tlv(
      0xa3,
      sequence(
        sequence(subjectAlternativeName, octets(sequence(tlv(0x82, Buffer.from(name, "latin1"))))),
        sequence(basicConstraints, yes, octets(sequence(yes)))
      )
    )
  )
  const signature = sign("sha256", signed, privateKey)
  const certificate = sequence(signed, ecdsaWithSha256, tlv(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString("base64").replace(/.{64}/gu, "$&\n")
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  }
}
