/** How the console says no to people, beside what the operations say that they reach through it. */
import { CeremonyExpired } from "./ceremony.ts"
import { EnrolmentNotOpen } from "./enrolment.ts"
import { PasskeyRejected, PasskeySuspended } from "./passkey.ts"
import { SignInRequired } from "./session.ts"

export const refusals = [
  CeremonyExpired,
  EnrolmentNotOpen,
  PasskeyRejected,
  PasskeySuspended,
  SignInRequired
] as const
