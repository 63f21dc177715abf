/** Names schemas and tables. The names contain numbers, because slugs change. */

import type { Attribute, DataModel, EntityType, ObjectType } from './model'

export const workspaceSchemaName = (number: number): string => `w_${number}`

/** The name of the table of an entity type's entities. */
export const entityTableName = ({ kind, number }: Pick<EntityType, 'kind' | 'number'>): string =>
  `${TABLE_PREFIXES[kind]}_${number}`

const TABLE_PREFIXES = { object: 'o', list: 'l', activity: 'a' } as const satisfies Record<EntityType['kind'], string>

/** The table's name, qualified and quoted for SQL. */
export const qualifiedTableName = (workspaceNumber: number, entityType: Pick<EntityType, 'kind' | 'number'>): string =>
  `"${workspaceSchemaName(workspaceNumber)}"."${entityTableName(entityType)}"`

/** The name of the function that computes a formula, qualified and quoted for SQL. */
export const formulaFunctionName = (
  workspaceNumber: number,
  entityType: Pick<EntityType, 'kind' | 'number'>,
  { number }: Pick<Attribute, 'number'>,
): string => `"${workspaceSchemaName(workspaceNumber)}"."${entityTableName(entityType)}_formula_${number}"`

/** The page of a record in the console. See docs/reference/records.md (The form of a record). */
const SEGMENTS: Readonly<Record<string, string>> = { people: 'person', companies: 'company', deals: 'deals/record' }

export const recordUrl = (appUrl: string, { workspace }: DataModel, object: ObjectType, recordId: string): string =>
  `${appUrl}/${workspace.slug}/${SEGMENTS[object.standard_slug ?? ''] ?? `${object.api_slug}/record`}/${recordId}`

/** The slugs that clients may choose. See docs/reference/objects-and-attributes.md (Slugs). */

/** Snake case, with hyphens allowed. A slug must not look like a UUID. */
export const SLUG_PATTERN = '^(?![0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$)[a-z][a-z0-9_-]{0,62}$'

/** Rules of the standard objects, by their standard slugs. */

/**
 * Aliases of the standard objects, which older clients use in paths and in `allowed_objects`.
 * See docs/reference/objects-and-attributes.md (Standard objects).
 */
export const OBJECT_ALIASES: ReadonlyMap<string, string> = new Map([
  ['person', 'people'],
  ['company', 'companies'],
  ['deal', 'deals'],
  ['user', 'users'],
  ['workspace', 'workspaces'],
])

/** The attribute by whose values clients name a record, in a bare reference and in the rows of a file. */
export const KEY_ATTRIBUTE_SLUGS: Readonly<Record<string, string>> = {
  companies: 'domains',
  people: 'email_addresses',
  users: 'user_id',
  workspaces: 'workspace_id',
}

/**
 * The objects whose attributes the service itself matches and fills in. They have no statuses and no default values
 * of a workspace. See docs/reference/objects-and-attributes.md (People, Companies).
 */
export const RESTRICTED_OBJECTS: readonly string[] = ['people', 'companies']
