/**
 * What a check of an exported log may find, and the opening of a signed checkpoint: a head is believed only
 * when the key that was given signed for it, under the name of the log it is the head of.
 */
import * as Note from "./note.ts"
import type * as Tree from "./tree.ts"
import * as TreeHead from "./tree-head.ts"

/** The cryptography of whoever checks. */
export interface Cryptography {
  readonly sha256: Tree.Sha256
  /** Whether the Ed25519 signature is of the text's UTF-8 under the public key. */
  readonly isSigned: (publicKey: Uint8Array, text: string, signature: Uint8Array) => boolean
}

export type ProblemCode =
  | "unreadable_key"
  | "no_checkpoint"
  | "wrong_key"
  | "bad_signature"
  | "unreadable_line"
  | "foreign_entry"
  | "missing_entries"
  | "missing_file"
  | "repeated_entry"
  | "misplaced_entry"
  | "surplus_entry"
  | "altered_entry"
  | "root_mismatch"
  | "earlier_mismatch"
  | "forged_break"

export interface Problem {
  readonly code: ProblemCode
  /** One sentence for people. */
  readonly message: string
  /** The place in the log it is about. */
  readonly sequence?: number
  /** The line of the file, from 1. */
  readonly line?: number
}

/** Where the records were replaced, by those of a standby or of a backup, and the log goes on. */
export interface FoundBreak {
  /** The place of the entry that says so; the entries before it are on the line before. */
  readonly sequence: number
  readonly line: number
  readonly lineBefore: number
  /** How many entries of the line before the checkpoints from before prove to be lost. */
  readonly lost: number
  /** One or two sentences for people. */
  readonly message: string
}

export interface Report {
  /** True only when there is no problem: then every entry is as it was signed, and none is missing but where `breaks` say so. */
  readonly ok: boolean
  /** Null when the file ends with no checkpoint that can be read. */
  readonly head: {
    readonly accountId: string
    readonly treeSize: number
    readonly rootHash: string
    readonly line: number
  } | null
  /** None where the records were never replaced. */
  readonly breaks: ReadonlyArray<FoundBreak>
  readonly problems: ReadonlyArray<Problem>
}

type Opened = { readonly head: TreeHead.TreeHead } | { readonly problem: Problem }

const wrong = (code: ProblemCode, message: string): { readonly problem: Problem } => ({
  problem: { code, message }
})

/** The head of a note that the key has signed. */
export const openCheckpoint = (
  { isSigned, sha256 }: Cryptography,
  note: string,
  verifierKey: string
): Opened => {
  const key = Note.readVerifierKey(sha256, verifierKey)
  if (key === undefined) return wrong("unreadable_key", "The given key is not a verifier key.")
  const read = Note.read(note)
  const head = read === undefined ? undefined : TreeHead.read(read.text)
  if (read === undefined || head === undefined) {
    return wrong("no_checkpoint", "This is not a signed checkpoint.")
  }
  const own = read.signatures.filter(({ keyId, name }) => keyId === key.id && name === key.name)
  if (own.length === 0 || head.origin !== key.name) {
    const signers = read.signatures.map(({ keyId, name }) => `${name}+${keyId}`).join(", ")
    const message = `The checkpoint of ${head.origin} is signed by ${signers}, not by ${key.name}+${key.id}.`
    return wrong("wrong_key", message)
  }
  return own.some(({ signature }) => isSigned(key.publicKey, read.text, signature))
    ? { head }
    : wrong("bad_signature", "The checkpoint's signature does not match its text and the key.")
}
