/**
 * Lets an execution approve nothing, which takes back what a spender was allowed. What sends still moves
 * more than nothing.
 */

export const statements: ReadonlyArray<string> = [
  "alter table execution drop constraint execution_amount_micro_check",
  `alter table execution add constraint execution_amount_micro_check
    check (amount_micro > 0 or (act = 'permit' and amount_micro = 0))`
]
