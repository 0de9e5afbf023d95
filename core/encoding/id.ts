/**
 * Ids as callers write them. A UUID is the same in either case (RFC 9562): it is read in any and looked up, compared
 * and answered in lower case, so no reader of an input need think of it.
 */
import { Schema, SchemaGetter } from "effect"
import * as Text from "./text.ts"

const uuid = /^(?:[a-z]+:)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu

/** What is no UUID stays as it is, as a `pid` differs by case; before one may stand what it is the id of (`human:`). */
export const inLowerCase = (id: string): string => (uuid.test(id) ? id.toLowerCase() : id)

/** A field that takes an id. */
export const Id = (description?: string, most = 64) =>
  Text.Line(most)
    .annotate(description === undefined ? {} : { description })
    .pipe(
      Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.transform(inLowerCase),
        encode: SchemaGetter.transform((id: string) => id)
      })
    )
