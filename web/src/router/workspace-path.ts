/**
 * The workspace in a path: `/acme/objects/people` is the page `/objects/people` of the workspace `acme`. Screens and links name pages
 * without it; the router adds it, so that every address says which workspace it is of.
 */

/** The first parts of the pages of a workspace. A workspace with such a slug is named by its id. */
const ROOTS: ReadonlySet<string> = new Set([
  'home',
  'objects',
  'activities',
  'lists',
  'notes',
  'tasks',
  'meetings',
  'inbox',
  'dashboards',
  'sql',
  'webhooks',
  'settings',
])

export interface WorkspacePath {
  /** The slug or id in the path. Undefined for a path without one, and for pages of no workspace. */
  readonly workspace: string | undefined
  /** The path of the page within the workspace. */
  readonly path: string
}

export function splitPath(pathname: string): WorkspacePath {
  const [, first = '', second = '', third = '', ...rest] = pathname.split('/')
  // The `web_url` of a record, whose object may have the name of a page.
  const isRecordUrl = third === 'record' && rest.length === 1 && second !== 'objects'
  if (first === '' || ROOTS.has(first) || !ROOTS.has(second) || isRecordUrl)
    return { workspace: undefined, path: pathname }
  return { workspace: decoded(first), path: pathname.slice(first.length + 1) }
}

/** A part that is not percent-encoded well names no workspace, so it stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The path of a page in a workspace. Other paths, and those that name a workspace, stay as they are. */
export function inWorkspace(pathname: string, workspace: string | undefined): string {
  const [, first = ''] = pathname.split('/')
  return workspace === undefined || !ROOTS.has(first) ? pathname : `/${encodeURIComponent(workspace)}${pathname}`
}

/** How paths name a workspace. */
export const nameInPaths = ({ id, slug }: { readonly id: string; readonly slug: string }): string =>
  ROOTS.has(slug) ? id : slug
