/**
 * Shares of a core for processes, as containers have them: a control group of the kernel's for each, which holds for all
 * threads of one process and for nobody else. Where none can be made it is told why, and nothing is measured without one.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** How often the kernel hands a share out anew. With its 100 ms a process would run in lumps that are longer than a batch. */
const periodMicros = 10_000

const prefix = "bursar-bench-"

/** Into a file of the kernel's, which is there or is not. */
const write = (folder: string, file: string, value: string | number) =>
  writeFileSync(join(folder, file), String(value), { flag: "r+" })

/** How the kernel is asked, in one of the two versions that it has of this. */
interface Hierarchy {
  readonly root: string
  /** Whether this line of `/proc/<pid>/cgroup` is of this hierarchy. */
  readonly isOf: (ids: string, controllers: string) => boolean
  readonly allow: () => void
  readonly limit: (folder: string, micros: number) => void
}

const second: Hierarchy = {
  root: "/sys/fs/cgroup",
  isOf: (id) => id === "0",
  allow: () => write("/sys/fs/cgroup", "cgroup.subtree_control", "+cpu"),
  limit: (folder, micros) => write(folder, "cpu.max", `${micros} ${periodMicros}`)
}

const first: Hierarchy = {
  root: "/sys/fs/cgroup/cpu",
  isOf: (_, controllers) => controllers.split(",").includes("cpu"),
  allow: () => undefined,
  limit: (folder, micros) => {
    write(folder, "cpu.cfs_period_us", periodMicros)
    write(folder, "cpu.cfs_quota_us", micros)
  }
}

/** The group that a process is in. */
const homeOf = (pid: number, { isOf, root }: Hierarchy): string => {
  for (const line of readFileSync(`/proc/${pid}/cgroup`, "utf8").split("\n")) {
    const [id = "", controllers = "", ...path] = line.split(":")
    if (isOf(id, controllers)) return join(root, path.join(":"))
  }
  throw new Error(`the process is in no group below ${root}`)
}

/** Groups that a bench left behind which was killed: they are empty, and no other can be removed. */
const clear = ({ root }: Hierarchy) => {
  for (const name of readdirSync(root).filter((each) => each.startsWith(prefix))) {
    const maker = name.slice(prefix.length).split("-")[0]
    if (!existsSync(`/proc/${maker}`)) rmdirSync(join(root, name))
  }
}

/** The share of one process, which it has from `enter` to `leave`. */
export interface Quota {
  readonly enter: () => void
  readonly leave: () => void
  /** Once the process has ended or left. */
  readonly close: () => void
}

const inHierarchy = (pid: number, percent: number, hierarchy: Hierarchy): Quota => {
  const home = homeOf(pid, hierarchy)
  hierarchy.allow()
  const folder = join(hierarchy.root, `${prefix}${process.pid}-${pid}`)
  mkdirSync(folder)
  hierarchy.limit(folder, (periodMicros * percent) / 100)
  return {
    enter: () => write(folder, "cgroup.procs", pid),
    leave: () => write(home, "cgroup.procs", pid),
    close: () => rmdirSync(folder)
  }
}

/** The hierarchy in which groups can be made, or why in none: tried with this process itself. */
const found = (): Hierarchy | string => {
  const troubles: Array<string> = []
  for (const hierarchy of [second, first]) {
    try {
      const quota = inHierarchy(process.pid, 50, hierarchy)
      try {
        quota.enter()
        quota.leave()
      } finally {
        quota.close()
      }
      clear(hierarchy)
      return hierarchy
    } catch (error) {
      troubles.push(error instanceof Error ? error.message : String(error))
    }
  }
  return troubles.join("; ")
}

/** Shares of so many percent of a core for each of these processes, or why there can be none. */
export const each = (
  pids: ReadonlyArray<number>,
  percent: number
): ReadonlyArray<Quota> | string => {
  const hierarchy = found()
  return typeof hierarchy === "string"
    ? hierarchy
    : pids.map((pid) => inHierarchy(pid, percent, hierarchy))
}
