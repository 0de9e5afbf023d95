/** Instants on pages: written in UTC by the server, and in the reader's zone by the script, with UTC at hand. */

/** `2026-11-21 15:04 UTC`. */
export const instant = (text: string): string =>
  `${text.slice(0, "2026-11-21".length)} ${text.slice("2026-11-21T".length, "2026-11-21T15:04".length)} UTC`

export const When = ({ at }: { readonly at: string }) => <time dateTime={at}>{instant(at)}</time>
