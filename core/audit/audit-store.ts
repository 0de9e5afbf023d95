/**
 * The audit store: appended in the transaction of the change it tells of, never changed. Beside the entries
 * stands each account's Merkle tree over those that have their place; it only grows, and with them.
 */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { LineNow } from "../timeline/numbering.ts"
import type { Archive } from "./archive.ts"
import type { Entry, Listed, Placed } from "./entry.ts"
import type { Hashed, Node, Range } from "./tree.ts"

/** How far an account's log has come. */
export interface Head {
  readonly treeSize: number
  /** The line of history on which it got there. */
  readonly line: number
  /** When it got there. */
  readonly grewAt: DateTime.Utc
}

/** Entries with the places that follow the head, the nodes they add to the tree, and the head after them. */
export interface Growth extends Head {
  readonly accountId: string
  readonly placed: ReadonlyArray<Placed>
  readonly added: ReadonlyArray<Hashed>
}

/** An account's log in the hands of one transaction. */
export interface Held {
  readonly head: Head | undefined
  /** The line that it is to go on on; undefined for the moments in which the records' next one begins. */
  readonly now: LineNow | undefined
}

/** Which entries of a log are asked for. */
export interface Filter {
  /** Of one thing, by its id. */
  readonly subjectId?: string | undefined
  /** By one actor. */
  readonly actor?: string | undefined
}

export class Audit extends Context.Service<
  Audit,
  {
    readonly append: (entries: ReadonlyArray<Entry>) => Effect.Effect<void>
    readonly list: (
      accountId: string,
      request: Page.Request,
      filter?: Filter
    ) => Effect.Effect<Page.Page<Listed>>
    readonly find: (accountId: string, entryId: string) => Effect.Effect<Listed | undefined>
    /** Entries with a place, in the order of the log, from `from` on: what an export is made of. */
    readonly inOrder: (
      accountId: string,
      from: number,
      most: number
    ) => Effect.Effect<ReadonlyArray<Placed>>
    /** Accounts with entries that have no place yet. */
    readonly waiting: (most: number) => Effect.Effect<ReadonlyArray<string>>
    /** Takes the account's log for the running transaction; whoever else wants it waits. */
    readonly hold: (accountId: string) => Effect.Effect<Held>
    readonly head: (accountId: string) => Effect.Effect<Head | undefined>
    /** Committed entries without a place, oldest first. */
    readonly unplaced: (accountId: string, most: number) => Effect.Effect<ReadonlyArray<Entry>>
    /** Only for whoever holds the log: a place that is taken, or leaves a gap, is a defect. */
    readonly extend: (growth: Growth) => Effect.Effect<void>
    /** The nodes asked for, in that order; one that is not there is a defect. */
    readonly nodes: (
      accountId: string,
      wanted: ReadonlyArray<Node>
    ) => Effect.Effect<ReadonlyArray<Hashed>>
    /** What of the log is in files, in its order, each from where the one before ends. */
    readonly archives: (accountId: string) => Effect.Effect<ReadonlyArray<Archive>>
    /** One that does not begin where the last one ends, or has places that the log has not, is a defect. */
    readonly archive: (archive: Archive) => Effect.Effect<void>
    /** Forgets the texts of these places, of which none is left; one that is in no archive is a defect. */
    readonly dropTexts: (accountId: string, places: Range) => Effect.Effect<void>
    /** The place of an entry, by the time that its id is of, also where its text is dropped. */
    readonly placeOf: (accountId: string, entryId: string) => Effect.Effect<number | undefined>
  }
>()("bursar/audit/Audit") {}
