/** The schemas of users and groups. RFC 7643, 7. */

import { GROUP_SCHEMA } from '#api/scim/groups/read-groups'
import { USER_SCHEMA } from '#api/scim/users/render'

type Mutability = 'readOnly' | 'readWrite'

interface AttributeOptions {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference'
  readonly multiValued?: boolean
  readonly required?: boolean
  readonly caseExact?: boolean
  readonly mutability?: Mutability
  readonly uniqueness?: 'none' | 'server'
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly object[]
}

const attribute = (name: string, description: string, options: AttributeOptions = {}) => ({
  name,
  description,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
})

const readOnly = { mutability: 'readOnly' } as const

export interface Schema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly object[]
}

const USER: Schema = {
  id: USER_SCHEMA,
  name: 'User',
  description: 'A member of the workspace, or an invited person',
  attributes: [
    attribute('userName', 'The email address with which the user signs in', { required: true, uniqueness: 'server' }),
    attribute('name', 'The name of the user', {
      type: 'complex',
      subAttributes: [attribute('givenName', 'The first name'), attribute('familyName', 'The last name')],
    }),
    attribute('emails', 'The email address, which is the userName', {
      type: 'complex',
      multiValued: true,
      ...readOnly,
      subAttributes: [
        attribute('value', 'The address', readOnly),
        attribute('primary', 'Always true', { type: 'boolean', ...readOnly }),
        attribute('type', 'Always "work"', readOnly),
      ],
    }),
    attribute('active', 'Whether the user has access to the workspace', { type: 'boolean' }),
    attribute('appRole', 'The role in the workspace', { canonicalValues: ['admin', 'member'] }),
    attribute('roles', 'The same role as a list', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The role', { canonicalValues: ['admin', 'member'] }),
        attribute('primary', 'Always true', { type: 'boolean' }),
      ],
    }),
    attribute('profileUrl', 'The URL of a picture', { type: 'reference', referenceTypes: ['external'], ...readOnly }),
    attribute('groups', 'The groups of the user', {
      type: 'complex',
      multiValued: true,
      ...readOnly,
      subAttributes: [
        attribute('value', 'The id of the group', { caseExact: true, ...readOnly }),
        attribute('display', 'The name of the group', readOnly),
        attribute('$ref', 'The URL of the group', { type: 'reference', referenceTypes: ['Group'], ...readOnly }),
      ],
    }),
  ],
}

const GROUP: Schema = {
  id: GROUP_SCHEMA,
  name: 'Group',
  description: 'A team of the workspace',
  attributes: [
    attribute('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
    attribute('members', 'The users of the group', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the user', { caseExact: true }),
        attribute('$ref', 'The URL of the user', { type: 'reference', referenceTypes: ['User'], ...readOnly }),
        attribute('display', 'The name of the user', readOnly),
      ],
    }),
  ],
}

export const SCHEMAS: readonly Schema[] = [USER, GROUP]
