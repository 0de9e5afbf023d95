/**
 * Reads the route table and pairs it with the catalogue. Operations that share a method and a path
 * share one place and are told apart by their `?action=`; an alias is a place of its own.
 */
import type * as Operation from "../../core/operation/operation.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { type Line, type Method, type Path, routes } from "./routes.ts"

export interface Route {
  readonly method: Method
  /** From the site root, path fields as `:name`. */
  readonly path: Path
  readonly pathFields: ReadonlyArray<string>
  readonly action: string | undefined
}

export const basePath = "/api/v1"

export const parse = (line: Line): Route => {
  const [method, target = ""] = line.split(" ")
  const [place = "", query = ""] = target.split("?")
  return {
    // The type of a line admits only these methods and a path that starts with a slash.
    method: method as Method,
    path: (place.startsWith("@") ? place.slice(1) : basePath + place) as Path,
    pathFields: [...place.matchAll(/:(\w+)/gu)].map((match) => match[1] ?? ""),
    action: query === "" ? undefined : query.replace("action=", "")
  }
}

/** An operation where REST serves it. */
export interface Bound {
  readonly operation: Operation.Any
  readonly route: Route
}

const bind = (operation: Operation.Any, line: Line): Bound => ({
  operation,
  route: parse(line)
})

export const bound: ReadonlyArray<Bound> = operations.map((operation) =>
  bind(operation, routes[operation.name])
)

/** Second addresses of operations; every field stands in the body. */
const aliases: Partial<Record<Name, Line>> = {
  confirm_proposal: "POST @/api/mcp/confirm"
}

export const aliased: ReadonlyArray<Bound> = operations.flatMap((operation) => {
  const line = aliases[operation.name]
  return line === undefined ? [] : [bind(operation, line)]
})

/** One method at one path, and the operations it may mean. */
export interface ServedRoute {
  readonly method: Method
  readonly path: Path
  readonly bound: ReadonlyArray<Bound>
}

export const servedRoutes: ReadonlyArray<ServedRoute> = [
  ...Map.groupBy([...bound, ...aliased], ({ route }) => `${route.method} ${route.path}`).values()
].flatMap((bound) => {
  const [first] = bound
  return first === undefined ? [] : [{ method: first.route.method, path: first.route.path, bound }]
})

/** Reads take their fields from the query, and so does DELETE; every other method from the body. */
export const readsQuery = (method: Method): boolean => method === "GET" || method === "DELETE"
