/** Shortens resources for assistants. See docs/reference/assistants.md (Answers). */

type Resource = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The resource without null members, with its own id in place of the object of ids. */
export function flatten(resource: Resource): Record<string, unknown> {
  const { id, ...members } = resource
  return { ...(id === undefined ? {} : { id: ownId(id) }), ...withoutNulls(members) }
}

/** The last member is the id of the resource itself; those before it are of the workspace and of what it belongs to. */
const ownId = (id: unknown): unknown => (isObject(id) ? Object.values(id).at(-1) : id)

export const withoutNulls = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(Object.entries(resource).filter(([, value]) => value !== null && !isEmptyArray(value)))

const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0
