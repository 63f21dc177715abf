/** Saved views, as far as queries need them. Spec: query 7. */

import type { Call } from '../call'
import type { Owner } from '../data-model/model'
import { viewNotFound } from '../errors'

/** The filter of a saved view of `owner`, as it was written. Throws 404: no view can have been saved yet. */
export async function getViewFilter(_call: Call, _owner: Owner, viewId: string): Promise<unknown> {
  throw viewNotFound(viewId)
}
