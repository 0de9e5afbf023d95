/** The advisory locks of the database. Each guards one decision that no row of its own can guard. */

/** The first half of every lock, so that other users of the database do not meet ours. */
export const space = 0x627572

export const migrations = 1
export const claims = 2
