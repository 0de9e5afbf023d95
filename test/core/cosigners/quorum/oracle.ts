/**
 * Who may move money, told anew from the contract alone: no line of the treasury is used here. It says of
 * every step what must come of it, and keeps what must be so afterwards.
 */
import type { Band, Person, VoterName } from "./step.ts"

const hourMs = 3_600_000

export interface Send {
  readonly amountMicro: bigint
  readonly payee: Payee
  status: string
  isConfirmed: boolean
  expiresAt: number
  required: number
  votes: Map<VoterName, boolean>
}

export interface Payee {
  readonly address: number
  status: "pending" | "approved" | "revoked"
  readonly endsAt: number
  /** Whether co-signers may say anything of it. */
  isAsked: boolean
  votes: Map<VoterName, boolean>
}

export interface Invite {
  readonly who: Person
  status: "pending" | "accepted" | "declined"
  readonly expiresAt: number
}

export interface Challenge {
  readonly bands: ReadonlyArray<Band>
  readonly expiresAt: number
  isUsed: boolean
}

/** Which human an account is: two of one wallet are one. */
const human = (who: VoterName): string =>
  who === "ada's twin" ? "ada" : who === "owner's twin" ? "owner" : who

const humans = (whose: Iterable<VoterName>): number =>
  new Set([...whose].map(human).filter((each) => each !== "owner")).size

const votesFor = (
  bands: ReadonlyArray<Band>,
  action: Band["action"],
  amountMicro: bigint
): number =>
  bands
    .filter((band) => band.action === action && band.fromMicro <= amountMicro)
    .reduce<Band | undefined>(
      (best, band) => (best === undefined || best.fromMicro < band.fromMicro ? band : best),
      undefined
    )?.votes ?? 0

/** Every amount up to and beyond all bands there are, one by one where it matters. */
const axis = [1n, 100_000_000n, 200_000_000n].flatMap((edge) => [edge - 1n, edge, edge + 1n])

const isWeaker = (before: ReadonlyArray<Band>, after: ReadonlyArray<Band>): boolean =>
  (["send", "swap"] as const).some((action) =>
    axis.some((amount) => votesFor(after, action, amount) < votesFor(before, action, amount))
  )

const most = (bands: ReadonlyArray<Band>) => Math.max(0, ...bands.map(({ votes }) => votes))

const open = (send: Send) => send.status === "pending_confirm" || send.status === "requires_action"

export class Oracle {
  now: number
  bands: ReadonlyArray<Band> = []
  readonly members = new Set<Person>()
  readonly invites: Array<Invite> = []
  readonly sends: Array<Send> = []
  readonly payees: Array<Payee>
  readonly challenges: Array<Challenge> = []

  constructor(now: number) {
    this.now = now
    this.payees = [
      { address: -1, status: "approved", endsAt: now, isAsked: false, votes: new Map() }
    ]
  }

  isPayable({ endsAt, status }: Payee): boolean {
    return status === "approved" || (status === "pending" && this.now >= endsAt)
  }

  deadlines(): ReadonlyArray<number> {
    return [
      ...this.sends.filter(open).map(({ expiresAt }) => expiresAt),
      ...this.payees.filter(({ status }) => status === "pending").map(({ endsAt }) => endsAt),
      ...this.invites.filter(({ status }) => status === "pending").map((each) => each.expiresAt),
      ...this.challenges.filter(({ isUsed }) => !isUsed).map((each) => each.expiresAt)
    ].filter((deadline) => deadline > this.now)
  }

  invite(who: Person): string {
    if (human(who) === "owner") return "SELF_APPROVAL_FORBIDDEN"
    const isWaiting = this.invites.some(
      (each) => each.who === who && each.status === "pending" && each.expiresAt > this.now
    )
    if (isWaiting || this.members.has(who)) return "INVALID_REQUEST"
    this.invites.push({ who, status: "pending", expiresAt: this.now + 168 * hourMs })
    return "ok"
  }

  answer(invite: Invite, status: "accepted" | "declined"): string {
    if (invite.status !== "pending" || invite.expiresAt <= this.now) return "INVITE_NOT_OPEN"
    invite.status = status
    if (status === "accepted") this.members.add(invite.who)
    return "ok"
  }

  remove(who: Person): string {
    if (!this.members.has(who)) return "NOT_FOUND"
    const rest = [...this.members].filter((each) => each !== who)
    if (humans(rest) < most(this.bands)) return "INVALID_REQUEST"
    this.members.delete(who)
    for (const send of this.sends.filter(({ status }) => status === "requires_action")) {
      send.votes.delete(who)
    }
    for (const payee of this.payees.filter(({ isAsked }) => isAsked)) payee.votes.delete(who)
    this.#judgeAll()
    return "ok"
  }

  /** What comes of asking for other rules without a signature. */
  askRules(bands: ReadonlyArray<Band>): string {
    if (this.#isTooMuch(bands)) return "INVALID_REQUEST"
    if (!isWeaker(this.bands, bands)) return this.#rule(bands)
    this.challenges.push({ bands, expiresAt: this.now + 600_000, isUsed: false })
    return "challenge"
  }

  signRules(challenge: Challenge): string {
    if (challenge.isUsed || challenge.expiresAt <= this.now) return "CHALLENGE_EXPIRED"
    if (this.#isTooMuch(challenge.bands)) return "INVALID_REQUEST"
    challenge.isUsed = true
    return this.#rule(challenge.bands)
  }

  propose(amountMicro: bigint, payee: Payee): string {
    if (!this.isPayable(payee)) return "RECIPIENT_NOT_APPROVED"
    this.sends.push({
      amountMicro,
      payee,
      status: "pending_confirm",
      isConfirmed: false,
      expiresAt: this.now + 24 * hourMs,
      required: 0,
      votes: new Map()
    })
    return "pending_confirm"
  }

  confirm(send: Send): string {
    if (send.status === "rejected") return "PROPOSAL_NOT_CONFIRMABLE"
    if (send.isConfirmed) return send.status
    if (send.status !== "pending_confirm" || send.expiresAt <= this.now) {
      return "PROPOSAL_NOT_CONFIRMABLE"
    }
    send.isConfirmed = true
    send.required = votesFor(this.bands, "send", send.amountMicro)
    send.status = send.required === 0 ? "executing" : "requires_action"
    if (send.required > 0) send.expiresAt = this.now + 168 * hourMs
    return send.status
  }

  cancel(send: Send): string {
    if (send.status !== "cancelled" && !open(send)) return "PROPOSAL_NOT_CONFIRMABLE"
    send.status = "cancelled"
    return send.status
  }

  vote(who: VoterName, send: Send, isApproval: boolean): string {
    const isOpen = send.status === "requires_action" && send.expiresAt > this.now
    const refusal = this.#mayVote(who, isOpen, send.votes)
    if (refusal !== undefined) return refusal
    send.votes.set(who, isApproval)
    this.#judge(send)
    return "ok"
  }

  votePayee(who: VoterName, payee: Payee, isApproval: boolean): string {
    if (payee.address < 0) return "NOT_FOUND"
    const isOpen = payee.isAsked && payee.endsAt > this.now
    const refusal = this.#mayVote(who, isOpen, payee.votes)
    if (refusal !== undefined) return refusal
    payee.votes.set(who, isApproval)
    if (isApproval) this.#approve(payee)
    return "ok"
  }

  addPayee(address: number): string {
    const standing = this.payees.some(
      (payee) => payee.address === address && payee.status !== "revoked"
    )
    if (standing) return "INVALID_REQUEST"
    const endsAt = this.now + 24 * hourMs
    this.payees.push({ address, status: "pending", endsAt, isAsked: true, votes: new Map() })
    return "completed"
  }

  approvePayee(payee: Payee): string {
    if (payee.status === "revoked" || this.isPayable(payee)) return "INVALID_REQUEST"
    this.#approve(payee)
    return "completed"
  }

  revokePayee(payee: Payee): string {
    payee.status = "revoked"
    payee.isAsked = false
    for (const send of this.sends.filter((each) => each.payee === payee && open(each))) {
      send.status = "superseded"
    }
    return "ok"
  }

  sweep(): void {
    for (const send of this.sends.filter((each) => open(each) && each.expiresAt <= this.now)) {
      send.status = "expired"
    }
  }

  /** Approvals that a person's list must show. */
  awaiting(who: Person): number {
    if (!this.members.has(who)) return 0
    const sends = this.sends.filter(
      ({ status, expiresAt, votes }) =>
        status === "requires_action" && expiresAt > this.now && !votes.has(who)
    )
    const payees = this.payees.filter(
      ({ isAsked, endsAt, votes }) => isAsked && endsAt > this.now && !votes.has(who)
    )
    return sends.length + payees.length
  }

  /** Distinct humans of the group who said yes. */
  received(send: Send): number {
    return humans([...send.votes].filter(([, isApproval]) => isApproval).map(([who]) => who))
  }

  #mayVote(who: VoterName, isOpen: boolean, votes: ReadonlyMap<VoterName, boolean>) {
    if (who === "owner") return "SELF_APPROVAL_FORBIDDEN"
    if (who === "stranger" || !this.members.has(who)) return "NOT_FOUND"
    if (human(who) === "owner") return "SELF_APPROVAL_FORBIDDEN"
    return isOpen && !votes.has(who) ? undefined : "APPROVAL_NOT_OPEN"
  }

  #approve(payee: Payee): void {
    payee.status = "approved"
    payee.isAsked = false
  }

  #isTooMuch(bands: ReadonlyArray<Band>): boolean {
    return most(bands) > humans(this.members) && most(bands) > most(this.bands)
  }

  #rule(bands: ReadonlyArray<Band>): string {
    this.bands = bands
    this.#judgeAll()
    return "ruled"
  }

  #judgeAll(): void {
    for (const send of this.sends) {
      if (send.status === "requires_action" && send.expiresAt > this.now) this.#judge(send)
    }
  }

  /** Money moves by enough distinct humans who are members now, and by nothing less. */
  #judge(send: Send): void {
    send.required = Math.max(send.required, votesFor(this.bands, "send", send.amountMicro))
    const against = [...send.votes].filter(([, isApproval]) => !isApproval).map(([who]) => who)
    const others = [...this.members].filter((who) => !against.includes(who))
    if (this.received(send) >= send.required) send.status = "executing"
    else if (against.length > 0 && humans(others) < send.required) send.status = "rejected"
  }
}
