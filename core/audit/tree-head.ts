/**
 * The text of a checkpoint (C2SP tlog-checkpoint): which log, how many entries it has, the root over them, and the line
 * of history that it is on. One size of one log on one line has one root, so two that differ prove a rewritten log.
 */
import * as Base64 from "../encoding/base64.ts"

export interface TreeHead {
  /** Names the log; also the name of the key that signs for it. */
  readonly origin: string
  readonly treeSize: number
  readonly rootHash: Uint8Array
  /** The line of history that the log is on; the first one where a checkpoint names none. */
  readonly line: number
  /** The line on which the log goes on without what this one had beyond; only a break has it. */
  readonly nextLine?: number
}

const hashBytes = 32
const prefix = "bursar/"

/** Every account has a log of its own, so that no proof tells of another account. */
export const originOf = (accountId: string): string => `${prefix}${accountId}`

/** The account whose log it is; undefined for the origin of something else. */
export const accountOf = (origin: string): string | undefined =>
  origin.startsWith(prefix) ? origin.slice(prefix.length) : undefined

export const write = ({ line, nextLine, origin, rootHash, treeSize }: TreeHead): string => {
  const next = nextLine === undefined ? "" : `next line ${nextLine}\n`
  return `${origin}\n${treeSize}\n${Base64.encode(rootHash)}\nline ${line}\n${next}`
}

const lineForm = /^line ([1-9][0-9]{0,14})$/u
const nextForm = /^next line ([1-9][0-9]{0,14})$/u

/** The number in the first of some lines that has the form. */
const numberIn = (lines: ReadonlyArray<string>, form: RegExp): number | undefined => {
  const [found] = lines.flatMap((line) => form.exec(line)?.[1] ?? [])
  return found === undefined ? undefined : Number(found)
}

/** Further lines may follow and are no concern of ours; undefined when it has not the form. */
export const read = (text: string): TreeHead | undefined => {
  const [origin = "", size = "", root = "", ...more] = text.split("\n")
  const rootHash = Base64.decode(root)
  const isSize = /^(?:0|[1-9][0-9]{0,14})$/u.test(size)
  if (origin === "" || !isSize || rootHash?.length !== hashBytes) return undefined
  const nextLine = numberIn(more, nextForm)
  return {
    origin,
    treeSize: Number(size),
    rootHash,
    line: numberIn(more, lineForm) ?? 1,
    ...(nextLine === undefined ? {} : { nextLine })
  }
}
