/** When an account was paused by its operator. */

export const statements: ReadonlyArray<string> = [
  "alter table account add column paused_at timestamptz"
]
