/**
 * Calls that follow from an operation's own definition: its example, made on what a full account has, and what it
 * must refuse. An operation for which they do not do has its own in `valid-inputs.ts` or `refused-calls.ts`.
 */
import type * as Operation from "../../core/operation/operation.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import type { Owner } from "./full-account.ts"
import type { Fields } from "./surface-calls.ts"

/** What of the account a field names. */
const named: Readonly<Record<string, (own: Owner) => string>> = {
  accountId: ({ walletId }) => walletId,
  cosignerUserId: ({ neighbourId }) => neighbourId,
  depositId: ({ depositId }) => depositId,
  entryId: ({ auditEntryId }) => auditEntryId,
  eventId: ({ eventId }) => eventId,
  fromWalletId: ({ walletId }) => walletId,
  id: ({ endpointId }) => endpointId,
  idOrPid: ({ requestId }) => requestId,
  inviteId: ({ incomingInviteId }) => incomingInviteId,
  jobId: ({ jobId }) => jobId,
  keyId: ({ keyId }) => keyId,
  membershipId: ({ membershipId }) => membershipId,
  pendingApprovalId: ({ approvalId }) => approvalId,
  proposalId: ({ proposalId }) => proposalId,
  recipientId: ({ recipientId }) => recipientId,
  requestId: ({ governanceRequestId }) => governanceRequestId,
  walletId: ({ walletId }) => walletId,
  walletMappingId: ({ vaultId }) => vaultId
}

/** The fields that name something of the account, as far as the example has them or the route takes them. */
const idsOf = ({ example, input }: Operation.Any) =>
  Object.keys(input.fields).filter(
    (field) => field in named && (field in example.input || field === "id")
  )

const isPaged = ({ input }: Operation.Any) => "limit" in input.fields

const derived = <A>(except: ReadonlyArray<string>, of: (operation: Operation.Any) => A) =>
  Object.fromEntries(
    operations.filter(({ name }) => !except.includes(name)).map((each) => [each.name, of(each)])
  ) as Readonly<Record<Name, A>>

/** The example of every other operation, with the account's own ids. */
export const validInputs = (except: ReadonlyArray<string>) =>
  derived(
    except,
    (operation) =>
      (own: Owner): Fields => ({
        ...operation.example.input,
        ...Object.fromEntries(idsOf(operation).map((field) => [field, named[field]?.(own)])),
        ...(isPaged(operation) ? { limit: 5 } : {})
      })
  )

export type Bad = (own: Owner) => Fields

export const missing = "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d"

export const unknownId =
  (field: string): Bad =>
  () => ({ [field]: missing })

export const emptyId =
  (field: string): Bad =>
  () => ({ [field]: "\u0000" })

export const wrongId = (field: string): ReadonlyArray<Bad> => [unknownId(field), emptyId(field)]

const stray: Bad = () => ({ stray: "x" })

export const wrongPage: ReadonlyArray<Bad> = [
  () => ({ limit: 0 }),
  () => ({ limit: 101 }),
  () => ({ limit: "ten" }),
  () => ({ cursor: "next" }),
  stray
]

/** Of every other operation ids that are nobody's, pages that are none, or at least a field it does not know. */
export const refusedInputs = (except: ReadonlyArray<string>) =>
  derived(except, (operation): ReadonlyArray<Bad> => {
    const wrong = [...idsOf(operation).flatMap(wrongId), ...(isPaged(operation) ? wrongPage : [])]
    return wrong.length === 0 ? [stray] : wrong
  })
