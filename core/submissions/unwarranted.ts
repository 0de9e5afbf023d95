/** How the signing side refuses: what is to be signed is not what the books hold. */

/** A defect: the books and what is to be signed disagree, which none of our own code brings about. */
export class Unwarranted extends Error {
  override readonly name = "Unwarranted"
  readonly objection: string
  constructor(proposalId: string, objection: string) {
    super(`Proposal ${proposalId} does not warrant a signature: ${objection}.`)
    this.objection = objection
  }
}
