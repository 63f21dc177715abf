import { workspaceSlugTaken } from '#base/errors/access'

const UNIQUE_VIOLATION = '23505'

/** Turns PostgreSQL's unique violation of a slug into an error of the API. */
export const asSlugTaken =
  (slug: string) =>
  (error: unknown): never => {
    const isTaken =
      error instanceof Error &&
      'code' in error &&
      error.code === UNIQUE_VIOLATION &&
      'constraint_name' in error &&
      error.constraint_name === 'workspaces_slug_key'
    throw isTaken ? workspaceSlugTaken(slug) : error
  }
