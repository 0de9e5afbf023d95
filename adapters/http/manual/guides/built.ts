/**
 * The manual's texts, as this program has them. From sources they are read from `docs/manual`; a build puts them in
 * the place of this file, so that what was built brings its own manual and looks for none.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { names, type Texts } from "./names.ts"

const directory = join(import.meta.dirname, "../../../../docs/manual")

export const built = (): Texts =>
  Object.fromEntries(
    names.map((name) => [name, readFileSync(join(directory, `${name}.md`), "utf8")])
  ) as Texts
