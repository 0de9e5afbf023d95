/** The wait an endpoint asks for (RFC 9110, Retry-After): whole seconds or a date, else nothing. */

const seconds = /^\d{1,9}$/u
const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u

/** Milliseconds from now; a date that has passed asks for none. */
export const read = (
  header: string | ReadonlyArray<string> | undefined,
  nowMs: number
): number | null => {
  const text = (typeof header === "string" ? header : (header?.[0] ?? "")).trim()
  if (seconds.test(text)) return Number(text) * 1000
  const until = date.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(until) ? null : Math.max(0, until - nowMs)
}
