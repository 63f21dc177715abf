/** What a request sets of a group. See docs/reference/scim.md (Groups). */

import { isObject } from '#base/validation/shapes'
import { MAX_TEAM_NAME } from '#access/teams/teams'
import { invalidPath, invalidScimValue } from '#base/errors/protocols/scim'
import { readLine } from '#api/scim/json-values'
import { MAX_EXTERNAL_ID } from '#api/scim/limits'
import { type AttributePath, parseMemberName, type PatchOperation } from '#api/scim/patch/operations'
import { idsOfFilter, readMemberIds } from './members'

/** One step of a change, in the order of the request. */
export type GroupStep =
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'set external id'; readonly externalId: string | null }
  | { readonly kind: 'add' | 'remove' | 'replace'; readonly ids: readonly string[] }
  | { readonly kind: 'remove all' }

/** Reads the body of a POST or a PUT. Without `members`, the members do not change. Throws 400. */
export const readGroup = (body: Readonly<Record<string, unknown>>): GroupStep[] => stepsOfObject(body, 'replace')

/** Reads the operations of a PATCH in their order. Throws 400. */
export const readGroupPatch = (operations: readonly PatchOperation[]): GroupStep[] =>
  operations.flatMap(({ op, path, value }) => {
    if (path === undefined) return stepsOfObject(requireObject(value), op === 'add' ? 'add' : 'replace')
    return op === 'remove' ? stepsOfRemoval(path, value) : stepsOfAssignment(path, value, op)
  })

function requireObject(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw invalidScimValue('An operation without a path needs an object as its value.')
  return value
}

function stepsOfObject(values: Readonly<Record<string, unknown>>, op: 'add' | 'replace'): GroupStep[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = parseMemberName(name)
    // Null says nothing about a name; as members it is refused, because it could be a mistake.
    const isSet = path !== undefined && (value !== null || path.attribute === 'members')
    return isSet ? stepsOfAssignment(path, value, op) : []
  })
}

function stepsOfAssignment(path: AttributePath, value: unknown, op: 'add' | 'replace'): GroupStep[] {
  switch (path.attribute) {
    case '':
      return stepsOfObject(requireObject(value), op)
    case 'displayname':
      return [{ kind: 'rename', name: readName(value) }]
    case 'externalid':
      return [
        {
          kind: 'set external id',
          externalId: value === null ? null : readLine('externalId', value, MAX_EXTERNAL_ID) || null,
        },
      ]
    case 'members':
      // Only a removal can name single members in its path.
      if (path.filter !== undefined || path.subAttribute !== '') throw invalidPath('members[…]')
      return [{ kind: op, ids: readMemberIds(value) }]
    default:
      return []
  }
}

function stepsOfRemoval({ attribute, filter, subAttribute }: AttributePath, value: unknown): GroupStep[] {
  if (attribute === 'displayname') throw invalidScimValue('A group needs a "displayName".')
  if (attribute === 'externalid') return [{ kind: 'set external id', externalId: null }]
  if (attribute !== 'members') return []
  if (subAttribute !== '') throw invalidPath(`members.${subAttribute}`)
  if (filter !== undefined) return [{ kind: 'remove', ids: idsOfFilter(filter) }]
  return value === undefined ? [{ kind: 'remove all' }] : [{ kind: 'remove', ids: readMemberIds(value) }]
}

function readName(value: unknown): string {
  const name = readLine('displayName', value, MAX_TEAM_NAME).trim()
  if (name === '') throw invalidScimValue('"displayName" must not be empty.')
  return name
}
