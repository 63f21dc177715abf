/** What a request sets of a user. A member is undefined when the request says nothing about it. See docs/reference/scim.md (Users). */

import { languageOfEmail } from '#access/accounts/accounts'
import { isObject } from '#base/validation/shapes'
import { immutableAttribute, invalidScimValue } from '#base/errors/protocols'
import type { ScimFilter } from '#api/scim/filter/parse'
import { findProperty, readBoolean, readLine, requireObject } from '#api/scim/json-values'
import { SCIM_LIMITS, type ScimContext } from '#api/scim/scim-context'
import { type AttributePath, parseMemberName, type PatchOperation } from '#api/scim/patch/operations'
import { findMember } from '#access/members/members'
import { invitationEmail, welcomeEmail } from '#crm/email/account-emails'
import type { Email } from '#crm/email/send-email'
import { logError } from '#base/logging/log-error'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'

export interface UserChange {
  /** In lower case. */
  userName?: string
  /** The primary address or that of the type "work". It is used when the request has no `userName`. */
  workAddress?: string
  givenName?: string
  familyName?: string
  /** The name in one piece. It is used when both parts are empty. */
  fullName?: string
  active?: boolean
  role?: ScimRole
  externalId?: string | null
}

/** Reads the body of a POST or a PUT. Throws 400. */
export function readUser(body: Readonly<Record<string, unknown>>): UserChange {
  const change: UserChange = {}
  assignAll(change, body)
  // The addresses of a whole user are derived from its userName.
  delete change.workAddress
  if (change.givenName !== undefined || change.familyName !== undefined) {
    change.givenName ??= ''
    change.familyName ??= ''
  }
  return change
}

/** Reads the operations of a PATCH in their order. Throws 400. */
export function readUserPatch(operations: readonly PatchOperation[]): UserChange {
  const change: UserChange = {}
  for (const { op, path, value } of operations) {
    if (path === undefined) assignAll(change, requireObject(value))
    else if (op === 'remove') remove(change, path)
    else assign(change, path, value)
  }
  return change
}

/** Null says nothing about an attribute. A key may be the path of a sub-attribute, such as `name.givenName`. */
function assignAll(change: UserChange, values: Readonly<Record<string, unknown>>): void {
  const roles: ScimRole[] = []
  for (const [name, value] of Object.entries(values)) {
    const path = value === null ? undefined : parseMemberName(name)
    if (path === undefined) continue
    assign(change, path, value)
    if ((path.attribute === 'roles' || path.attribute === 'approle') && change.role !== undefined)
      roles.push(change.role)
  }
  if (roles.length > 0) change.role = greatestRole(roles)
}

function assign(change: UserChange, path: AttributePath, value: unknown): void {
  switch (path.attribute) {
    case '':
      return assignAll(change, requireObject(value))
    case 'username':
      change.userName = readUserName(value)
      return
    case 'name':
      return assignName(change, path.subAttribute, value)
    case 'displayname':
      change.fullName = readLine('displayName', value ?? '', SCIM_LIMITS.nameLength)
      return
    case 'active':
      change.active = readBoolean('active', value)
      return
    case 'externalid':
      change.externalId = value === null ? null : readLine('externalId', value, SCIM_LIMITS.externalIdLength) || null
      return
    case 'approle':
    case 'roles':
      change.role = readRoles(value, path) ?? change.role
      return
    case 'emails':
      change.workAddress = addressOf(path, value) ?? change.workAddress
      return
    default:
      // All other attributes are accepted and not stored.
      return
  }
}

const NAME_PARTS = { givenname: 'givenName', familyname: 'familyName', formatted: 'fullName' } as const

const isNamePart = (name: string): name is keyof typeof NAME_PARTS => Object.hasOwn(NAME_PARTS, name)

function assignName(change: UserChange, part: string, value: unknown): void {
  if (part === '') {
    if (value === null) return
    for (const name of Object.keys(NAME_PARTS)) {
      const found = findProperty(requireName(value), name)
      if (found !== undefined) assignName(change, name, found)
    }
  } else if (isNamePart(part)) {
    change[NAME_PARTS[part]] = readLine(`name.${NAME_PARTS[part]}`, value ?? '', SCIM_LIMITS.nameLength)
  }
}

function requireName(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw invalidScimValue('"name" must be an object.')
  return value
}

const addressOf = (path: AttributePath, value: unknown): string | undefined => {
  if (path.filter === undefined && path.subAttribute === '') return findWorkAddress(value)
  const namesAddress = path.subAttribute === 'value' || (path.subAttribute === '' && path.filter !== undefined)
  return namesAddress && isOfWorkAddress(path.filter) ? findWorkAddress(value) : undefined
}

function remove(change: UserChange, { attribute, subAttribute, filter }: AttributePath): void {
  switch (attribute) {
    case 'username':
    case 'active':
      throw immutableAttribute(`"${attribute === 'active' ? 'active' : 'userName'}" cannot be removed.`)
    case 'name':
      if (subAttribute !== 'familyname') change.givenName = ''
      if (subAttribute !== 'givenname') change.familyName = ''
      return
    case 'externalid':
      change.externalId = null
      return
    case 'approle':
    case 'roles':
      if (selectsAdmin(filter)) change.role = 'member'
      return
    default:
      return
  }
}

/** Whether a removal of roles concerns the role "admin". Without it, a user is a member. */
function selectsAdmin(filter: ScimFilter | undefined): boolean {
  if (filter?.kind !== 'compare' || filter.attribute !== 'value' || filter.operator !== 'eq') return true
  return String(filter.operand).toLowerCase() === 'admin'
}

/** The address of a user, which is its `userName`. */
const MAX_LENGTH = 320
const ADDRESS = /^[^\s@<>"(),:;\p{Cc}]+@[^\s@<>"(),:;\p{Cc}]+$/u

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_LENGTH && ADDRESS.test(value)

/** Returns the address in lower case. Throws 400 for a text that is none. */
function readUserName(value: unknown): string {
  if (!isAddress(value)) throw invalidScimValue('"userName" must be an email address, because members sign in with it.')
  return value.toLowerCase()
}

/** Returns the primary address, that of the type "work", or the only one, of what a request sends as `emails`. */
function findWorkAddress(value: unknown): string | undefined {
  const emails = Array.isArray(value) ? value : [value]
  const isPrimary = (email: unknown) => String(findProperty(email, 'primary')).toLowerCase() === 'true'
  const isWork = (email: unknown) => String(findProperty(email, 'type')).toLowerCase() === 'work'
  const only = emails.length === 1 ? emails[0] : undefined
  const found = emails.find(isPrimary) ?? emails.find(isWork) ?? only
  const text = typeof found === 'string' ? found : findProperty(found, 'value')
  return isAddress(text) ? text.toLowerCase() : undefined
}

/** Whether a filter of `emails` selects the address of a user, whose type is "work" and which is primary. */
function isOfWorkAddress(filter: ScimFilter | undefined): boolean {
  if (filter === undefined) return true
  if (filter.kind === 'and') return filter.filters.every(isOfWorkAddress)
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return false
  const operand = String(filter.operand).toLowerCase()
  if (filter.attribute === 'type') return operand === 'work'
  return filter.attribute === 'primary' && operand === 'true'
}

interface Names {
  readonly givenName: string
  readonly familyName: string
}

/** Makes both parts of a name from the name in one piece when both are empty. The last space separates them. */
export function splitFullName<T extends UserChange>(change: T, present: Names = { givenName: '', familyName: '' }): T {
  const { givenName = present.givenName, familyName = present.familyName } = change
  const fullName = change.fullName?.trim() ?? ''
  if (givenName !== '' || familyName !== '' || fullName === '') return change
  const space = fullName.lastIndexOf(' ')
  return space === -1
    ? { ...change, givenName: fullName }
    : { ...change, givenName: fullName.slice(0, space).trimEnd(), familyName: fullName.slice(space + 1) }
}

// The emails to people whom an identity provider adds. An email that cannot be sent does not fail the request.

/** Without a mail server, an admin renews the invitation at the console and gets its link. */
export async function sendInvitation(context: ScimContext, emailAddress: string, token: string): Promise<void> {
  const { appContext, db, workspaceId, memberId } = context
  const inviter = await findMember(db, workspaceId, memberId)
  const invited = {
    email_address: emailAddress,
    workspace_name: await nameOfWorkspace(context),
    inviter: `${inviter?.first_name ?? ''} ${inviter?.last_name ?? ''}`.trim(),
  }
  const language = await languageOfEmail(db, emailAddress, inviter?.email_address ?? emailAddress)
  await send(context, invitationEmail(appContext.settings, invited, token, language))
}

export async function sendWelcome(context: ScimContext, emailAddress: string): Promise<void> {
  const { appContext, db } = context
  const [name, language] = await Promise.all([nameOfWorkspace(context), languageOfEmail(db, emailAddress)])
  await send(context, welcomeEmail(appContext.settings, emailAddress, name, language))
}

async function nameOfWorkspace({ db, workspaceId }: ScimContext): Promise<string> {
  const workspace = await controlQueriesIn(db.sql)
    .selectFrom('relata.workspaces')
    .select('name')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return workspace.name
}

async function send({ appContext }: ScimContext, email: Email): Promise<void> {
  await appContext.mail
    .send(email)
    .catch((error: unknown) => logError('The email to a person whom an identity provider added was not sent.', error))
}

/** The role of a user, which identity providers write as `appRole` or as `roles`, in several forms. */
export type ScimRole = 'admin' | 'member'

const greatestRole = (roles: readonly ScimRole[]): ScimRole => (roles.includes('admin') ? 'admin' : 'member')

/** Returns undefined for a value without a role, such as an empty array. A role with another name is "member". */
function readRoles(value: unknown, { subAttribute }: Pick<AttributePath, 'subAttribute'>): ScimRole | undefined {
  // `roles[primary eq "True"].display` names no role.
  if (subAttribute !== '' && subAttribute !== 'value') return undefined
  const roles = (Array.isArray(value) ? value : [value]).map(readRole).filter((role) => role !== undefined)
  return roles.length === 0 ? undefined : greatestRole(roles)
}

function readRole(value: unknown): ScimRole | undefined {
  const text = typeof value === 'string' ? value : findProperty(value, 'value')
  if (typeof text !== 'string' || text.trim() === '') return undefined
  return namedRole(text).trim().toLowerCase() === 'admin' ? 'admin' : 'member'
}

/** One provider sends a role as JSON in a text. */
function namedRole(text: string): string {
  if (!text.startsWith('{') || text.length > SCIM_LIMITS.roleLength) return text.slice(0, SCIM_LIMITS.roleLength)
  try {
    const value = findProperty(JSON.parse(text), 'value')
    return typeof value === 'string' ? value : ''
  } catch {
    return ''
  }
}
