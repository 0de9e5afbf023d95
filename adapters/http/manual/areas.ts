/** The areas of the API, one page of the reference each: by the first word of an operation's path. */
import { type Bound, bound } from "../route.ts"
import { roomOf } from "./openapi.ts"

export const areaOf = ({ route }: Bound): string => roomOf(route)

export const areas: ReadonlyMap<string, ReadonlyArray<Bound>> = Map.groupBy(bound, areaOf)

/** `payment-requests` as people read it. */
export const areaTitle = (area: string): string => {
  const words = area.replaceAll("-", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}
