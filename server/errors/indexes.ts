/** Errors of the index advisor's page. */

import { quoted, requestError } from './api-error'

export const indexNotFound = (name: string) =>
  requestError(404, 'not_found', `Index ${quoted(name)} was not found in this workspace.`)
