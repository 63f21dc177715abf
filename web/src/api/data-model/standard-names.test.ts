import { expect, test } from 'bun:test'
import { attributesOfSchema, SYSTEM_ACTIVITIES } from '#engine/workspaces/activity-schemas'
import {
  CREATION_ATTRIBUTES,
  entrySystemAttributes,
  RECORD_ID_ATTRIBUTE,
  STANDARD_OBJECTS,
} from '#engine/workspaces/standard-objects'
import { ACTIVITY_SCHEMA_SLUGS } from '#vocabulary/data-model'
import { standardWords } from './standard-names'

/** Names that are the same in all languages. */
const SAME = [
  'AngelList',
  'Deal',
  'Deals',
  'Domains',
  'Facebook',
  'ID',
  'Instagram',
  'LinkedIn',
  'Name',
  'Team',
  'Twitter',
  'Workspace',
  'Workspaces',
]

test('all names that the service gives are shown in the language of the page', () => {
  const attributes = [
    ...STANDARD_OBJECTS.flatMap((object) => object.attributes),
    ...ACTIVITY_SCHEMA_SLUGS.flatMap(attributesOfSchema),
    ...SYSTEM_ACTIVITIES.flatMap(({ mirrored_by }) => Object.values(mirrored_by)),
    RECORD_ID_ATTRIBUTE,
    ...CREATION_ATTRIBUTES,
    ...entrySystemAttributes([]),
  ]
  const nouns = [...STANDARD_OBJECTS, ...SYSTEM_ACTIVITIES].flatMap((type) => [type.singular_noun, type.plural_noun])
  const names = new Set([...nouns, ...attributes.map(({ title }) => title)])
  expect([...names].filter((name) => standardWords(name) === '').toSorted()).toEqual(SAME)
})
