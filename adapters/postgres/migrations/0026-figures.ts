/** What the operator's figures are read by, where no index of the work itself serves. */

export const statements: ReadonlyArray<string> = [
  `create index delivery_failed on delivery (created_at) where status = 'failed'`
]
