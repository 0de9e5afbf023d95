/** Stands in for npm beside a package that is tried as a stranger gets it: its dependencies, linked. */
import { mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** Links packages of this project into another one. */
export const linkDependencies = async (project: string, names: ReadonlyArray<string>) => {
  for (const name of names) {
    const place = join(project, "node_modules", name)
    await mkdir(join(place, ".."), { recursive: true })
    await symlink(join(root, "node_modules", name), place)
  }
}
