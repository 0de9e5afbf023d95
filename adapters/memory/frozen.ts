/** Copies what a caller hands over and freezes the copy, so that no reference outside can change the store. */

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const copied = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copied))
  // Dates of Effect are immutable, but cache their parts in place: freezing would break them.
  if (!isPlain(value)) return value
  const entries = Object.entries(value).map(([name, part]) => [name, copied(part)] as const)
  return Object.freeze(Object.fromEntries(entries))
}

/** A frozen copy, deep over arrays and plain objects. */
export const frozen = <Value>(value: Value): Value =>
  // A copy has the type of what was copied.
  copied(value) as Value
