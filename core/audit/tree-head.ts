/**
 * The text of a checkpoint (C2SP tlog-checkpoint): which log, how many entries it has, and the root over
 * them, a line each. One size of one log has one text, so two that differ prove a rewritten log.
 */
import * as Base64 from "../encoding/base64.ts"

export interface TreeHead {
  /** Names the log; also the name of the key that signs for it. */
  readonly origin: string
  readonly treeSize: number
  readonly rootHash: Uint8Array
}

const hashBytes = 32
const prefix = "bursar/"

/** Every account has a log of its own, so that no proof tells of another account. */
export const originOf = (accountId: string): string => `${prefix}${accountId}`

/** The account whose log it is; undefined for the origin of something else. */
export const accountOf = (origin: string): string | undefined =>
  origin.startsWith(prefix) ? origin.slice(prefix.length) : undefined

export const write = ({ origin, rootHash, treeSize }: TreeHead): string =>
  `${origin}\n${treeSize}\n${Base64.encode(rootHash)}\n`

/** Further lines may follow and are no concern of ours; undefined when it has not the form. */
export const read = (text: string): TreeHead | undefined => {
  const [origin = "", size = "", root = ""] = text.split("\n")
  const rootHash = Base64.decode(root)
  const isSize = /^(?:0|[1-9][0-9]{0,14})$/u.test(size)
  return origin === "" || !isSize || rootHash?.length !== hashBytes
    ? undefined
    : { origin, treeSize: Number(size), rootHash }
}
