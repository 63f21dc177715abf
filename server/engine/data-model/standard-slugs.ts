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
 * The objects whose attributes the service itself matches and fills in. They have no unique attributes, statuses and default
 * values of a workspace. See docs/reference/objects-and-attributes.md (People, Companies).
 */
export const RESTRICTED_OBJECTS: readonly string[] = ['people', 'companies']
