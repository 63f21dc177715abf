/** What a request sets of a user. A member is undefined when the request says nothing about it. See docs/reference/scim.md (Users). */

import { immutableAttribute, invalidScimValue } from '#base/errors/protocols/scim'
import type { Filter } from '#api/scim/filter/filter'
import { findProperty, isObject, readBoolean, readLine } from '#api/scim/json-values'
import { MAX_EXTERNAL_ID, MAX_NAME } from '#api/scim/limits'
import type { PatchOperation } from '#api/scim/patch/operations'
import { type AttributePath, parseMemberName } from '#api/scim/patch/path'
import { findWorkAddress, isOfWorkAddress, readUserName } from './addresses'
import { greatestRole, readRoles, type Role } from './roles'

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
  role?: Role
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

function requireObject(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw invalidScimValue('An operation without a path needs an object as its value.')
  return value
}

/** Null says nothing about an attribute. A key may be the path of a sub-attribute, such as `name.givenName`. */
function assignAll(change: UserChange, values: Readonly<Record<string, unknown>>): void {
  const roles: Role[] = []
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
      change.fullName = readLine('displayName', value ?? '', MAX_NAME)
      return
    case 'active':
      change.active = readBoolean('active', value)
      return
    case 'externalid':
      change.externalId = value === null ? null : readLine('externalId', value, MAX_EXTERNAL_ID) || null
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
    change[NAME_PARTS[part]] = readLine(`name.${NAME_PARTS[part]}`, value ?? '', MAX_NAME)
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
function selectsAdmin(filter: Filter | undefined): boolean {
  if (filter?.kind !== 'compare' || filter.attribute !== 'value' || filter.operator !== 'eq') return true
  return String(filter.operand).toLowerCase() === 'admin'
}
