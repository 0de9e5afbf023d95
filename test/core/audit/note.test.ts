/** Signed notes and checkpoints are read as everybody else writes them, and only in their one spelling. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { isSigned, privateKeyOf, publicBytesOf, signed } from "../../../adapters/secrets/ed25519.ts"
import * as Note from "../../../core/audit/note.ts"
import * as TreeHead from "../../../core/audit/tree-head.ts"
import * as Base64 from "../../../core/encoding/base64.ts"
import { sha256 } from "../../support/audit-log.ts"

/** The note and key of the example in the documentation of golang.org/x/mod/sumdb/note. */
const golang = {
  verifierKey: "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
  note: `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`
}

describe("base64", () => {
  it("is that of everybody else, both ways", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const text = Buffer.from(bytes).toString("base64")
        assert.strictEqual(Base64.encode(bytes), text)
        assert.deepStrictEqual(Base64.decode(text), new Uint8Array(bytes))
      })
    )
  })

  it("has one spelling", () => {
    for (const text of [
      "QQ",
      "QQ=",
      "QR==",
      "Q===",
      "QUI",
      "QUJ=",
      "QQ==\n",
      " QQ==",
      "-_==",
      "é"
    ]) {
      assert.isUndefined(Base64.decode(text), text)
    }
    assert.deepStrictEqual(Base64.decode(""), new Uint8Array())
  })
})

describe("a signed note", () => {
  it("of another implementation verifies under its key", () => {
    const key = Note.readVerifierKey(sha256, golang.verifierKey)
    const note = Note.read(golang.note)
    assert.strictEqual(key?.name, "PeterNeumann")
    assert.strictEqual(note?.signatures[0]?.keyId, key?.id)
    const signature = note?.signatures[0]?.signature as Uint8Array
    const publicKey = key?.publicKey as Uint8Array
    assert.isTrue(isSigned(publicKey, note?.text as string, signature))
    assert.isFalse(isSigned(publicKey, `${note?.text}\n`, signature))
    assert.strictEqual(Note.verifierKey(sha256, "PeterNeumann", publicKey), golang.verifierKey)
    const written = Note.write(sha256, note?.text as string, "PeterNeumann", publicKey, signature)
    assert.strictEqual(written, golang.note)
  })

  it("is not read when its form is another", () => {
    for (const text of [
      "",
      "text\n",
      "text\n\n",
      golang.note.slice(0, -1),
      golang.note.replace("\u2014", "-"),
      golang.note.replace(" x08", "  x08"),
      golang.note.replace("JnAM=", "JnAM"),
      `${golang.note}\u2014 Someone QUJDRA==\n`
    ]) {
      assert.isUndefined(Note.read(text), text)
    }
  })

  it("carries the signatures of others beside ours", () => {
    const more = `${golang.note}\u2014 witness.example.com QUJDREVGRw==\n`
    assert.deepStrictEqual(
      Note.read(more)?.signatures.map(({ name }) => name),
      ["PeterNeumann", "witness.example.com"]
    )
  })

  it("knows no key by a wrong id, another algorithm or a wrong length", () => {
    const { verifierKey } = golang
    for (const text of [
      "",
      "PeterNeumann",
      verifierKey.replace("c74f20a3", "c74f20a4"),
      verifierKey.replace("Peter", "Pieter"),
      verifierKey.replace("+ARpc", "+AhpC"),
      verifierKey.slice(0, -4)
    ]) {
      assert.isUndefined(Note.readVerifierKey(sha256, text), text)
    }
  })
})

describe("Ed25519", () => {
  it("agrees with RFC 8032, section 7.1, test 2", () => {
    const key = privateKeyOf(
      Buffer.from("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "hex")
    )
    assert.strictEqual(
      Buffer.from(publicBytesOf(key)).toString("hex"),
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    )
    assert.strictEqual(
      Buffer.from(signed(key, "r")).toString("hex"),
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
  })

  it("takes bytes that are no key for nobody's", () => {
    assert.isFalse(isSigned(new Uint8Array(31), "r", new Uint8Array(64)))
    assert.isFalse(isSigned(new Uint8Array(32), "r", new Uint8Array(63)))
  })
})

describe("the text of a checkpoint", () => {
  const rootHash = sha256("root")
  const head = { origin: "bursar/account-1", treeSize: 7, rootHash, line: 2 }

  it("is read as it was written, further lines passed over", () => {
    const text = TreeHead.write(head)
    assert.deepStrictEqual(TreeHead.read(text), head)
    assert.deepStrictEqual(TreeHead.read(`${text}more\n`), head)
    const last = { ...head, nextLine: 4 }
    assert.deepStrictEqual(TreeHead.read(TreeHead.write(last)), last)
    assert.strictEqual(TreeHead.accountOf(head.origin), "account-1")
    assert.isUndefined(TreeHead.accountOf("example.com/log"))
  })

  it("is of the first line where it names none", () => {
    const text = `bursar/a\n7\n${Base64.encode(rootHash)}\nline 0\nLine 3\n`
    assert.strictEqual(TreeHead.read(text)?.line, 1)
  })

  it("is not read when a size or root is not one", () => {
    for (const size of ["", "07", "-1", "1.5", "7e0", "1".repeat(16)]) {
      assert.isUndefined(TreeHead.read(`bursar/a\n${size}\n${Base64.encode(rootHash)}\n`), size)
    }
    for (const root of ["", "QQ==", Base64.encode(rootHash).slice(0, -1)]) {
      assert.isUndefined(TreeHead.read(`bursar/a\n7\n${root}\n`), root)
    }
    assert.isUndefined(TreeHead.read(`\n7\n${Base64.encode(rootHash)}\n`))
  })
})
