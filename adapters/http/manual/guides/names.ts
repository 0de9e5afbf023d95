/** Which pages of the manual are served, in the order they are read, and for whom each group is. */

export const groups = [
  ["Get paid", ["first-payment", "merchants", "payments", "webhooks"]],
  ["Build", ["agents", "command-line"]],
  ["Run the service", ["operations", "failover", "books", "configuration", "ways", "keys"]],
  ["Trust it", ["guarantees", "threats", "audit"]]
] as const

export type GuideName = (typeof groups)[number][1][number]

export const names: ReadonlyArray<GuideName> = groups.flatMap(([, members]) => [...members])

/** Each in Markdown. */
export type Texts = Readonly<Record<GuideName, string>>
