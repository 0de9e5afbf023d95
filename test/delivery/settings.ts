/** What a run and the processes it starts say to each other. */

/** A mistake that can be planted in a replica, so that the judge of a run is seen to catch it. */
export type Bug = "delivered before carried"

export interface Settings {
  readonly databaseUrl: string
  /** Holds the keyring, which all processes of a scene share. */
  readonly directory: string
  /** Whether it carries deliveries, or only writes events. */
  readonly works: boolean
  /** How far its clock stands ahead. */
  readonly aheadMs: number
  readonly bug?: Bug
}

/** An account with one endpoint. */
export interface Place {
  readonly accountId: string
  readonly endpointId: string
  readonly url: string
  readonly secret: string
}

/** An event that was committed, and when. */
export interface Committed {
  readonly eventId: string
  readonly atMs: number
}

export type Question =
  | { readonly ask: "open"; readonly urls: ReadonlyArray<string> }
  /** One event, in a transaction of its own; answers nothing when it may not have been committed. */
  | { readonly ask: "emit"; readonly accountId: string }
  | { readonly ask: "delete"; readonly place: Place }
