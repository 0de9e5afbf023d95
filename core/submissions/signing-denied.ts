/** How the signing side refuses: what is to be signed is not what the records hold. */

/** A defect: the records and what is to be signed disagree, which none of our own code brings about. */
export class SigningDenied extends Error {
  override readonly name = "SigningDenied"
  readonly objection: string
  constructor(proposalId: string, objection: string) {
    super(`Proposal ${proposalId} must not be signed: ${objection}.`)
    this.objection = objection
  }
}
