/** A connected account, the contract of its kind, and the problems that people see. See docs/decisions/connected-accounts.md. */

import type { AppContext } from '#context'
import type { Transaction } from '#db/connect'
import type { LogFailure } from '#base/timing/worker-statistics'
import type { Micros } from '#base/timing/clock'
import type { AccountServers } from './servers'
import type { AccountProgress, AccountSecret, Sharing } from './settings'

/** Where an account is, and how to sign in there. */
export interface Connection<Settings = unknown> {
  readonly settings: Settings
  readonly secret: AccountSecret | undefined
}

export interface ConnectedAccount<Settings = unknown> extends Connection<Settings> {
  readonly workspaceId: string
  readonly id: string
  readonly memberId: string
  readonly kind: string
  readonly emailAddress: string
  readonly sharing: Sharing
  /** For how many days before `createdAt` the account is read; null for everything. */
  readonly historyDays: number | null
  /** What the kind has stored about its synchronisation; `{}` at first. */
  readonly syncState: unknown
  readonly progress: AccountProgress
  readonly createdAt: Micros
}

/** The lease of an account was lost: another process has it, or the member changed or removed it. */
export class AccountLeaseLost extends Error {}

/** What a kind needs while the process holds the lease of an account. */
export interface AccountRun<Settings = unknown> {
  readonly appContext: Pick<AppContext, 'db' | 'models' | 'now' | 'blobs'>
  readonly servers: AccountServers
  readonly account: ConnectedAccount<Settings>
  /** The secret of the account, whose token is valid for some minutes. Throws `AccountProblem` when the provider gives none. */
  getSecret(): Promise<AccountSecret | undefined>
  /** Aborted when the process stops or the lease is lost. */
  readonly signal: AbortSignal
  /**
   * Stores how far the synchronisation is, in the transaction of what it has stored. Throws `AccountLeaseLost`, and so rolls the
   * transaction back.
   */
  save(tx: Transaction, changes: AccountChanges): Promise<void>
  /** Keeps the lease until the transaction ends, without storing anything. Throws `AccountLeaseLost`. */
  confirmLease(tx: Transaction): Promise<void>
  /** Stores that the service has everything of the server, and that nothing fails any more. Throws `AccountLeaseLost`. */
  markSynced(): Promise<void>
  readonly logFailure: LogFailure
}

export interface AccountChanges {
  readonly syncState?: object
  readonly progress?: AccountProgress
}

/** One kind of connected account. `kinds.ts` has all of them. */
export interface AccountKind<Settings = unknown> {
  readonly kind: string
  /** Signs in and out. Throws `AccountProblem`. */
  check(servers: AccountServers, connection: Connection<Settings>): Promise<void>
  /**
   * Reads what is new, and goes on until the signal is aborted or nothing is left to do. Returns when the account is due again. Throws
   * `AccountProblem` when the server cannot be read. May begin again at any time after a crash.
   */
  synchronise(run: AccountRun<Settings>): Promise<Micros>
  /** Deletes a part of what came from the account. Returns whether something was left. */
  deletePart(run: AccountRun<Settings>): Promise<boolean>
  /** Applies a changed sharing level to what is computed from the items of the account. */
  applySharing(run: AccountRun<Settings>): Promise<void>
  /** Deletes what the exclusions of the member name now, and prepares to read what they name no longer. */
  applyExclusions(run: AccountRun<Settings>): Promise<void>
}

export const defineAccountKind = <Settings>(kind: AccountKind<Settings>): AccountKind<Settings> => kind
