/** The operations on users as the routes call them. See docs/reference/scim.md (Users). */

import { avatarUrl } from '#access/members/pictures'
import { isUuid } from '#vocabulary/uuids'
import type { AppContext } from '#context'
import {
  immutableAttribute,
  invalidScimValue,
  onlyAdminRemains,
  scimResourceNotFound,
  userExists,
} from '#base/errors/protocols'
import type { ScimInput, ScimOutput } from '#api/http/scim/scim-endpoint'
import {
  conditionOf,
  isShown,
  project,
  type Projection,
  readProjection,
  renderScimList,
  type ScimListQuery,
  scimPageOf,
} from '#api/scim/lists/list-query'
import { readOperations } from '#api/scim/patch/operations'
import { inTransaction, scimAuditActorOf, scimContext, type ScimContext, urlOfResource } from '#api/scim/scim-context'
import {
  findMemberOfAccount,
  findUser,
  findUserByName,
  listTeamsOfUser,
  listUserRows,
  type RenderedTeam,
  renderUser,
  updateAccountAddress,
  updateInvitation,
  updateProviderFields,
  type UserRow,
} from './store'
import {
  readUser,
  readUserPatch,
  sendWelcome,
  splitFullName,
  type UserChange,
  sendInvitation,
  type ScimRole,
} from './user-change'
import { sql } from 'kysely'
import { compileIdComparison, type FilterAttributes, userIdOf } from '#api/scim/filter/compile'
import type { Transaction } from '#db/connect'
import {
  lockMembers,
  insertMember,
  requireFreeSeat,
  requireSeat,
  isOnlyAdmin,
  linkAccount,
  updateMember,
} from '#access/members/members'
import { timestampFromMicros } from '#base/timing/clock'
import { audit } from '#access/audit-log/audit'
import { removeInvitation, createInvitation } from '#access/members/invitations'
import { areOnVerifiedDomains } from '#access/domains/domains'
import { notifyModelChange } from '#engine/data-model/change-model'
import { createAccountWithoutPassword, findAccountByEmail } from '#access/accounts/accounts'

export async function listUsers(appContext: AppContext, input: ScimInput, query: ScimListQuery): Promise<ScimOutput> {
  const context = scimContext(appContext, input)
  const condition = conditionOf(query, userAttributes(context.workspaceId))
  const { total, rows } = await listUserRows(context.db.sql, context, condition, scimPageOf(query))
  const resources = rows.map((row) => project(render(appContext, row), query.projection))
  return { status: 200, body: renderScimList(query.startIndex, total, resources) }
}

export async function getUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const { params, query } = input
  const context = scimContext(appContext, input)
  const { sql } = context.db
  const user = isUuid(params.id) ? await findUser(sql, context, params.id) : undefined
  if (user === undefined) throw scimResourceNotFound('User', params.id)
  const projection = readProjection(query)
  const showsTeams = isShown(projection, 'groups')
  const teams = showsTeams ? await listTeamsOfUser(sql, context.workspaceId, user.id) : undefined
  return answer(appContext, user, projection, teams)
}

export async function postUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const user = await createUser(scimContext(appContext, input), readUser(input.body))
  return { ...answer(appContext, user, readProjection(input.query)), status: 201 }
}

export async function putUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const change = readUser(input.body)
  const user = await updateUser(scimContext(appContext, input), input.params.id, change)
  return answerChanged(appContext, user, input)
}

export async function patchUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const change = readUserPatch(readOperations(input.body))
  const user = await updateUser(scimContext(appContext, input), input.params.id, change)
  return answerChanged(appContext, user, input)
}

export async function removeUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  await deleteUser(scimContext(appContext, input), input.params.id)
  return { status: 204 }
}

const answerChanged = (appContext: AppContext, user: UserRow | undefined, { query }: ScimInput): ScimOutput =>
  user === undefined ? { status: 204 } : answer(appContext, user, readProjection(query))

function answer(
  appContext: AppContext,
  user: UserRow,
  projection: Projection,
  teams?: readonly RenderedTeam[],
): ScimOutput {
  return {
    status: 200,
    body: project(render(appContext, user, teams), projection),
    location: locationOf(appContext, user),
  }
}

const render = (appContext: AppContext, user: UserRow, teams?: readonly RenderedTeam[]) => {
  const avatar_url = avatarUrl(appContext.settings.appUrl, user.avatar_url)
  return renderUser({ ...user, avatar_url }, locationOf(appContext, user), teams)
}

const locationOf = (appContext: AppContext, { id }: UserRow): string => urlOfResource(appContext, 'Users', id)

/** The attributes of users that filters can name. See docs/reference/scim.md (Filters). */
const userAttributes = (workspaceId: string): FilterAttributes => ({
  username: { kind: 'folded text', column: sql`u.user_name` },
  emails: { kind: 'same as', name: 'username' },
  'emails.value': { kind: 'same as', name: 'username' },
  'emails.type': { kind: 'folded text', column: sql`'work'::text` },
  'emails.primary': { kind: 'boolean', column: sql`true` },
  id: {
    kind: 'own',
    compile: (operator, operand) =>
      compileIdComparison(sql`u.id`, operator, operand, (id) => userIdOf(workspaceId, id)),
  },
  externalid: { kind: 'exact text', column: sql`u.external_id` },
  'name.givenname': { kind: 'folded text', column: sql`lower(u.first_name)` },
  'name.familyname': { kind: 'folded text', column: sql`lower(u.last_name)` },
  active: { kind: 'boolean', column: sql`(u.access_level <> 'suspended')` },
  'meta.created': { kind: 'time', column: sql`u.created_at` },
  'meta.lastmodified': { kind: 'time', column: sql`u.updated_at` },
})

// Updates and deletes users. See docs/reference/scim.md (Life cycle).

/** Returns undefined when the change withdraws an invitation. Throws 400, 404 and 409. */
async function updateUser(context: ScimContext, id: string, change: UserChange): Promise<UserRow | undefined> {
  const { after, isWelcome } = await inTransaction(context, async (tx) => {
    const before = await getLockedUser(tx, context, id)
    if (before.kind === 'invitation') {
      if (change.active === false) {
        await withdrawInvitation(tx, context, before)
        return { after: undefined, isWelcome: false }
      }
      await changeInvitation(tx, context, before, change)
      return { after: await getUserIn(tx, context, id), isWelcome: false }
    }
    const changed = await changeMember(tx, context, before, change)
    return { after: await getUserIn(tx, context, id), ...changed }
  })
  if (isWelcome && after !== undefined) await sendWelcome(context, after.user_name)
  return after
}

/** Withdraws an invitation. Suspends a member, whom lists of users leave out from then on. Throws 400 and 404. */
async function deleteUser(context: ScimContext, id: string): Promise<void> {
  await inTransaction(context, async (tx) => {
    const before = await getLockedUser(tx, context, id)
    if (before.kind === 'invitation') return withdrawInvitation(tx, context, before)
    if (before.is_deleted) return
    await changeMember(tx, context, before, { active: false })
    const at = timestampFromMicros(context.now())
    await updateProviderFields(tx, context.workspaceId, before.id, { user_deleted_at: at, updated_at: at })
  })
}

async function getLockedUser(tx: Transaction, context: ScimContext, id: string): Promise<UserRow> {
  await lockMembers(tx, context.workspaceId)
  return getUserIn(tx, context, id)
}

async function getUserIn(tx: Transaction, context: ScimContext, id: string): Promise<UserRow> {
  const user = isUuid(id) ? await findUser(tx, context, id) : undefined
  if (user === undefined) throw scimResourceNotFound('User', id)
  return user
}

// Changes or withdraws an invitation that is not accepted yet.

/** Writes nothing when nothing changes. Throws 400 for another address, because the email went to this one. */
async function changeInvitation(
  tx: Transaction,
  { workspaceId, now }: ScimContext,
  before: UserRow,
  change: UserChange,
): Promise<void> {
  const userName = change.userName ?? change.workAddress ?? before.user_name
  if (userName !== before.user_name)
    throw immutableAttribute('"userName" of an invited user does not change before the invitation is accepted.')
  const named = splitFullName(change, { givenName: before.first_name, familyName: before.last_name })
  const after = {
    first_name: named.givenName ?? before.first_name,
    last_name: named.familyName ?? before.last_name,
    external_id: change.externalId === undefined ? before.external_id : change.externalId,
    access_level: change.role ?? (before.access_level === 'admin' ? ('admin' as const) : ('member' as const)),
  }
  const isSame = Object.entries(after).every(([name, value]) => Reflect.get(before, name) === value)
  if (!isSame) await updateInvitation(tx, workspaceId, { ...after, id: before.id }, now())
}

async function withdrawInvitation(tx: Transaction, context: ScimContext, { id, user_name }: UserRow) {
  await removeInvitation(tx, context.workspaceId, id)
  await audit(tx, {
    ...(await scimAuditActorOf(tx, context)),
    workspaceId: context.workspaceId,
    action: 'invitation.deleted',
    subject: { type: 'invitation', id, name: user_name },
    now: context.now(),
  })
}

// Creates a user: a member when the address is on a verified domain, otherwise an invitation.
// See docs/reference/scim.md (Life cycle).

interface Created {
  readonly user: UserRow
  /** Undefined when no email is to be sent. The token is that of an invitation. */
  readonly email?: { readonly kind: 'welcome' } | { readonly kind: 'invitation'; readonly token: string }
}

/** Throws 400, 403 without a free seat, and 409 when the address has a user. */
async function createUser(context: ScimContext, input: UserChange): Promise<UserRow> {
  const { userName } = input
  if (userName === undefined) throw invalidScimValue('"userName" is required.')
  const user = { ...splitFullName(input), userName }
  const { user: created, email } = await inTransaction(context, (tx) => createIn(tx, context, user))
  if (email?.kind === 'welcome') await sendWelcome(context, userName)
  if (email?.kind === 'invitation') await sendInvitation(context, userName, email.token)
  return created
}

type NewUser = UserChange & { readonly userName: string }

async function createIn(tx: Transaction, context: ScimContext, input: NewUser): Promise<Created> {
  const { workspaceId } = context
  const { userName } = input
  await lockMembers(tx, workspaceId)
  const existing = await findUserByName(tx, context, userName)
  // A deleted user does not conflict with a new one. RFC 7644, 3.6.
  if (existing?.is_deleted) return restore(tx, context, existing, input)
  if (existing !== undefined) throw userExists(userName)
  const isVerified = await areOnVerifiedDomains(tx, workspaceId, [userName])
  if (isVerified) return input.active === false ? createSuspended(tx, context, input) : createActive(tx, context, input)
  if (input.active === false)
    throw invalidScimValue('A user with "active" false can be created only on a verified domain.')
  return invite(tx, context, input)
}

async function restore(tx: Transaction, context: ScimContext, existing: UserRow, input: NewUser): Promise<Created> {
  await changeMember(tx, context, existing, { ...input, active: input.active ?? true, role: input.role ?? 'member' })
  await updateProviderFields(tx, context.workspaceId, existing.id, { user_deleted_at: null })
  return { user: await read(tx, context, input.userName) }
}

async function createActive(tx: Transaction, context: ScimContext, input: NewUser): Promise<Created> {
  const account_id = await accountFor(tx, context, input.userName)
  await createMember(tx, context, input, { account_id, access_level: input.role ?? 'member' })
  await requireSeat(tx, context.workspaceId, context.appContext.settings.memberQuota)
  return { user: await read(tx, context, input.userName), email: { kind: 'welcome' } }
}

/** A suspended member gets an account with the activation, which also causes the change event. */
async function createSuspended(tx: Transaction, context: ScimContext, input: NewUser): Promise<Created> {
  await createMember(tx, context, input, { account_id: null, access_level: 'suspended' })
  return { user: await read(tx, context, input.userName) }
}

async function createMember(
  tx: Transaction,
  context: ScimContext,
  input: NewUser,
  access: { readonly account_id: string | null; readonly access_level: 'admin' | 'member' | 'suspended' },
): Promise<void> {
  const { workspaceId, now } = context
  const { userName: email_address, givenName: first_name = '', familyName: last_name = '' } = input
  const id = await insertMember(tx, workspaceId, { first_name, last_name, email_address, ...access }, now())
  const isSuspended = access.access_level === 'suspended'
  await updateProviderFields(tx, workspaceId, id, {
    external_id: input.externalId ?? null,
    ...(isSuspended ? { former_access_level: input.role ?? 'member' } : {}),
  })
  await notifyModelChange(tx, workspaceId)
  await audit(tx, {
    ...(await scimAuditActorOf(tx, context)),
    workspaceId,
    action: 'member.created',
    subject: { type: 'workspace-member', id, name: email_address },
    details: { access_level: access.access_level },
    now: now(),
  })
}

async function invite(tx: Transaction, context: ScimContext, input: NewUser): Promise<Created> {
  const { workspaceId, memberId, now, appContext } = context
  const { userName: email_address, role = 'member' } = input
  await requireFreeSeat(tx, workspaceId, appContext.settings.memberQuota)
  const { id, token } = await createInvitation(
    tx,
    {
      workspaceId,
      email_address,
      access_level: role,
      invitedBy: memberId,
      first_name: input.givenName ?? '',
      last_name: input.familyName ?? '',
      external_id: input.externalId ?? null,
    },
    now(),
  )
  await audit(tx, {
    ...(await scimAuditActorOf(tx, context)),
    workspaceId,
    action: 'invitation.created',
    subject: { type: 'invitation', id, name: email_address },
    details: { access_level: role },
    now: now(),
  })
  return { user: await read(tx, context, email_address), email: { kind: 'invitation', token } }
}

async function read(tx: Transaction, context: ScimContext, userName: string): Promise<UserRow> {
  const user = await findUserByName(tx, context, userName)
  if (user === undefined) throw new Error(`The user ${userName} is missing.`)
  return user
}

// Changes a member: names, address, role, and whether the member is active.

/** The attributes of a member that SCIM changes. */
type State = Pick<UserRow, 'user_name' | 'first_name' | 'last_name' | 'access_level' | 'external_id'> & {
  readonly role: ScimRole
}

/**
 * Returns whether the member got access with a new account. Writes nothing when nothing changes. Throws 400, 403 for an activation
 * without a free seat, and 409.
 */
async function changeMember(
  tx: Transaction,
  context: ScimContext,
  before: UserRow,
  change: UserChange,
): Promise<{ isWelcome: boolean }> {
  const { workspaceId } = context
  const after = stateAfter(before, change)
  if (after.access_level !== 'admin' && (await isOnlyAdmin(tx, workspaceId, before))) throw onlyAdminRemains()
  if (after.user_name !== before.user_name) await changeAddress(tx, context, before, after.user_name)
  const differences = differencesOf(before, after)
  const isActivated = before.access_level === 'suspended' && after.access_level !== 'suspended'
  const account_id = isActivated ? await accountOfActivated(tx, context, before, after) : null
  if (isActivated || Object.keys(differences).length > 0) await store(tx, context, before, after)
  if (account_id !== null) {
    const member = { ...after, email_address: after.user_name, account_id }
    await linkAccount(tx, workspaceId, before.id, member, context.now())
  }
  if (isActivated) await requireSeat(tx, workspaceId, context.appContext.settings.memberQuota)
  await storeProviderFields(tx, context, before, after)
  if (Object.keys(differences).length > 0) await auditChange(tx, context, before, differences)
  return { isWelcome: account_id !== null }
}

function stateAfter(before: UserRow, change: UserChange): State {
  const held = before.access_level === 'suspended' ? (before.former_access_level ?? 'member') : before.access_level
  const role = change.role ?? held
  const isActive = change.active ?? before.access_level !== 'suspended'
  const named = splitFullName(change, { givenName: before.first_name, familyName: before.last_name })
  return {
    user_name: change.userName ?? change.workAddress ?? before.user_name,
    first_name: named.givenName ?? before.first_name,
    last_name: named.familyName ?? before.last_name,
    access_level: isActive ? role : 'suspended',
    external_id: change.externalId === undefined ? before.external_id : change.externalId,
    role,
  }
}

const AUDITED = ['user_name', 'first_name', 'last_name', 'access_level'] as const

/** Returns the old and the new value of each changed attribute. */
const differencesOf = (before: UserRow, after: State) =>
  Object.fromEntries(
    AUDITED.filter((name) => before[name] !== after[name]).map((name) => [
      name,
      { before: before[name], after: after[name] },
    ]),
  )

/** The old and the new address must be on verified domains, so that no workspace takes over the account of a stranger. */
async function changeAddress(tx: Transaction, context: ScimContext, before: UserRow, userName: string): Promise<void> {
  const { workspaceId } = context
  if (!(await areOnVerifiedDomains(tx, workspaceId, [before.user_name, userName])))
    throw immutableAttribute('"userName" changes only from one address on a verified domain to another.')
  if ((await findUserByName(tx, context, userName)) !== undefined) throw userExists(userName)
  const isFree = before.account_id === null || (await updateAccountAddress(tx, before.account_id, userName))
  if (!isFree) throw userExists(userName)
  await updateProviderFields(tx, workspaceId, before.id, { email_address: userName })
}

/** A member without an account gets one with the activation when the address is on a verified domain. */
async function accountOfActivated(
  tx: Transaction,
  context: ScimContext,
  before: UserRow,
  { user_name }: State,
): Promise<string | null> {
  if (before.account_id !== null || !(await areOnVerifiedDomains(tx, context.workspaceId, [user_name]))) return null
  return accountFor(tx, context, user_name)
}

async function store(tx: Transaction, { workspaceId, now }: ScimContext, before: UserRow, after: State): Promise<void> {
  await updateMember(tx, workspaceId, { ...before, email_address: before.user_name }, after, now())
  await notifyModelChange(tx, workspaceId)
}

async function storeProviderFields(
  tx: Transaction,
  { workspaceId, now }: ScimContext,
  before: UserRow,
  after: State,
): Promise<void> {
  const former_access_level = after.access_level === 'suspended' ? after.role : before.former_access_level
  if (after.external_id === before.external_id && former_access_level === before.former_access_level) return
  const { external_id } = after
  const updated_at = timestampFromMicros(now())
  await updateProviderFields(tx, workspaceId, before.id, { external_id, former_access_level, updated_at })
}

const auditChange = async (
  tx: Transaction,
  context: ScimContext,
  before: UserRow,
  details: Readonly<Record<string, unknown>>,
) =>
  audit(tx, {
    ...(await scimAuditActorOf(tx, context)),
    workspaceId: context.workspaceId,
    action: 'member.updated',
    subject: { type: 'workspace-member', id: before.id, name: before.user_name },
    details,
    now: context.now(),
  })

/** Returns the account with the address, which may be a new one. Throws 409 when it is a member under another address. */
async function accountFor(
  tx: Transaction,
  { workspaceId, now }: Pick<ScimContext, 'workspaceId' | 'now'>,
  userName: string,
): Promise<string> {
  const existing = await findAccountByEmail({ sql: tx }, userName)
  if (existing === undefined) return (await createAccountWithoutPassword({ sql: tx }, userName, now())).id
  if ((await findMemberOfAccount(tx, workspaceId, existing)) !== undefined) throw userExists(userName)
  return existing
}
