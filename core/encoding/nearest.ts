/** The name somebody most likely meant, so that a mistyped flag or tool is answered with the right one. */

/** How many letters must be put in, left out or changed to come from one text to the other. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [other, wanted] of [...to].entries()) {
      const changed = (row[other] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(changed, (row[other + 1] ?? 0) + 1, (next[other] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** A part of the name counts as near, and so does more than the name but less than twice of it; otherwise at most half of the letters may differ. */
export const nearest = (given: string, names: ReadonlyArray<string>): string | undefined => {
  const ranked = names
    .map((name) => {
      const holds = given.includes(name) && name.length * 2 >= given.length
      const isPart = given.length > 1 && (name.includes(given) || holds)
      return { name, far: isPart ? 0.5 : distance(given, name) }
    })
    .sort((a, b) => a.far - b.far)
  const [best] = ranked
  return best !== undefined && best.far <= Math.ceil(given.length / 2) ? best.name : undefined
}
